"""The least that the benchmark should show, and a list of what of it is met."""

# n, d: share of the FMA peak, which does not depend on how fast the peers are
STEIN = {(1000, 5): 0.08, (500, 16): 0.22, (200, 43): 0.38, (100, 100): 0.42, (60, 200): 0.35}
AIRM = {5: 8, 16: 5, 43: 3}
OTHER_METRICS = 2
INVERSE_SUMS_AT_MOST = 5
TWO_THREADS = 1.7
TWO_THREADS_FROM_SECONDS = 0.005

# n, d: value and gradient of alignment, times NumPy with the same formula
ALIGNMENT = {(1000, 5): 60, (500, 16): 30, (200, 43): 25, (100, 100): 12, (60, 200): 6}
ALIGNMENT_OVER_GRAM_AT_MOST = 5
# n, d, components: one step of learning a subspace, times NumPy with the same formula
SUBSPACE = {(1000, 24, 6): 30, (200, 200, 16): 15}
# n, d: one step of learning the log-Euclidean kernel, times NumPy with the same formula. NumPy's step is nearly all
# products of matrices, so that ours at the FMA peak would be about 9 times as fast.
LOG_EUCLIDEAN = {(1000, 16): 2.5, (200, 43): 2.5}
# k-means by the Riemannian metric from the same starts, times pyRiemann, and spectral clustering of 20,000 matrices
# of size 5 by the clock and in processor time
KMEANS = 20
SPECTRAL_SECONDS_AT_MOST = 30
# Means by the Riemannian and the Stein metric, and fitting and predicting with them, times pyRiemann
MEANS = 20
OVER_FINITE_DIFFERENCES = 500
RADIUS_MARGIN = 5
MEGABYTES_AT_MOST = 300

PYTHON_OVERHEAD_AT_MOST = 0.05
PYTHON_OVERHEAD_CASE = (1000, 5)
PYTHON_DISTANCE = {(1000, 5): 2000}


def python_checks(python):
    for row in python["overhead"]:
        if (row["n"], row["d"]) == PYTHON_OVERHEAD_CASE:
            overhead = row["overhead"]
            label = f"Python layer, n {row['n']}, d {row['d']}: overhead"
            yield label, overhead, f"<= {PYTHON_OVERHEAD_AT_MOST}", overhead <= PYTHON_OVERHEAD_AT_MOST
    for row in python["beside_pyriemann"]:
        least = PYTHON_DISTANCE.get((row["n"], row["d"]))
        if least and row["what"] == 'pairwise_distance, "logdet"':
            ratio = row["over_pyriemann"]
            yield f"Python pairwise_distance, n {row['n']}, d {row['d']}: over_pyriemann", ratio, f">= {least}", ratio >= least


# d: predictions of nearest neighbours, times pyRiemann
NEIGHBOURS = {5: 500, 43: 100}
FASTER_THAN_ALL_DISTANCES_FROM = 16
EVALUATE_MINUTES, EVALUATE_MEGABYTES = 30, 2000
SELECT_SECONDS, SELECT_OVER_SKLEARN = 60, 10
TEXTURE_OVER_NUMPY = 20
GABOR_OVER_SKIMAGE = 1
FOLDER_SECONDS_AT_MOST = 10


def neighbours_checks(neighbours):
    for row in neighbours:
        label, d = f"neighbours, d {row['d']}", row["d"]
        if d in NEIGHBOURS:
            yield f"{label}: over_pyriemann", row["over_pyriemann"], f">= {NEIGHBOURS[d]}", row["over_pyriemann"] >= NEIGHBOURS[d]
        if d >= FASTER_THAN_ALL_DISTANCES_FROM:
            yield f"{label}: over_whole", row["over_whole"], ">= 1", row["over_whole"] >= 1


def evaluate_checks(evaluate):
    minutes, megabytes = evaluate["seconds"] / 60, evaluate["megabytes"]
    yield "evaluate: minutes", minutes, f"<= {EVALUATE_MINUTES}", minutes <= EVALUATE_MINUTES
    yield "evaluate: megabytes", megabytes, f"<= {EVALUATE_MEGABYTES}", megabytes <= EVALUATE_MEGABYTES


def select_checks(row):
    yield "selection for an SVM: seconds", row["seconds"], f"<= {SELECT_SECONDS}", row["seconds"] <= SELECT_SECONDS
    ratio = row["over_sklearn"]
    yield "selection for an SVM: over scikit-learn", ratio, f">= {SELECT_OVER_SKLEARN}", ratio >= SELECT_OVER_SKLEARN


def describe_checks(describe):
    ratio = describe["texture"]["over_numpy"]
    yield "texture over NumPy", ratio, f">= {TEXTURE_OVER_NUMPY}", ratio >= TEXTURE_OVER_NUMPY
    ratio = describe["gabor"]["over_skimage"]
    yield "Gabor over scikit-image", ratio, f">= {GABOR_OVER_SKIMAGE}", ratio >= GABOR_OVER_SKIMAGE
    seconds = describe["folder"]["seconds"]
    yield "7168 descriptors from pictures, seconds", seconds, f"<= {FOLDER_SECONDS_AT_MOST}", seconds <= FOLDER_SECONDS_AT_MOST


def cluster_checks(cluster):
    for row in cluster["kmeans"]:
        if row["metric"] == "riemann":
            ratio = row["over_pyriemann"]
            yield f"k-means, n {row['n']}, d {row['d']}: over_pyriemann", ratio, f">= {KMEANS}", ratio >= KMEANS
    spectral = next(row for row in cluster["many"] if row["method"] == "spectral")
    for key, by in ("seconds", "by the clock"), ("processor_seconds", "of processor time"):
        label = f"spectral clustering, n {spectral['n']}, d {spectral['d']}: seconds {by}"
        yield label, spectral[key], f"<= {SPECTRAL_SECONDS_AT_MOST}", spectral[key] <= SPECTRAL_SECONDS_AT_MOST


def learning_checks(learning):
    for row in learning["alignment"]:
        label = f"alignment, n {row['n']}, d {row['d']}"
        least = ALIGNMENT[row["n"], row["d"]]
        yield f"{label}: over_numpy", row["over_numpy"], f">= {least}", row["over_numpy"] >= least
        times = row["over_gram"]
        yield f"{label}: over_gram", times, f"<= {ALIGNMENT_OVER_GRAM_AT_MOST}", times <= ALIGNMENT_OVER_GRAM_AT_MOST
    for row in learning["log_euclidean"]:
        least = LOG_EUCLIDEAN[row["n"], row["d"]]
        label = f"log-Euclidean alignment, n {row['n']}, d {row['d']}: over_numpy"
        yield label, row["over_numpy"], f">= {least}", row["over_numpy"] >= least
    for row in learning["subspace"]:
        least = SUBSPACE[row["n"], row["d"], row["components"]]
        label = f"subspace, n {row['n']}, {row['d']} to {row['components']}: over_numpy"
        yield label, row["over_numpy"], f">= {least}", row["over_numpy"] >= least
    ratio = learning["finite_differences"]["ratio"]
    yield "alignment over finite differences", ratio, f">= {OVER_FINITE_DIFFERENCES}", ratio >= OVER_FINITE_DIFFERENCES
    ratio = learning["radius_margin"]["ratio"]
    yield "radius margin over scikit-learn", ratio, f">= {RADIUS_MARGIN}", ratio >= RADIUS_MARGIN
    for row in learning["scaling"]:
        megabytes = row["megabytes_above_data"]
        yield f"alignment, n {row['n']}: megabytes above the data", megabytes, f"<= {MEGABYTES_AT_MOST}", megabytes <= MEGABYTES_AT_MOST


def checks(result):
    """Yields (what, measured, required, met)."""
    for row in result["stein"]:
        label = f"n {row['n']}, d {row['d']}"
        share, least = row["share_of_fma_peak"], STEIN[row["n"], row["d"]]
        beside = ", ".join(f"{row['over_' + peer]:.3g} times {peer}" for peer in ("pyriemann", "numpy", "eigen"))
        yield f"{label}: share of the FMA peak, at {beside}", share, f">= {least}", share >= least
        if row["dsk_seconds"] >= TWO_THREADS_FROM_SECONDS:
            speedup = row["two_threads_speedup"]
            yield f"{label}: two_threads_speedup", speedup, f">= {TWO_THREADS}", speedup >= TWO_THREADS
        times = row["inverse_sums_over_divergence"]
        yield f"{label}: inverse_sums_over_divergence", times, f"<= {INVERSE_SUMS_AT_MOST}", times <= INVERSE_SUMS_AT_MOST
    for row in result["metrics"]:
        least = AIRM[row["d"]] if row["metric"] == "airm" else OTHER_METRICS
        ratio = row["over_pyriemann"]
        yield f"{row['metric']}, d {row['d']}: over_pyriemann", ratio, f">= {least}", ratio >= least
    for row in result["means"]:
        if row["metric"] in ("airm", "stein"):
            ratio = row["over_pyriemann"]
            yield f"mean by {row['metric']}, d {row['d']}: over_pyriemann", ratio, f">= {MEANS}", ratio >= MEANS
    for row in result.get("automatic", {}).get("mdm", []):
        ratio = row["over_pyriemann"]
        yield f"MDM, d {row['d']}: over_pyriemann", ratio, f">= {MEANS}", ratio >= MEANS
    if "learning" in result:
        yield from learning_checks(result["learning"])
    if "python" in result:
        yield from python_checks(result["python"])
    yield from neighbours_checks(result.get("neighbours", []))
    if "evaluate" in result:
        yield from evaluate_checks(result["evaluate"])
    if "select" in result:
        yield from select_checks(result["select"])
    if "cluster" in result:
        yield from cluster_checks(result["cluster"])
    if "describe" in result:
        yield from describe_checks(result["describe"])


def print_checks(result):
    found = list(checks(result))
    result["checks"] = [dict(zip(("what", "measured", "required", "met"), check)) for check in found]
    print("\nStated minimum ratios")
    for what, measured, required, met in found:
        print(f"{'met ' if met else 'MISS'} {what}: {measured:.3g} ({required})")
    print(f"{sum(check[3] for check in found)} of {len(found)} met")

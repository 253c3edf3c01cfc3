"""The figures hold what they should, on axes given or made."""
import subprocess
import sys

import matplotlib
import numpy as np
import pytest

matplotlib.use("agg")
import matplotlib.pyplot as plt

import dsk


@pytest.fixture(scope="module")
def fitted(three_classes):
    return dsk.DiscriminativeStein("centred", "affine", penalty=0.01).fit(*three_classes)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_alpha_and_beta_are_bars(fitted, classes):
    heights = [bar.get_height() for bar in dsk.plot.alpha(fitted).patches]
    np.testing.assert_allclose(heights, [*fitted.alpha_, *fitted.beta_])
    power = dsk.DiscriminativeStein(penalty=0.1).fit(*classes)
    np.testing.assert_allclose([bar.get_height() for bar in dsk.plot.alpha(power).patches], power.alpha_)


def test_history_is_a_line(fitted):
    ax = dsk.plot.history(fitted)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), fitted.history_)


def test_kernel_is_sorted_by_class(fitted, three_classes):
    X, y = three_classes
    shuffled = np.random.default_rng(0).permutation(len(y))
    ax = dsk.plot.kernel(fitted, X[shuffled], y[shuffled])
    order = shuffled[np.argsort(y[shuffled], kind="stable")]
    np.testing.assert_allclose(ax.images[0].get_array(), fitted.kernel(X[order]))
    plain = dsk.plot.kernel(fitted, X, plain=True)
    np.testing.assert_allclose(plain.images[0].get_array(), dsk.kernel(X, theta=fitted.theta_), rtol=1e-12)


def test_embedding_has_a_cloud_per_class(fitted, three_classes):
    X, y = three_classes
    ax = dsk.plot.embedding(fitted, X, y)
    assert [len(cloud.get_offsets()) for cloud in ax.collections] == [25, 25, 25]
    assert len(dsk.plot.embedding(fitted, X).collections) == 1
    # Distances in all components are those in feature space.
    K = fitted.kernel(X)
    points = dsk._library.kernel_principal_components(K, len(X))
    squared = ((points[:, None] - points[None]) ** 2).sum(-1)
    np.testing.assert_allclose(squared, 2 - 2 * K, atol=1e-8)


def test_axes_are_those_given_and_classifiers_are_taken(fitted, three_classes):
    X, y = three_classes
    figure, axes = plt.subplots(1, 4)
    classifier = dsk.SVC(kernel=fitted.learned_, C=1).fit(X, y)
    drawn = [dsk.plot.alpha(classifier, axes[0]), dsk.plot.history(fitted.learned_, axes[1]),
             dsk.plot.kernel(classifier, X, y, axes[2]), dsk.plot.embedding(fitted, X, y, axes[3])]
    assert drawn == list(axes)
    figure.canvas.draw()


def test_what_cannot_be_drawn_is_said(classes):
    with pytest.raises(ValueError, match="no learned kernel"):
        dsk.plot.alpha(dsk.SVC(C=1, theta=2).fit(*classes))
    fitted = dsk.DiscriminativeStein(penalty=0.1).fit(*classes)
    with pytest.raises(ValueError, match="y must have shape"):
        dsk.plot.kernel(fitted, classes[0], classes[1][:-1])


def test_matplotlib_and_tqdm_are_loaded_when_needed_only():
    script = "import sys, dsk; print(*[m for m in ('matplotlib', 'tqdm') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "\n"


@pytest.fixture(scope="module")
def projected():
    X, y = dsk.make_wishart_classes(n_per_class=20, dim=5, degrees=20, tau=1, random_state=2)
    return dsk.Project(2).fit(X, y)


@pytest.mark.parametrize("draw, values", [(dsk.plot.filters, "filters_"), (dsk.plot.patterns, "patterns_")])
def test_columns_of_a_subspace_are_bars_scaled_to_the_largest(projected, draw, values):
    columns = getattr(projected, values)
    ax = draw(projected, names=list("abcde"))
    heights = np.array([bar.get_height() for bar in ax.patches]).reshape(2, 5)
    scaled = (columns / np.abs(columns).max(axis=0)).T
    np.testing.assert_allclose(heights / np.abs(heights).max(axis=1)[:, None], scaled)
    assert [label.get_text() for label in ax.get_xticklabels()] == list("abcde")


def test_columns_need_a_subspace_and_matching_names(projected, fitted):
    with pytest.raises(ValueError, match="no learned subspace"):
        dsk.plot.filters(fitted)
    with pytest.raises(ValueError, match="5 names"):
        dsk.plot.patterns(projected, names=["one"])


def two_directions_that_tell():
    """Two classes that differ in two of five mixed directions; the power of the others varies more, for no reason."""
    draw = np.random.default_rng(0)
    y = np.arange(60) % 2
    power = np.exp(draw.normal(0, 1.5, (60, 5)))
    power[:, :2] = np.where(y[:, None] == [0, 1], 1, 3) * np.exp(draw.normal(0, 0.1, (60, 2)))
    samples = draw.standard_normal((5, 5)) @ (draw.standard_normal((60, 5, 40)) * np.sqrt(power)[:, :, None])
    return samples @ samples.transpose(0, 2, 1) / 40, y


def test_subspaces_of_classifiers_and_kernels_are_drawn(projected, program, tmp_path):
    X, y = two_directions_that_tell()
    classifier = dsk.Classifier(project=2).fit(X, y)
    (subspace,) = classifier.subspaces_
    assert subspace["components"] == 2 and subspace["filters"].shape == subspace["patterns"].shape == (5, 2)
    spread = X.mean(axis=0) @ subspace["filters"]
    np.testing.assert_allclose(subspace["patterns"] @ (subspace["filters"].T @ spread), spread, rtol=1e-9)
    assert len(dsk.plot.filters(classifier).patches) == len(dsk.plot.patterns(classifier, components=2).patches) == 10
    with pytest.raises(ValueError, match="components must be one of 2; got 3"):
        dsk.plot.filters(classifier, components=3)
    classifier.save(tmp_path / "model.dsk")
    loaded = dsk.Classifier.load(tmp_path / "model.dsk")
    np.testing.assert_array_equal(loaded.subspaces_[0]["filters"], subspace["filters"])

    dsk.save_dataset(tmp_path / "X.npz", X, y)
    program("learn", tmp_path / "X.npz", "--project", 2, "--penalty", 0.01, "-o", tmp_path / "k.dsk")
    kernel = dsk.load(tmp_path / "k.dsk")
    filters = kernel.learned_.filters
    assert filters.shape == (5, 2) and len(dsk.plot.alpha(kernel).patches) == 2
    heights = [bar.get_height() for bar in dsk.plot.filters(kernel).patches[:5]]
    np.testing.assert_allclose(heights, 0.42 * filters[:, 0] / np.abs(filters[:, 0]).max())
    for model in (kernel, loaded):
        with pytest.raises(ValueError, match="give matrices as X"):
            dsk.plot.patterns(model)
    drawn = [[bar.get_height() for bar in dsk.plot.patterns(model, X=X).patches] for model in (classifier, loaded)]
    np.testing.assert_allclose(drawn[0], drawn[1], atol=1e-12)
    assert len(dsk.plot.patterns(kernel, list("abcde"), X=X).patches) == 10
    with pytest.raises(ValueError, match="no learned subspace"):
        dsk.plot.filters(dsk.LearnedKernel.plain(5, 1))


def test_subspaces_are_shown_before_and_after(projected):
    X, y = dsk.make_wishart_classes(n_per_class=20, dim=5, degrees=20, tau=1, random_state=2)
    after = dsk.kernel(projected.transform(X), theta=projected.theta_)
    np.testing.assert_allclose(dsk.plot.kernel(projected, X).images[0].get_array(), after, rtol=1e-12)
    whole = dsk.pairwise_distance(X, metric="stein", squared=True)
    width = projected.theta_ * np.median(-np.log(after[np.triu_indices(40, 1)]) / projected.theta_)
    before = np.exp(-width / np.median(whole[np.triu_indices(40, 1)]) * whole)
    np.testing.assert_allclose(dsk.plot.kernel(projected, X, plain=True).images[0].get_array(), before, rtol=1e-9)
    order = np.argsort(y, kind="stable")
    for plain, values in ((False, after), (True, before)):
        clouds = dsk.plot.embedding(projected, X, y, plain=plain).collections
        wanted = dsk._library.kernel_principal_components(values[np.ix_(order, order)], 2)
        np.testing.assert_allclose(np.concatenate([cloud.get_offsets() for cloud in clouds]), wanted, atol=1e-8)


def test_components_show_the_best_candidate_of_each_size():
    X, y = dsk.make_wishart_classes(n_per_class=20, dim=6, degrees=20, tau=0.5, random_state=2)
    classifier = dsk.Classifier().fit(X, y)
    shown = dict(dsk.plot.components(classifier).lines[0].get_xydata())
    compared = [row for row in classifier.candidates_ if row["components"] is not None]
    assert set(shown) == {row["components"] for row in compared}
    longest = max(row["folds"] for row in compared)
    for size, accuracy in shown.items():
        finished = [row["accuracy"] for row in compared if row["components"] == size and row["folds"] == longest]
        assert not finished or accuracy == pytest.approx(100 * max(finished))
    with pytest.raises(ValueError, match="not compared subspaces"):
        dsk.plot.components(dsk.MDM().fit(X, y))

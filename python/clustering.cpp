#include <dsk/cluster.hpp>

#include <nanobind/stl/tuple.h>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

Clustering cluster_matrices(const MatricesArgument& x, const std::string& method, std::optional<Index> clusters,
                            Index most_clusters, const std::string& metric, double zeta, std::optional<double> theta,
                            Index neighbours, int restarts, int max_iterations, double tolerance,
                            const std::optional<MatricesArgument>& start, bool learn, std::uint64_t seed, int threads) {
  ClusterOptions options{.method = parse_cluster_method(method),
                         .clusters = clusters,
                         .most_clusters = most_clusters,
                         .metric = parse_metric(metric),
                         .zeta = zeta,
                         .theta = theta,
                         .neighbours = neighbours,
                         .restarts = restarts,
                         .max_iterations = max_iterations,
                         .tolerance = tolerance,
                         .learn = learn,
                         .summarise = !clusters,
                         .seed = seed,
                         .pairs = {.threads = threads}};
  return compute([&] {
    if (start) options.start = as_batch(*start, threads);
    return cluster(Dataset(as_batch(x, threads)), options);
  });
}

nb::dict counts_of(const Clustering& found) {
  std::vector<Index> clusters;
  std::vector<double> silhouettes, eigengaps;
  for (const Clustering::Count& count : found.tried) {
    clusters.push_back(count.clusters);
    silhouettes.push_back(count.silhouette);
    eigengaps.push_back(count.eigengap);
  }
  nb::dict result;
  result["n_clusters"] = clusters;
  result["silhouette"] = silhouettes;
  if (found.method == ClusterMethod::spectral) result["eigengap"] = eigengaps;
  return result;
}

nb::object learning_of(const Clustering& found) {
  if (!found.learning) return nb::none();
  const Clustering::Learning& learning = *found.learning;
  nb::dict result;
  result["adopted"] = learning.adopted;
  result["plain_stability"] = learning.plain_stability;
  result["learned_stability"] = learning.learned_stability;
  result["standard_error"] = learning.standard_error;
  result["n_components"] = learning.components;
  result["outcome"] = learning.outcome;
  return result;
}

// What `assign` needs, as NumPy arrays and numbers.
template <class Stack, class Table, class Vector>
struct State {
  using Centres = std::optional<Stack>;
  using Features = std::optional<std::tuple<double, Stack, Table, Table>>;
  using Learned = std::optional<std::tuple<std::optional<Table>, std::string, Vector, Vector, Vector, double, double>>;
  using Whole = std::tuple<std::string, std::string, double, Centres, Features, Learned>;
};
using Saved = State<MatricesResult, MatrixResult, VectorResult>;
// Arrays that come back from a file may be read-only.
using VectorArgument = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Loaded = State<StackArgument, MatrixArgument, VectorArgument>;

Saved::Learned state_of(const LearnedKernel& kernel) {
  std::optional<MatrixResult> projection;
  const Transform before = kernel.before();
  if (!before.is_identity()) projection = as_array(Matrix(std::get<Projection>(before.steps().front()).w));
  const EigenvalueAdjustment& adjustment = kernel.adjustment();
  return std::make_tuple(projection, std::string(name(adjustment.kind)), as_array(adjustment.alpha),
                         as_array(adjustment.beta), as_array(adjustment.centre), adjustment.scale, kernel.theta());
}

Saved::Whole state_of(const Clustering& found) {
  Saved::Centres centres;
  Saved::Features features;
  Saved::Learned learned;
  if (found.centres) centres = as_array(*found.centres);
  if (found.features)
    features = std::make_tuple(found.features->map.theta(), as_array(found.features->map.landmarks().matrices()),
                               as_array(Matrix(found.features->map.factor())), as_array(Matrix(found.features->rows)));
  if (found.learned) learned = state_of(*found.learned);
  return {std::string(name(found.method)), std::string(name(found.metric)), found.zeta, centres, features, learned};
}

Eigen::VectorXd as_vector(const VectorArgument& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()));
}

Clustering restored(const Loaded::Whole& state) {
  const auto& [method, metric, zeta, centres, features, learned] = state;
  Clustering found{.method = parse_cluster_method(method), .metric = parse_metric(metric), .zeta = zeta};
  if (centres) found.centres = SpdBatch(as_stack(*centres));
  if (features) {
    const auto& [theta, landmarks, factor, rows] = *features;
    found.features = Clustering::FeatureCentres{NystromMap({.metric = found.metric, .zeta = zeta}, theta,
                                                           Dataset(SpdBatch(as_stack(landmarks))), as_matrix(factor)),
                                                as_matrix(rows)};
  }
  if (learned) {
    const auto& [projection, kind, alpha, beta, centre, scale, theta] = *learned;
    const Transform before = projection ? Transform(Projection{as_matrix(*projection)}) : Transform();
    found.learned = LearnedKernel(
        before, {parse_adjustment(kind), as_vector(alpha), as_vector(beta), as_vector(centre), scale}, theta);
  }
  return found;
}

}  // namespace

void bind_clustering(nb::module_& module) {
  nb::class_<Clustering>(module, "Clustering")
      .def_prop_ro(
          "labels", [](const Clustering& found) { return as_array(std::vector<int>(found.labels)); },
          nb::rv_policy::automatic)
      .def_ro("inertia", &Clustering::inertia)
      .def_ro("iterations", &Clustering::iterations)
      .def_ro("notes", &Clustering::notes)
      .def_ro("eigenvalues", &Clustering::eigenvalues)
      .def_prop_ro("clusters", &Clustering::clusters)
      .def_prop_ro("theta", [](const Clustering& found) { return found.theta; })
      .def_prop_ro("silhouette", [](const Clustering& found) { return found.silhouette; })
      .def_prop_ro("structured",
                   [](const Clustering& found) {
                     return found.structure ? std::optional(found.structure->structured()) : std::nullopt;
                   })
      .def_prop_ro(
          "centres", [](const Clustering& found) { return as_array(*found.centres); }, nb::rv_policy::automatic)
      .def_prop_ro("tried", &counts_of)
      .def_prop_ro("learning", &learning_of)
      .def("__getstate__", [](const Clustering& found) { return state_of(found); })
      .def("__setstate__",
           [](Clustering& found, const Loaded::Whole& state) { new (&found) Clustering(restored(state)); })
      .def(
          "assign",
          [](const Clustering& found, const MatricesArgument& x, int threads) {
            return as_array(compute([&] { return assign(found, as_batch(x, threads), {.threads = threads}); }));
          },
          "x"_a, "threads"_a);
  module.def("cluster", &cluster_matrices, "x"_a, "method"_a, "clusters"_a.none(), "most_clusters"_a, "metric"_a,
             "zeta"_a, "theta"_a.none(), "neighbours"_a, "restarts"_a, "max_iterations"_a, "tolerance"_a,
             "start"_a.none(), "learn"_a, "seed"_a, "threads"_a);
}

}  // namespace dsk::python

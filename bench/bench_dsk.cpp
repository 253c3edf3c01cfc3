#include <dsk/describe.hpp>
#include <dsk/dsk.hpp>

#include <cmath>
#include <numeric>

#include "classify/classify.hpp"
#include "engine/engine.hpp"
#include "fma_peak.hpp"
#include "learn/learn.hpp"
#include "measure.hpp"

namespace {

using dsk::bench::Timing;

/// The whole call, as a user makes it: with its allocations, and with no state kept between calls.
std::function<double()> workload(const nlohmann::json& request, const dsk::SpdBatch& x) {
  const std::string what = request.at("what");
  const dsk::PairOptions options = {
      .threads = request.value("threads", 1),
      .precision = request.value("float32", false) ? dsk::Precision::float32 : dsk::Precision::float64};
  if (what == "divergence") {
    return [=] { return dsk::PairSweep(x, options).divergences().sum(); };
  }
  if (what == "gram") {
    const auto kernel = dsk::LearnedKernel::plain(x.dim(), request.at("theta"));
    return [=] { return dsk::kernel_matrix(kernel, x, options).sum(); };
  }
  if (what == "inverse_sums") {
    const dsk::Matrix weights = dsk::Matrix::Constant(x.size(), x.size(), 1.0 / static_cast<double>(x.size()));
    return [=] { return dsk::PairSums(x, options).weighted_inverses(weights).sums.values[0]; };
  }
  if (what == "mean") {
    const dsk::MeanOptions mean = {.metric = dsk::parse_metric(request.at("metric").get<std::string>()),
                                   .tolerance = request.at("tolerance"),
                                   .threads = options.threads};
    return [=] { return dsk::mean(x, mean).matrix.sum(); };
  }
  if (what == "values_to_distances") {
    return [=] {
      const dsk::SpdBatch batch(x.values(), x.size(), x.dim());
      return dsk::pairwise_distances(batch, {.pairs = options})(x.size() - 1, 0);
    };
  }
  const dsk::DistanceOptions distance = {.metric = dsk::parse_metric(what), .pairs = options};
  return [=] { return dsk::pairwise_distances(x, distance).sum(); };
}

/// Classes by turns.
dsk::Dataset labelled(const nlohmann::json& request, const dsk::SpdBatch& x) {
  std::vector<long long> labels;
  for (dsk::Index i = 0; i < x.size(); ++i) labels.push_back(i % request.at("classes").get<long long>());
  return dsk::Dataset(x, dsk::Labels(labels));
}

/// One evaluation of the objective and its gradient while a subspace is learned, in the mean of some iterations.
Timing measure_subspace(const nlohmann::json& request, const dsk::SpdBatch& x) {
  const dsk::SubspaceLearner learner(
      labelled(request, x), {.max_iterations = 5, .tolerance = 0, .pairs = {.threads = request.value("threads", 1)}});
  int evaluations = 1;
  Timing timing = dsk::bench::measure(
      [&] {
        const dsk::Fit fit = learner.learn(request.at("components")).fit;
        evaluations = fit.evaluations;
        return fit.history.front();
      },
      request.at("budget"));
  timing.seconds /= evaluations;
  return timing;
}

/// Value and gradient on a training set that was decomposed before, as in every step of the optimiser.
Timing measure_criterion(const nlohmann::json& request, const dsk::SpdBatch& x) {
  const dsk::Dataset train = labelled(request, x);
  const dsk::Metric metric = dsk::parse_metric(request.value("metric", "stein"));
  const dsk::CriterionFunction function(dsk::parse_criterion(request.at("criterion").get<std::string>()), train,
                                        {.threads = request.value("threads", 1)}, metric);
  auto adjustment = dsk::EigenvalueAdjustment::none(x.dim());
  for (dsk::Index z = 0; z < x.dim(); ++z) adjustment.alpha[z] += 0.05 * std::cos(static_cast<double>(z));
  const dsk::LearnedKernel kernel(dsk::Transform(), adjustment, request.at("theta"), metric);
  const double c = request.value("c", 1.0);
  return dsk::bench::measure(
      [&] {
        const dsk::CriterionFunction::Gradient found = function(kernel, c);
        return found.value + found.by_slope.sum();
      },
      request.at("budget"));
}

/// The labelled matrices at the beginning of the file, and those that follow them.
struct TrainAndQueries {
  dsk::Dataset train;
  dsk::SpdBatch queries;
};

TrainAndQueries split(const nlohmann::json& request, const dsk::SpdBatch& all) {
  const dsk::Index trained = all.size() - request.at("queries").get<dsk::Index>();
  std::vector<dsk::Index> rows(static_cast<std::size_t>(all.size()));
  std::iota(rows.begin(), rows.end(), 0);
  const auto count = static_cast<std::size_t>(trained);
  return {labelled(request, all.select(std::span(rows).first(count))), all.select(std::span(rows).subspan(count))};
}

dsk::Model model_of(const std::string& kind, const dsk::Dataset& train) {
  const auto dim = static_cast<double>(train.dim());
  if (kind == "knn") return dsk::train_knn(dsk::Comparison{}, train);
  if (kind == "svm") return dsk::train_svm(dsk::Comparison{}, train, {.theta = dim, .c = 10});
  if (kind == "mean") return dsk::train_mean(dsk::Comparison{}, train);
  if (kind == "mdm") return dsk::train_mdm(train);
  if (kind == "mdm-stein") return dsk::train_mdm(train, {.metric = dsk::Metric::stein});
  if (kind == "logistic") return dsk::train_logistic(train);
  if (kind == "tangent-svm") return dsk::train_tangent_svm(train);
  // Recentred, projected to half the dimensions, and with adjusted eigenvalues.
  const dsk::Index half = (train.dim() + 1) / 2;
  auto adjustment = dsk::EigenvalueAdjustment::none(half);
  adjustment.alpha.setConstant(0.9);
  const dsk::Matrix whitening = dsk::TangentSpace(dsk::mean(train.matrices()).matrix).whitening();
  const dsk::Transform before = dsk::Transform(dsk::Projection{whitening})
                                    .then(dsk::Transform(dsk::Projection{dsk::Matrix::Identity(train.dim(), half)}))
                                    .then(dsk::Transform(adjustment));
  const dsk::Dataset moved(before.apply(train.matrices()), train.labels());
  return dsk::Pipeline({{before, dsk::train_svm(dsk::Comparison{}, moved, {.theta = dim, .c = 10})}});
}

/// Single predictions by every kind of classifier, each call timed; or, with "batch", all queries together.
Timing measure_latency(const nlohmann::json& request, const dsk::SpdBatch& all) {
  const TrainAndQueries parts = split(request, all);
  const dsk::SpdBatch& x = parts.queries;
  const dsk::Model model = model_of(request.at("classifier"), parts.train);
  if (request.value("batch", false))
    return dsk::bench::measure(
        [&] {
          const std::vector<int> codes = dsk::predict(model, x, {.threads = 1}).labels.codes();
          return std::accumulate(codes.begin(), codes.end(), 0.0);
        },
        request.at("budget"));
  dsk::Predictor predictor(model);
  for (const dsk::MatrixView matrix : x) predictor(matrix);
  return dsk::bench::measure_calls([&](int i) { return predictor(x[i % x.size()]); }, request.at("calls"));
}

/// Matrices that follow the training set in the file are predicted; "one" at a time, or all with the nearest found by
/// the given search.
Timing measure_neighbours(const nlohmann::json& request, const dsk::SpdBatch& all) {
  const TrainAndQueries parts = split(request, all);
  const dsk::Dataset& train = parts.train;
  const dsk::SpdBatch& x = parts.queries;
  const dsk::KnnOptions options = {.neighbours = request.at("neighbours"), .threads = 1};
  const auto sum_of = [](std::span<const int> codes) { return std::accumulate(codes.begin(), codes.end(), 0.0); };
  const std::string search = request.at("search");
  const dsk::KnnClassifier model = dsk::train_knn(dsk::Comparison{}, train, options);
  dsk::Predictor predictor(model);
  dsk::NearestQuery query(*dsk::detail::prepared(model).nearest, options.neighbours);
  std::function<double()> work;
  if (search == "set-up") {
    work = [&] { return static_cast<double>(dsk::train_knn(dsk::Comparison{}, train, options).dim()); };
  } else if (search == "one") {
    work = [&] {
      double sum = 0;
      for (const dsk::MatrixView matrix : x) sum += predictor(matrix);
      return sum;
    };
  } else if (search == "work") {
    work = [&] {
      double sum = 0;
      for (const dsk::MatrixView matrix : x) {
        query(matrix);
        sum += query.work();
      }
      return sum;
    };
  } else if (search == "whole") {
    work = [&] {
      const dsk::Matrix distances =
          dsk::pairwise_squared_distances(dsk::Comparison{}, x, train.matrices(), {.threads = 1});
      double sum = 0;
      for (dsk::Index i = 0; i < x.size(); ++i) {
        const std::span<const double> row(&distances(i, 0), static_cast<std::size_t>(train.size()));
        sum += dsk::most_votes(dsk::nearest_classes(row, train.labels().codes(), options.neighbours));
      }
      return sum;
    };
  } else {
    work = [&] { return sum_of(dsk::predict(model, x, {.threads = 1}).labels.codes()); };
  }
  return dsk::bench::measure(work, request.at("budget"));
}

/// Feature maps of a picture in memory and the covariances of its tiles, on one thread.
Timing measure_description(const nlohmann::json& request, const dsk::FeatureSet& features) {
  const dsk::Index width = request.at("width"), height = request.at("height"), tiles = request.at("tiles");
  const auto values = dsk::bench::read_tail(request.at("file"), static_cast<std::size_t>(width * height));
  const dsk::Image image{dsk::MatrixView(values.data(), height, width)};
  return dsk::bench::measure(
      [&] {
        const dsk::SpdBatch found =
            dsk::region_covariance(features, image, dsk::tile_regions({width, height}, {tiles, tiles}));
        double sum = 0;
        for (const double value : found.values()) sum += value;
        return sum;
      },
      request.at("budget"));
}

Timing answer(const nlohmann::json& request) {
  if (request.at("what") == "texture") return measure_description(request, dsk::texture_features());
  if (request.at("what") == "gabor") return measure_description(request, dsk::gabor_features());
  if (request.at("what") == "fma_peak") {
    Timing timing = dsk::bench::measure(dsk::bench::run_fma, request.at("budget"));
    timing.checksum = dsk::bench::fma_flops();
    return timing;
  }
  const dsk::Index n = request.at("n").get<dsk::Index>() + request.value("queries", 0), d = request.at("d");
  const dsk::SpdBatch x(dsk::bench::read_tail(request.at("file"), static_cast<std::size_t>(n * d * d)), n, d);
  if (request.at("what") == "criterion") return measure_criterion(request, x);
  if (request.at("what") == "subspace") return measure_subspace(request, x);
  if (request.at("what") == "neighbours") return measure_neighbours(request, x);
  if (request.at("what") == "latency") return measure_latency(request, x);
  return dsk::bench::measure(workload(request, x), request.at("budget"));
}

}  // namespace

int main() {
  return dsk::bench::serve(answer);
}

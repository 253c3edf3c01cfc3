// Accuracy on held-out matrices of what different ways to optimise a criterion learn: each request is answered by one
// line.

#include <dsk/evaluate.hpp>
#include <dsk/files.hpp>
#include <dsk/learn.hpp>
#include <dsk/mean.hpp>
#include <dsk/metric.hpp>

#include <Eigen/LU>

#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "joint_search.hpp"
#include "learn/learn.hpp"
#include "learn/minimise.hpp"
#include "learn/objective.hpp"
#include "measure.hpp"

namespace {

using dsk::Index;
using dsk::Matrix;
using dsk::detail::Composition;
using dsk::detail::Descent;
using dsk::detail::DescentStart;

constexpr dsk::PairOptions one_thread{.threads = 1};
constexpr double infinite = std::numeric_limits<double>::infinity();

/// What a way has learned from the training half.
struct Learned {
  std::string name;
  dsk::SpdBatch train, test;  ///< transformed
  double theta = 1;
  double seconds = 0;  ///< of the processor
};

class Clock {
 public:
  double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t begin_ = std::clock();
};

double accuracy(const std::vector<int>& predicted, const dsk::Labels& labels) {
  double hits = 0;
  for (Index i = 0; i < labels.size(); ++i) hits += predicted[static_cast<std::size_t>(i)] == labels[i] ? 1 : 0;
  return hits / static_cast<double>(labels.size());
}

/// Of the nearest training matrix, which does not depend on theta, and of the nearest class mean in the feature space.
nlohmann::json scores(const Learned& learned, const dsk::Dataset& train, const dsk::Dataset& test) {
  const dsk::Comparison stein{.metric = dsk::Metric::stein};
  const Matrix across = dsk::pairwise_squared_distances(stein, learned.test, learned.train, one_thread);
  const Matrix within = dsk::pairwise_squared_distances(stein, learned.train, one_thread);
  const auto classes = static_cast<Index>(train.labels().names().size());
  Eigen::VectorXd counts = Eigen::VectorXd::Zero(classes), self = counts;
  for (Index i = 0; i < train.size(); ++i) counts[train.labels()[i]] += 1;
  for (Index i = 0; i < train.size(); ++i)
    for (Index j = 0; j < train.size(); ++j)
      if (train.labels()[i] == train.labels()[j]) self[train.labels()[i]] += std::exp(-learned.theta * within(i, j));
  std::vector<int> nearest, by_mean;
  for (Index t = 0; t < test.size(); ++t) {
    Index best = 0;
    across.row(t).minCoeff(&best);
    nearest.push_back(train.labels()[best]);
    Eigen::VectorXd to_class = Eigen::VectorXd::Zero(classes);
    for (Index j = 0; j < train.size(); ++j) to_class[train.labels()[j]] += std::exp(-learned.theta * across(t, j));
    Eigen::VectorXd cost = Eigen::VectorXd::Constant(classes, infinite);
    for (Index c = 0; c < classes; ++c)
      if (counts[c] > 0) cost[c] = self[c] / (counts[c] * counts[c]) - 2 * to_class[c] / counts[c];
    cost.minCoeff(&best);
    by_mean.push_back(static_cast<int>(best));
  }
  return {{"way", learned.name},
          {"neighbour", accuracy(nearest, test.labels())},
          {"class_mean", accuracy(by_mean, test.labels())},
          {"theta", learned.theta},
          {"seconds", learned.seconds}};
}

Learned by_kernel(const std::string& name, const dsk::LearnedKernel& kernel, const dsk::SpdBatch& train,
                  const dsk::SpdBatch& test, double seconds) {
  return {name, kernel.adjust(train, 1), kernel.adjust(test, 1), kernel.theta(), seconds};
}

/// The best theta by the criterion, of those for which the kernel is known to be positive definite.
double best_valid_theta(const Composition& composition, Index dim) {
  const std::vector<double> thetas = dsk::bench::valid_thetas(dim), cs{0};
  const Matrix values = composition.values(thetas, cs);
  Index best = 0;
  composition.criterion().maximised ? values.col(0).maxCoeff(&best) : values.col(0).minCoeff(&best);
  return thetas[static_cast<std::size_t>(best)];
}

/// Eigenvalues of whole matrices.
void adjust_whole(const dsk::Dataset& train, const dsk::Dataset& test, dsk::Criterion criterion,
                  std::vector<Learned>& ways) {
  Clock clock;
  const dsk::PlainKernel plain = dsk::best_plain_kernel(train, {.criterion = criterion, .pairs = one_thread});
  ways.push_back({"plain", train.matrices(), test.matrices(), plain.theta, clock.seconds()});
  const double penalty = dsk::bench::relative_penalty * std::abs(plain.value);
  clock = {};
  const dsk::LearnResult apart = fit_kernel(
      train, {.criterion = criterion, .adjustment = dsk::Adjustment::affine, .penalty = penalty, .pairs = one_thread});
  ways.push_back(
      by_kernel("theta, then eigenvalues", apart.kernel, train.matrices(), test.matrices(), clock.seconds()));

  clock = {};
  dsk::detail::EigenvalueSearch search(train.matrices(), 1);
  auto first = dsk::EigenvalueAdjustment::none(train.dim(), dsk::Adjustment::affine);
  first.centre = search.log_eigenvalues().colwise().mean().transpose();
  search.set_first(first);
  Composition composition(dsk::detail::row_of(criterion), train, search, one_thread);
  const Descent joint(composition, search, {.theta = plain.theta, .value = plain.value, .free_theta = true}, penalty);
  const Eigen::VectorXd point = dsk::detail::descend(joint, 100, 1e-5, {}).first;
  const dsk::Transform found = search.at(joint.parameters(point));
  ways.push_back({"theta and eigenvalues together", found.apply(train.matrices(), 1), found.apply(test.matrices(), 1),
                  joint.theta(point), clock.seconds()});
  search.apply(joint.parameters(point), composition.pairs());
  Learned valid = ways.back();
  valid.name = "together, then a valid theta";
  valid.theta = best_valid_theta(composition, train.dim());
  ways.push_back(std::move(valid));
}

/// A subspace and the eigenvalues there.
void adjust_projected(const dsk::Dataset& train, const dsk::Dataset& test, dsk::Criterion criterion, Index components,
                      std::vector<Learned>& ways) {
  Clock clock;
  const dsk::SubspaceLearner learner(
      train, {.criterion = criterion, .penalty = dsk::bench::subspace_penalty, .pairs = one_thread});
  const dsk::Subspace subspace = learner.learn(components);
  const dsk::Dataset projected = train.with_matrices(project(train.matrices(), subspace.projection, 1));
  const dsk::SpdBatch held_out = project(test.matrices(), subspace.projection, 1);
  ways.push_back({"W and its theta", projected.matrices(), held_out, subspace.theta, clock.seconds()});
  const double penalty = dsk::bench::relative_penalty * std::abs(subspace.fit.criterion);
  const dsk::LearnResult apart =
      fit_kernel(projected, {.criterion = criterion, .penalty = penalty, .pairs = one_thread});
  ways.push_back(
      by_kernel("W, then theta and eigenvalues", apart.kernel, projected.matrices(), held_out, clock.seconds()));

  const dsk::Projection whitening{learner.whitening()};
  const dsk::SpdBatch whitened = project(train.matrices(), whitening, 1),
                      whitened_test = project(test.matrices(), whitening, 1);
  const Matrix w = learner.whitening().inverse() * learner.start(components).w;
  for (const bool free_theta : {true, false}) {
    clock = {};
    dsk::bench::JointSearch search(whitened, w, penalty);
    Composition composition(dsk::detail::row_of(criterion), train.with_matrices(whitened), search, one_thread);
    search.apply(search.start(), composition.pairs());
    const double theta = best_valid_theta(composition, components);
    const DescentStart start{.theta = theta, .value = composition.gradient(theta, 0).value, .free_theta = free_theta};
    const Descent joint(composition, search, start, dsk::bench::subspace_penalty);
    const Eigen::VectorXd point = dsk::detail::descend(joint, 100, 1e-5, {}).first;
    const dsk::Transform found = search.at(joint.parameters(point));
    search.apply(joint.parameters(point), composition.pairs());
    ways.push_back({free_theta ? "W, theta and eigenvalues together" : "W and eigenvalues together, theta valid",
                    found.apply(whitened, 1), found.apply(whitened_test, 1),
                    free_theta ? joint.theta(point) : best_valid_theta(composition, components), clock.seconds()});
  }
}

nlohmann::json answer(const nlohmann::json& request) {
  const dsk::Dataset data = dsk::load(request.at("file").get<std::string>());
  const dsk::Criterion criterion = dsk::parse_criterion(request.at("criterion").get<std::string>());
  const auto components = request.at("components").get<Index>();
  nlohmann::json splits = nlohmann::json::array();
  for (const dsk::Split& split : make_splits(data, dsk::random_halves(request.at("splits").get<Index>()), 1)) {
    const dsk::Dataset train = data.select(split.train), test = data.select(split.test);
    std::vector<Learned> ways;
    adjust_whole(train, test, criterion, ways);
    adjust_projected(train, test, criterion, components, ways);
    nlohmann::json& rows = splits.emplace_back(nlohmann::json::array());
    for (const Learned& way : ways) rows.push_back(scores(way, train, test));
  }
  return {{"n", data.size()}, {"d", data.dim()}, {"components", components}, {"splits", splits}};
}

}  // namespace

int main() {
  return dsk::bench::answer_requests(answer);
}

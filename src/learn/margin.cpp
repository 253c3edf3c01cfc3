#include "learn/objective.hpp"

#include <dsk/engine.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "machine/parallel.hpp"

namespace dsk::detail {
namespace {

/// Gives all ranks what the weights of all terms are made of; term p comes from rank p modulo their number.
void exchange(std::vector<MarginTerm>& terms, const Team& team) {
  const auto rank = static_cast<std::size_t>(team.rank()), ranks = static_cast<std::size_t>(team.size());
  engine::Parcel mine;
  for (std::size_t p = rank; p < terms.size(); p += ranks) {
    mine.put(terms[p].value).put(terms[p].factor).put(terms[p].by_log_c);
    for (const Eigen::VectorXd& vector : terms[p].vector)
      mine.put_all(std::span<const double>(vector.data(), static_cast<std::size_t>(vector.size())));
  }
  const std::vector<std::string> parcels = team.gather(mine.bytes());
  for (std::size_t from = 0; from < ranks; ++from) {
    if (from == rank) continue;
    engine::OpenParcel parcel(parcels[from]);
    for (std::size_t p = from; p < terms.size(); p += ranks) {
      terms[p].value = parcel.take<double>();
      for (double& factor : terms[p].factor) factor = parcel.take<double>();
      terms[p].by_log_c = parcel.take<double>();
      for (Eigen::VectorXd& vector : terms[p].vector) {
        const std::vector<double> values = parcel.take_all<double>();
        vector = Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()));
      }
    }
  }
}

void add_to(std::atomic<double>& sum, double value) {
  double known = sum.load(std::memory_order_relaxed);
  while (!sum.compare_exchange_weak(known, known + value, std::memory_order_relaxed)) {
  }
}

/// Copies the values at ascending positions; of a training set sorted by class, those of a class are neighbours.
void copy_at(const double* from, const std::vector<Index>& positions, double* to) {
  if (positions.back() - positions.front() + 1 == std::ssize(positions)) {
    std::copy_n(from + positions.front(), positions.size(), to);
    return;
  }
  for (const Index at : positions) *to++ = from[at];
}

}  // namespace

/// What one class pair after another is solved in.
struct MarginObjective::PairMemory {
  std::vector<Index> members;
  std::vector<int> signs;
  Eigen::VectorXd weights;
  Matrix soft_kernel;
};

MarginObjective::MarginObjective(MarginCriterion criterion, const Classes& classes, const PairOptions& options)
    : criterion_(criterion), classes_(classes), options_(options) {
  const auto count = static_cast<int>(classes.count());
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b) class_pairs_.emplace_back(a, b);
}

std::size_t MarginObjective::position(Index first, Index second) const {
  return static_cast<std::size_t>(first * (2 * classes_.count() - first - 1) / 2 + second - first - 1);
}

MarginTerm MarginObjective::solve_pair(const Matrix& kernel, double c, std::size_t pair, PairMemory& memory) const {
  const std::vector<Index>& first = classes_.members[static_cast<std::size_t>(class_pairs_[pair].first)];
  const std::vector<Index>& second = classes_.members[static_cast<std::size_t>(class_pairs_[pair].second)];
  auto& [members, signs, weights, soft_kernel] = memory;
  members.assign(first.begin(), first.end());
  members.insert(members.end(), second.begin(), second.end());
  signs.assign(first.size(), 1);
  signs.resize(members.size(), -1);
  const auto size = static_cast<Index>(members.size());
  weights.setOnes(size);
  if (!classes_.weights.empty())
    for (Index i = 0; i < size; ++i)
      weights[i] = classes_.weights[static_cast<std::size_t>(members[static_cast<std::size_t>(i)])];
  soft_kernel.resize(size, size);
  const auto half = static_cast<Index>(first.size());
  for (Index i = 0; i < size; ++i) {
    const double* const from = &kernel(members[static_cast<std::size_t>(i)], 0);
    double* const to = &soft_kernel(i, 0);
    if (i < half) {
      copy_at(from, first, to);
      copy_at(from, second, to + half);
    } else {
      for (Index j = 0; j < half; ++j) to[j] = soft_kernel(j, i);  // symmetric, and at hand
      copy_at(from, second, to + half);
    }
  }
  soft_kernel.diagonal().array() += 1 / (c * weights.array());
  return criterion_({soft_kernel, signs, weights, c}, last_.empty() ? nullptr : &last_[pair]);
}

double MarginObjective::solve(const Matrix& kernel, double c, double limit) const {
  next_.resize(class_pairs_.size());
  // The same rank has the same pairs each time, and so their last solutions.
  const auto rank = static_cast<std::size_t>(options_.team != nullptr ? options_.team->rank() : 0);
  const auto ranks = static_cast<std::size_t>(options_.team != nullptr ? options_.team->size() : 1);
  const std::size_t mine = (next_.size() + ranks - 1 - rank) / ranks;
  const double samples = 2 * static_cast<double>(classes_.samples()) / static_cast<double>(classes_.count());
  // No term is negative. Ranks do not know the sums of others.
  constexpr double rounding = 1e-9;
  const double too_much = options_.team != nullptr ? std::numeric_limits<double>::infinity() : limit * (1 + rounding);
  std::atomic<double> sum = 0;
  together(options_.team, [&] {
    for_ranges(static_cast<Index>(mine), options_.threads, 10 * samples * samples, [&](Index begin, Index end) {
      PairMemory memory;
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
        if (sum.load(std::memory_order_relaxed) > too_much) return;
        const std::size_t p = k * ranks + rank;
        next_[p] = solve_pair(kernel, c, p, memory);
        add_to(sum, next_[p].value);
      }
    });
  });
  if (sum > too_much) return std::numeric_limits<double>::infinity();
  if (options_.team != nullptr) exchange(next_, *options_.team);
  // Where threads left off a sum that was too large makes no difference.
  last_.swap(next_);
  double value = 0;
  for (const MarginTerm& term : last_) value += term.value;
  return value;
}

Matrix MarginObjective::values(const PairSums& pairs, std::span<const double> thetas,
                               std::span<const double> cs) const {
  const Matrix divergence = pairs.divergences();
  Matrix result(static_cast<Index>(thetas.size()), static_cast<Index>(cs.size())), kernel;
  for (Index t = 0; t < result.rows(); ++t) {
    kernel = divergence;
    exponential_in_place(kernel, -thetas[static_cast<std::size_t>(t)], options_.threads);
    for (Index k = 0; k < result.cols(); ++k)
      result(t, k) = solve(kernel, cs[static_cast<std::size_t>(k)], std::numeric_limits<double>::infinity());
  }
  return result;
}

Matrix MarginObjective::values_up_to(double limit, const PairSums& pairs, std::span<const double> thetas,
                                     std::span<const double> cs) const {
  const Matrix divergence = pairs.divergences();
  Matrix result(static_cast<Index>(thetas.size()), static_cast<Index>(cs.size())), kernel;
  for (Index t = 0; t < result.rows(); ++t) {
    kernel = divergence;
    exponential_in_place(kernel, -thetas[static_cast<std::size_t>(t)], options_.threads);
    // From the middle up, then down: the best are hardly ever at the ends, and solutions for similar C are similar.
    const Index count = result.cols(), middle = count / 2;
    for (Index at = 0; at < count; ++at) {
      const Index k = at < count - middle ? middle + at : count - 1 - at;
      const double value = result(t, k) = solve(kernel, cs[static_cast<std::size_t>(k)], limit);
      if (value < limit) limit = value;
    }
  }
  return result;
}

KernelGradient MarginObjective::gradient(const PairSums& pairs, double theta, double c) const {
  Matrix kernel = pairs.divergences();
  exponential_in_place(kernel, -theta, options_.threads);
  KernelGradient gradient;
  gradient.value = solve(kernel, c, std::numeric_limits<double>::infinity());
  for (const MarginTerm& term : last_) gradient.by_log_c += term.by_log_c;
  weigh(last_, kernel);
  gradient.inverses = pairs.weighted_inverses(kernel);
  return gradient;
}

void MarginObjective::weigh(const std::vector<MarginTerm>& terms, Matrix& kernel) const {
  const auto samples = static_cast<double>(classes_.samples());
  for_ranges(classes_.count(), options_.threads, 4 * samples * samples / static_cast<double>(classes_.count()),
             [&](Index begin, Index end) {
               for (Index a = begin; a < end; ++a) weigh_class(terms, a, kernel);
             });
  kernel.diagonal().setZero();
}

/// The blocks of class `first` with itself, to which all its pairs contribute, and with all later classes.
void MarginObjective::weigh_class(const std::vector<MarginTerm>& terms, Index first, Matrix& kernel) const {
  const std::vector<Index>& members = classes_.members[static_cast<std::size_t>(first)];
  const auto size = static_cast<Index>(members.size());
  Matrix own = Matrix::Zero(size, size);
  for (Index other = 0; other < classes_.count(); ++other) {
    if (other == first) continue;
    const bool leads = first < other;
    const MarginTerm& term = terms[leads ? position(first, other) : position(other, first)];
    const std::vector<Index>& others = classes_.members[static_cast<std::size_t>(other)];
    Matrix cross = Matrix::Zero(size, static_cast<Index>(others.size()));
    for (int r = 0; r < 2; ++r) {
      const Eigen::VectorXd& vector = term.vector[r];
      const auto mine = leads ? vector.head(size) : vector.tail(size);
      const auto theirs = leads ? vector.tail(cross.cols()) : vector.head(cross.cols());
      own.noalias() += term.factor[r] * mine * mine.transpose();
      if (leads) cross.noalias() += term.factor[r] * mine * theirs.transpose();
    }
    if (!leads) continue;
    for (Index i = 0; i < size; ++i)
      for (Index j = 0; j < cross.cols(); ++j) {
        const Index row = members[static_cast<std::size_t>(i)], column = others[static_cast<std::size_t>(j)];
        kernel(row, column) *= cross(i, j);
        kernel(column, row) = kernel(row, column);
      }
  }
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j)
      kernel(members[static_cast<std::size_t>(i)], members[static_cast<std::size_t>(j)]) *= own(i, j);
}

namespace {

/// sum_i x_i^2 / w_i: of coefficients that equal matrices share, the sum of squares.
double sum_of_squares(const Eigen::VectorXd& x, const Eigen::VectorXd& weights) {
  return (x.array().square() / weights.array()).sum();
}

/// J = R^2 |w|^2, dJ/dK = |w|^2 (diag(beta) - beta beta') - R^2 (eta t)(eta t)', dJ/dC = -tr(dJ/dK) / C^2, the traces
/// over all that the weights count.
MarginTerm evaluate_radius_margin(const ClassPair& pair, const MarginTerm* similar) {
  MarginTerm term;
  term.margin = solve_margin(pair.soft_kernel, pair.signs, std::numeric_limits<double>::infinity(),
                             similar != nullptr ? &similar->margin : nullptr);
  term.ball = solve_ball(pair.soft_kernel, similar != nullptr ? &similar->ball : nullptr);
  // Weights are on the diagonal of the kernel for the centre, but the points are as far from the origin as without
  // them.
  term.ball.squared_radius += 1 + 1 / pair.c - pair.soft_kernel(0, 0);
  const double squared_norm = term.margin.squared_norm, squared_radius = term.ball.squared_radius;
  const Eigen::VectorXd& eta = term.margin.eta;
  const Eigen::VectorXd& beta = term.ball.beta;
  term.value = squared_radius * squared_norm;
  term.factor[0] = -squared_norm;
  term.vector[0] = beta;
  term.factor[1] = -squared_radius;
  term.vector[1] = eta.cwiseProduct(Eigen::Map<const Eigen::VectorXi>(pair.signs.data(), eta.size()).cast<double>());
  term.by_log_c = -(squared_norm * (beta.sum() - sum_of_squares(beta, pair.weights)) -
                    squared_radius * sum_of_squares(eta, pair.weights)) /
                  pair.c;
  return term;
}

/// J = tr S_T |w|^2 with tr S_T = tr K~ - 1'K~1/l, dJ/dK = |w|^2 (I - 11'/l) - tr S_T (eta t)(eta t)', all over the
/// matrices as often as their weights say.
MarginTerm evaluate_trace_margin(const ClassPair& pair, const MarginTerm* similar) {
  MarginTerm term;
  term.margin = solve_margin(pair.soft_kernel, pair.signs, std::numeric_limits<double>::infinity(),
                             similar != nullptr ? &similar->margin : nullptr);
  const Eigen::VectorXd& eta = term.margin.eta;
  const Eigen::VectorXd& weights = pair.weights;
  const double size = weights.sum(), squared_norm = term.margin.squared_norm;
  const double trace = weights.dot(pair.soft_kernel.diagonal()) + (size - static_cast<double>(weights.size())) / pair.c;
  const double scatter = trace - weights.dot(pair.soft_kernel * weights) / size;
  term.value = scatter * squared_norm;
  term.factor[0] = -squared_norm / size;
  term.vector[0] = weights;
  term.factor[1] = -scatter;
  term.vector[1] = eta.cwiseProduct(Eigen::Map<const Eigen::VectorXi>(pair.signs.data(), eta.size()).cast<double>());
  term.by_log_c = -(squared_norm * (size - 1) - scatter * sum_of_squares(eta, weights)) / pair.c;
  return term;
}

}  // namespace

std::unique_ptr<Objective> radius_margin(const Classes& classes, const PairOptions& options) {
  return std::make_unique<MarginObjective>(evaluate_radius_margin, classes, options);
}

std::unique_ptr<Objective> trace_margin(const Classes& classes, const PairOptions& options) {
  return std::make_unique<MarginObjective>(evaluate_trace_margin, classes, options);
}

}  // namespace dsk::detail

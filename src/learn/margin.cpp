#include "learn/objective.hpp"

#include <dsk/engine.hpp>

#include <utility>

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

}  // namespace

MarginObjective::MarginObjective(MarginCriterion criterion, const Classes& classes, const PairOptions& options)
    : criterion_(criterion), classes_(classes), options_(options) {}

std::size_t MarginObjective::position(Index first, Index second) const {
  return static_cast<std::size_t>(first * (2 * classes_.count() - first - 1) / 2 + second - first - 1);
}

MarginTerm MarginObjective::solve_pair(const Matrix& kernel, double c, int first, int second) const {
  std::vector<Index> members = classes_.members[static_cast<std::size_t>(first)];
  const std::vector<Index>& others = classes_.members[static_cast<std::size_t>(second)];
  std::vector<int> signs(members.size(), 1);
  members.insert(members.end(), others.begin(), others.end());
  signs.resize(members.size(), -1);
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(static_cast<Index>(members.size()));
  if (!classes_.weights.empty())
    for (Index i = 0; i < weights.size(); ++i)
      weights[i] = classes_.weights[static_cast<std::size_t>(members[static_cast<std::size_t>(i)])];
  Matrix soft_kernel = kernel(members, members);
  soft_kernel.diagonal().array() += 1 / (c * weights.array());
  return criterion_({soft_kernel, signs, weights, c}, last_.empty() ? nullptr : &last_[position(first, second)]);
}

std::vector<MarginTerm> MarginObjective::solve(const Matrix& kernel, double c) const {
  const Index count = classes_.count();
  std::vector<std::pair<int, int>> class_pairs;
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b) class_pairs.emplace_back(a, b);
  std::vector<MarginTerm> terms(class_pairs.size());
  // The same rank has the same pairs each time, and so their last solutions.
  const auto rank = static_cast<std::size_t>(options_.team != nullptr ? options_.team->rank() : 0);
  const auto ranks = static_cast<std::size_t>(options_.team != nullptr ? options_.team->size() : 1);
  const std::size_t mine = (terms.size() + ranks - 1 - rank) / ranks;
  const double samples = 2 * static_cast<double>(classes_.samples()) / static_cast<double>(count);
  together(options_.team, [&] {
    for_ranges(static_cast<Index>(mine), options_.threads, 10 * samples * samples, [&](Index begin, Index end) {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
        const std::size_t p = k * ranks + rank;
        terms[p] = solve_pair(kernel, c, class_pairs[p].first, class_pairs[p].second);
      }
    });
  });
  if (options_.team != nullptr) exchange(terms, *options_.team);
  return terms;
}

Matrix MarginObjective::values(const PairSums& pairs, std::span<const double> thetas,
                               std::span<const double> cs) const {
  const Matrix divergence = pairs.divergences();
  Matrix result(static_cast<Index>(thetas.size()), static_cast<Index>(cs.size()));
  for (Index t = 0; t < result.rows(); ++t) {
    Matrix kernel = divergence;
    exponential_in_place(kernel, -thetas[static_cast<std::size_t>(t)], options_.threads);
    for (Index k = 0; k < result.cols(); ++k) {
      last_ = solve(kernel, cs[static_cast<std::size_t>(k)]);
      result(t, k) = 0;
      for (const MarginTerm& term : last_) result(t, k) += term.value;
    }
  }
  return result;
}

KernelGradient MarginObjective::gradient(const PairSums& pairs, double theta, double c) const {
  Matrix kernel = pairs.divergences();
  exponential_in_place(kernel, -theta, options_.threads);
  last_ = solve(kernel, c);
  KernelGradient gradient;
  for (const MarginTerm& term : last_) {
    gradient.value += term.value;
    gradient.by_log_c += term.by_log_c;
  }
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

#include <dsk/classify.hpp>
#include <dsk/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "classify/class_scores.hpp"
#include "classify/classify.hpp"
#include "classify/pairwise_svm.hpp"
#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

double checked_theta(const Comparison& comparison, const SvmTraining& options, Index dim) {
  const double theta = options.theta ? *options.theta : comparison.learned ? comparison.learned->theta() : 1;
  check_theta(comparison.metric, theta, dim, options.allow_indefinite);
  return theta;
}

Matrix decisions(const PairwiseSvm& machine, const Matrix& kernel, int threads) {
  Matrix result(kernel.rows(), machine.offsets().size());
  constexpr Index together = 256;
  const double nanoseconds = 0.2 * static_cast<double>(together * kernel.cols() * result.cols());
  detail::for_ranges((kernel.rows() + together - 1) / together, threads, nanoseconds, [&](Index first, Index last) {
    const Index begin = first * together, count = std::min(last * together, kernel.rows()) - begin;
    result.middleRows(begin, count) = machine.decisions(kernel.middleRows(begin, count));
  });
  return result;
}

/// Computes kernel values as the machines take them, block by block, and calls visit(first row, kernel values).
template <class Visitor>
void visit_kernel(const SvmClassifier& model, const SpdBatch& x, const PairOptions& options, const Visitor& visit) {
  const auto visit_values = [&](Index first, Matrix kernel) {
    if (detail::parts_of(model).projection.size() > 0) kernel = Matrix(kernel * detail::parts_of(model).projection);
    visit(first, kernel);
  };
  if (model.combined() != nullptr)
    return detail::visit_combined_blocks(*model.combined(), x, detail::compared_parts(model), options, visit_values);
  const auto visit_squared = [&](Index first, detail::SquaredDistances squared) {
    Matrix kernel = detail::finished(std::move(squared), true, options.threads);
    exponential_in_place(kernel, -model.theta(), options.threads);
    visit_values(first, std::move(kernel));
  };
  detail::visit_row_blocks(model.comparison(), x, detail::compared(model), options, visit_squared);
}

/// Calls visit(first row, decision values) for as many rows at a time as do not take much memory.
template <class Visitor>
void visit_decisions(const SvmClassifier& model, const SpdBatch& x, const PairOptions& options, const Visitor& visit) {
  constexpr Index entries = Index{1} << 22;
  const Index together = std::max<Index>(1, entries / detail::parts_of(model).machine.offsets().size());
  visit_kernel(model, x, options, [&](Index begin, const Matrix& kernel) {
    for (Index first = 0; first < kernel.rows(); first += together) {
      const Index count = std::min(together, kernel.rows() - first);
      visit(begin + first,
            decisions(detail::parts_of(model).machine, kernel.middleRows(first, count), options.threads));
    }
  });
}

/// Calibrated probabilities of the classes that the machines were trained on.
Matrix probabilities(const SvmClassifier& model, const Matrix& decisions, int threads) {
  const std::size_t classes = detail::parts_of(model).machine.classes().size();
  Matrix result(decisions.rows(), static_cast<Index>(classes));
  const double nanoseconds = std::pow(static_cast<double>(classes), 3);
  detail::for_ranges(decisions.rows(), threads, nanoseconds, [&](Index first, Index last) {
    Eigen::RowVectorXd first_of_pair(decisions.cols());
    for (Index i = first; i < last; ++i) {
      for (Index p = 0; p < decisions.cols(); ++p)
        first_of_pair[p] = detail::parts_of(model).sigmoids[static_cast<std::size_t>(p)](decisions(i, p));
      result.row(i) = detail::couple(first_of_pair, classes);
    }
  });
  return result;
}

/// The kernel matrix of a training set, and the kernel.
struct TrainingKernel {
  Matrix values;
  bool valid = true;  ///< positive definite for every sample
  Comparison comparison;
  std::optional<CombinedKernel> combined;
};

SvmClassifier trained(TrainingKernel kernel, const Dataset& train, SvmTraining used) {
  const Labels& labels = train.labels();
  const SvmOptions svm = detail::machine_options(used, labels, train.weights());
  used.class_weights = detail::class_weights(used, labels, train.weights());
  std::optional<double> smallest_eigenvalue;
  Matrix projection;
  if (!kernel.valid) {
    detail::ClippedKernel clipped = detail::clip(kernel.values);
    smallest_eigenvalue = clipped.smallest_eigenvalue;
    kernel.values = std::move(clipped.kernel);
    projection = std::move(clipped.projection);
  }
  PairwiseSvm machine(kernel.values, labels.codes(), svm);
  std::vector<Sigmoid> sigmoids;
  if (used.probabilities) sigmoids = detail::calibrate(kernel.values, labels.codes(), svm, used.seed);
  const int threads = used.pairs.threads;
  const Dataset labelled(train.matrices(), labels);
  // Projected coefficients are not sparse: with many classes, the projection itself is smaller.
  const bool keep_projection = projection.size() > 0 && machine.offsets().size() > labels.size();
  if (projection.size() > 0 && !keep_projection) {
    machine = PairwiseSvm(machine.classes(), Matrix(projection * machine.coefficients()), machine.offsets());
    projection.resize(0, 0);
  }
  return detail::classifier_of(
      detail::SvmParts{.comparison = std::move(kernel.comparison),
                       .combined = std::move(kernel.combined),
                       .support = keep_projection ? labelled : labelled.select(machine.support()),
                       .machine = keep_projection ? machine : machine.on_support(),
                       .training = std::move(used),
                       .sigmoids = std::move(sigmoids),
                       .smallest_eigenvalue = smallest_eigenvalue,
                       .projection = std::move(projection)},
      threads);
}

/// The support matrices, prepared for every comparison.
std::vector<ComparedBatch> prepared(const detail::SvmParts& parts, int threads) {
  if (parts.combined) return detail::compared_parts(*parts.combined, parts.support.matrices(), threads);
  return {ComparedBatch(parts.comparison, parts.support.matrices(), threads)};
}

}  // namespace

namespace detail {

std::vector<double> class_weights(const SvmTraining& options, const Labels& labels,
                                  const std::vector<double>& sample_weights) {
  const std::size_t names = labels.names().size();
  if (options.balanced && !options.class_weights.empty())
    throw InvalidInput("class weights must be either balanced or given, not both");
  if (!options.balanced) {
    if (!options.class_weights.empty() && options.class_weights.size() != names)
      throw InvalidInput(fmt::format("{} class weights do not match {} classes", options.class_weights.size(), names));
    return options.class_weights;
  }
  std::vector<double> sizes(names, 0), weights(names, 1);
  for (Index i = 0; i < labels.size(); ++i)
    sizes[static_cast<std::size_t>(labels[i])] +=
        sample_weights.empty() ? 1 : sample_weights[static_cast<std::size_t>(i)];
  const auto present = static_cast<double>(distinct(labels.codes()).size());
  const double whole = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  for (std::size_t c = 0; c < names; ++c)
    if (sizes[c] > 0) weights[c] = whole / (present * sizes[c]);
  return weights;
}

SvmOptions machine_options(const SvmTraining& training, const Labels& labels,
                           const std::vector<double>& sample_weights) {
  SvmOptions options{
      .c = training.c, .margin = training.margin, .sample_weights = sample_weights, .threads = training.pairs.threads};
  const std::vector<double> weights = class_weights(training, labels, sample_weights);
  if (weights.empty()) return options;
  for (const int code : distinct(labels.codes()))
    options.class_weights.push_back(weights[static_cast<std::size_t>(code)]);
  return options;
}

}  // namespace detail

SvmClassifier::SvmClassifier(detail::SvmParts parts, int threads)
    : parts_(std::make_shared<const detail::SvmParts>(std::move(parts))),
      compared_(std::make_shared<const std::vector<ComparedBatch>>(prepared(*parts_, threads))) {
  const auto& [comparison, combined, support, machine, training, sigmoids, smallest_eigenvalue, projection] = *parts_;
  if (detail::distinct(support.labels().codes()) != machine.classes())
    throw InvalidInput("the classes of the support matrices differ from those of the machine");
  if (machine.coefficients().rows() != support.size())
    throw InvalidInput(fmt::format("coefficients of {} support matrices do not match {} matrices",
                                   machine.coefficients().rows(), support.size()));
  if (projection.size() > 0 && (projection.rows() != support.size() || projection.cols() != support.size()))
    throw InvalidInput(fmt::format("a {} x {} projection does not match {} support matrices", projection.rows(),
                                   projection.cols(), support.size()));
  if (!projection.allFinite()) throw InvalidInput("an entry of a projection is not a finite number");
  if (!combined && (!training.theta || !(*training.theta > 0 && std::isfinite(*training.theta))))
    throw InvalidInput(fmt::format("theta {} must be finite and above 0", training.theta.value_or(0)));
  if (!sigmoids.empty() && static_cast<Index>(sigmoids.size()) != machine.offsets().size())
    throw InvalidInput(
        fmt::format("{} sigmoids do not match {} pairs of classes", sigmoids.size(), machine.offsets().size()));
  for (const auto& [slope, intercept] : sigmoids)
    if (!std::isfinite(slope) || !std::isfinite(intercept))
      throw InvalidInput("a sigmoid parameter is not a finite number");
}

const Comparison& SvmClassifier::comparison() const {
  if (parts_->combined) throw InvalidInput("a combined kernel compares matrices in several ways");
  return parts_->comparison;
}
const CombinedKernel* SvmClassifier::combined() const {
  return parts_->combined ? &*parts_->combined : nullptr;
}
double SvmClassifier::theta() const {
  if (parts_->combined) throw InvalidInput("a combined kernel has several thetas");
  return *parts_->training.theta;
}
const Dataset& SvmClassifier::support() const {
  return parts_->support;
}
const Eigen::RowVectorXd& SvmClassifier::offsets() const {
  return parts_->machine.offsets();
}
Matrix SvmClassifier::coefficients() const {
  const Matrix of_machines(parts_->machine.coefficients());
  return parts_->projection.size() > 0 ? parts_->projection * of_machines : of_machines;
}
const SvmTraining& SvmClassifier::training() const {
  return parts_->training;
}
bool SvmClassifier::has_probabilities() const {
  return !parts_->sigmoids.empty();
}
std::optional<double> SvmClassifier::smallest_eigenvalue() const {
  return parts_->smallest_eigenvalue;
}

SvmClassifier train_svm(const Comparison& comparison, const Dataset& train, const SvmTraining& options) {
  detail::require_two_classes(train.labels());
  SvmTraining used = options;
  const Index dim = detail::compared_dim(comparison, train.dim());
  used.theta = checked_theta(comparison, options, dim);
  TrainingKernel training;
  training.values = pairwise_squared_distances(comparison, train.matrices(), options.pairs);
  exponential_in_place(training.values, -*used.theta, options.pairs.threads);
  training.valid = is_valid_theta(comparison.metric, *used.theta, dim);
  training.comparison = comparison;
  return trained(std::move(training), train, std::move(used));
}

SvmClassifier train_svm(const CombinedKernel& kernel, const Dataset& train, const SvmTraining& options) {
  detail::require_two_classes(train.labels());
  if (options.theta) throw InvalidInput("a combined kernel has its own thetas; give no theta for the SVM");
  const bool valid = kernel.is_valid(train.dim());
  if (!valid && !options.allow_indefinite)
    throw InvalidInput("a theta in the combined kernel is not valid for its metric; allow indefinite kernels");
  TrainingKernel training;
  training.values = kernel_matrix(kernel, train.matrices(), options.pairs);
  training.valid = valid;
  training.combined = kernel;
  return trained(std::move(training), train, options);
}

SvmClassifier train_svm(const LearnedKernel& kernel, const Dataset& train, const SvmTraining& options) {
  return train_svm(comparison_by(kernel), train, options);
}

Matrix decision_values(const SvmClassifier& model, const SpdBatch& x, const PairOptions& options) {
  Matrix result(x.size(), detail::parts_of(model).machine.offsets().size());
  visit_decisions(model, x, options, [&](Index first, const Matrix& decisions) {
    result.middleRows(first, decisions.rows()) = decisions;
  });
  return result;
}

Matrix detail::svm_scores(const SvmClassifier& model, const SpdBatch& x, const PairOptions& options) {
  Matrix scores(x.size(), static_cast<Index>(model.support().labels().names().size()));
  visit_decisions(model, x, options, [&](Index first, const Matrix& decisions) {
    scores.middleRows(first, decisions.rows()) =
        machine_scores(decisions, detail::parts_of(model).machine.classes(), scores.cols());
  });
  return scores;
}

Prediction predict(const SvmClassifier& model, const SpdBatch& x, const PairOptions& options) {
  const PairwiseSvm& machine = detail::parts_of(model).machine;
  const Labels& known = model.support().labels();
  Matrix scores = Matrix::Zero(x.size(), static_cast<Index>(known.names().size()));
  std::vector<int> codes;
  const auto add = [&](Index first, const Matrix& wins, const Matrix& of_present) {
    const std::vector<int> winners = machine.winners(wins);
    codes.insert(codes.end(), winners.begin(), winners.end());
    for (std::size_t c = 0; c < machine.classes().size(); ++c)
      scores.col(machine.classes()[c]).segment(first, wins.rows()) = of_present.col(static_cast<Index>(c));
  };
  if (model.has_probabilities())
    visit_decisions(model, x, options, [&](Index first, const Matrix& decisions) {
      add(first, machine.wins(decisions, options.threads), probabilities(model, decisions, options.threads));
    });
  else
    visit_kernel(model, x, options, [&](Index first, const Matrix& kernel) {
      const Matrix wins = machine.vote(kernel, options.threads);
      add(first, wins, wins);
    });
  return {Labels(known.names(), std::move(codes), known.integral()), std::move(scores)};
}

double accuracy(const SvmClassifier& model, const Dataset& data, const PairOptions& options) {
  const Labels& truth = data.labels();
  return accuracy(predict(model, data.matrices(), options).labels, truth);
}

}  // namespace dsk

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "classify/class_scores.hpp"
#include "classify/classify.hpp"
#include "classify/single_predictor.hpp"
#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "machine/aligned.hpp"
#include "transform/transform.hpp"

namespace dsk::detail {
namespace {

constexpr int no_answer = SinglePredictor::no_answer;

/// The kernel values of a matrix with stored ones; empty where there is no answer.
class KernelRow {
 public:
  KernelRow(const Comparison& comparison, const ComparedBatch& known, double theta)
      : query_(comparison, known), theta_(theta) {}

  std::span<double> operator()(const double* matrix) {
    const std::span<double> values = query_(matrix);
    exponential_in_place(values, -theta_);
    return values;
  }

 private:
  ComparedQuery query_;
  double theta_;
};

/// The majority among the nearest.
class Majority {
 public:
  Majority(const Labels& labels, Index neighbours)
      : codes_(labels.codes()),
        order_(codes_.size()),
        nearest_(std::min(static_cast<std::size_t>(neighbours), codes_.size())),
        counts_(labels.names().size()) {}

  int by_distance(std::span<const double> squared) {
    if (std::any_of(squared.begin(), squared.end(), [](double one) { return std::isnan(one); })) return no_answer;
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(nearest_.size());
    std::partial_sort(order_.begin(), end, order_.end(), [&](std::size_t a, std::size_t b) {
      return squared[a] != squared[b] ? squared[a] < squared[b] : a < b;
    });
    std::transform(order_.begin(), end, nearest_.begin(), [&](std::size_t i) { return codes_[i]; });
    return most_votes(nearest_, counts_);
  }

  int of(std::span<const Neighbour> nearest) {
    std::transform(nearest.begin(), nearest.end(), nearest_.begin(),
                   [&](const Neighbour& one) { return codes_[static_cast<std::size_t>(one.index)]; });
    return most_votes(nearest_, counts_);
  }

  /// The shares of the votes of the class that was found last.
  bool shares(int found, Eigen::RowVectorXd& scores) const {
    for (std::size_t c = 0; c < counts_.size(); ++c)
      scores[static_cast<Index>(c)] = counts_[c] / static_cast<double>(nearest_.size());
    return found != no_answer;
  }

 private:
  std::vector<int> codes_;
  std::vector<std::size_t> order_;
  std::vector<int> nearest_;
  std::vector<int> counts_;
};

class SingleKnn : public SinglePredictor {
 public:
  explicit SingleKnn(const KnnClassifier& model)
      : dim_(detail::prepared(model).compared.matrices() ? detail::prepared(model).compared.matrices()->dim()
                                                         : model.dim()),
        is_weighted_(!model.training_set().weights().empty()),
        majority_(model.training_set().labels(), model.neighbours()) {
    const Comparison& comparison = model.comparison();
    if (!detail::prepared(model).nearest) {
      all_.emplace(comparison, detail::prepared(model).compared);
      return;
    }
    nearest_.emplace(*detail::prepared(model).nearest, model.neighbours());
    if (comparison.learned) adjust_.emplace(comparison.learned->transform());
  }

  int predict(const double* matrix) override {
    if (is_weighted_) return no_answer;
    if (all_) {
      const std::span<const double> squared = (*all_)(matrix);
      return squared.empty() ? no_answer : majority_.by_distance(squared);
    }
    if (adjust_) matrix = (*adjust_)(matrix);
    return matrix == nullptr ? no_answer : majority_.of((*nearest_)(MatrixView(matrix, dim_, dim_)));
  }

  bool score(const double* matrix, Eigen::RowVectorXd& scores) override {
    return majority_.shares(predict(matrix), scores);
  }

 private:
  Index dim_;
  bool is_weighted_;  ///< neighbours with weights are counted by the functions for batches
  Majority majority_;
  std::optional<ComparedQuery> all_;
  std::optional<NearestQuery> nearest_;  ///< of the Stein divergence
  std::optional<MatrixTransform> adjust_;
};

class SingleNystromKnn : public SinglePredictor {
 public:
  explicit SingleNystromKnn(const NystromKnn& model)
      : model_(model),
        kernel_(model.comparison(), detail::compared(model.map()), model.map().theta()),
        distances_(row_query(model.features())),
        squared_(static_cast<std::size_t>(model.labels().size())),
        majority_(model.labels(), model.neighbours()) {}

  int predict(const double* matrix) override {
    if (!model_.weights().empty()) return no_answer;
    const std::span<double> values = kernel_(matrix);
    if (values.empty()) return no_answer;
    Eigen::Map<Eigen::VectorXd> features(values.data(), static_cast<Index>(values.size()));
    model_.map().factor().triangularView<Eigen::Lower>().solveInPlace(features);
    (*distances_)(values.data(), squared_.data());
    return majority_.by_distance(squared_);
  }

  bool score(const double* matrix, Eigen::RowVectorXd& scores) override {
    return majority_.shares(predict(matrix), scores);
  }

 private:
  const NystromKnn& model_;
  KernelRow kernel_;
  std::unique_ptr<DistanceQuery> distances_;
  std::vector<double> squared_;
  Majority majority_;
};

class SingleSvm : public SinglePredictor {
 public:
  explicit SingleSvm(const SvmClassifier& model)
      : parts_(detail::parts_of(model)),
        kernel_(model.comparison(), detail::compared(model), model.theta()),
        projected_(parts_.projection.cols()),
        decisions_(parts_.machine.offsets().size()),
        margins_(parts_.machine.classes().size()),
        memory_(parts_.machine.winner_memory()) {
    std::fill_n(memory_.data(), memory_.size(), 0.0);
  }

  int predict(const double* matrix) override {
    const std::span<const double> values = kernel_values(matrix);
    return values.empty() ? no_answer : parts_.machine.winner(values, memory_.data());
  }

  bool score(const double* matrix, Eigen::RowVectorXd& scores) override {
    const std::span<const double> values = kernel_values(matrix);
    if (values.empty()) return false;
    parts_.machine.decide(values, decisions_);
    std::fill(margins_.begin(), margins_.end(), 0.0);
    add_margins(decisions_.data(), margins_);
    scores.setConstant(no_score);
    for (std::size_t c = 0; c < margins_.size(); ++c) scores[parts_.machine.classes()[c]] = margins_[c];
    return true;
  }

 private:
  /// As the machines take them; empty where there is no answer.
  std::span<const double> kernel_values(const double* matrix) {
    const std::span<const double> values = kernel_(matrix);
    if (values.empty() || projected_.size() == 0) return values;
    projected_.noalias() = Eigen::Map<const Eigen::RowVectorXd>(values.data(), projected_.size()) * parts_.projection;
    return {projected_.data(), values.size()};
  }

  const detail::SvmParts& parts_;
  KernelRow kernel_;
  Eigen::RowVectorXd projected_;
  Eigen::RowVectorXd decisions_;  ///< of all pairs of classes
  std::vector<double> margins_;
  AlignedArray<double> memory_;
};

/// Leaves every matrix to `predict` for batches.
class ByBatch : public SinglePredictor {
 public:
  int predict(const double*) override { return no_answer; }
};

class SingleMdm : public SinglePredictor {
 public:
  explicit SingleMdm(const MdmClassifier& model)
      : labels_(model.means().labels()),
        query_(model.comparison(), detail::compared(model)),
        scores_(static_cast<Index>(labels_.names().size())) {}

  int predict(const double* matrix) override { return score(matrix, scores_) ? largest_score(scores_) : no_answer; }

  bool score(const double* matrix, Eigen::RowVectorXd& scores) override {
    const std::span<const double> squared = query_(matrix);
    scores.setConstant(no_score);
    for (std::size_t k = 0; k < squared.size(); ++k) scores[labels_[static_cast<Index>(k)]] = -squared[k];
    return !squared.empty();
  }

 private:
  const Labels& labels_;
  ComparedQuery query_;
  Eigen::RowVectorXd scores_;
};

class SingleMean : public SinglePredictor {
 public:
  explicit SingleMean(const MeanClassifier& model)
      : parts_(detail::parts_of(model)),
        kernel_(model.comparison(), detail::compared(model), model.theta()),
        sizes_(Eigen::RowVectorXd::Zero(parts_.within.size())),
        scores_(sizes_) {
    const std::vector<int>& codes = parts_.train.labels().codes();
    for (std::size_t j = 0; j < codes.size(); ++j) sizes_[codes[j]] += weight(j);
  }

  int predict(const double* matrix) override {
    if (!score(matrix, scores_)) return no_answer;
    scores_ /= parts_.scale;
    return largest_score(scores_);
  }

  bool score(const double* matrix, Eigen::RowVectorXd& scores) override {
    const std::span<const double> values = kernel_(matrix);
    const std::vector<int>& codes = parts_.train.labels().codes();
    scores.setZero();
    for (std::size_t j = 0; j < values.size(); ++j) scores[codes[j]] += weight(j) * values[j];
    for (Index c = 0; c < scores.size(); ++c)
      scores[c] = sizes_[c] > 0 ? 2 * (scores[c] / sizes_[c]) - parts_.within[c] : no_score;
    return !values.empty();
  }

 private:
  double weight(std::size_t j) const { return parts_.train.weights().empty() ? 1 : parts_.train.weights()[j]; }

  const detail::MeanParts& parts_;
  KernelRow kernel_;
  Eigen::RowVectorXd sizes_;
  Eigen::RowVectorXd scores_;
};

class SingleTangent : public SinglePredictor {
 public:
  explicit SingleTangent(const TangentClassifier& model)
      : parts_(detail::parts_of(model)),
        query_(parts_.space),
        row_(parts_.space.features()),
        outputs_(parts_.linear.offsets.size()),
        margins_(static_cast<std::size_t>(parts_.classes.size())),
        scores_(static_cast<Index>(parts_.classes.names().size())) {}

  int predict(const double* matrix) override {
    if (!parts_.pairwise) return score(matrix, scores_) ? largest_score(scores_) : no_answer;
    if (!fill_outputs(matrix)) return no_answer;
    scores_.setZero();
    Index pair = 0;
    for (Index a = 0; a < parts_.classes.size(); ++a)
      for (Index b = a + 1; b < parts_.classes.size(); ++b)
        scores_[outputs_[pair++] > 0 ? parts_.classes[a] : parts_.classes[b]] += 1;
    return largest_score(scores_);
  }

  bool score(const double* matrix, Eigen::RowVectorXd& scores) override {
    if (!fill_outputs(matrix)) return false;
    if (parts_.pairwise) {
      std::fill(margins_.begin(), margins_.end(), 0.0);
      add_margins(outputs_.data(), margins_);
    }
    const double* const of_present = parts_.pairwise ? margins_.data() : outputs_.data();
    scores.setConstant(no_score);
    for (Index c = 0; c < parts_.classes.size(); ++c) scores[parts_.classes[c]] = of_present[c];
    return true;
  }

 private:
  bool fill_outputs(const double* matrix) {
    if (!query_(MatrixView(matrix, parts_.space.dim(), parts_.space.dim()), row_)) return false;
    outputs_.noalias() = row_ * parts_.linear.weights;
    outputs_ += parts_.linear.offsets;
    return true;
  }

  const detail::TangentParts& parts_;
  TangentQuery query_;
  Eigen::RowVectorXd row_;
  Eigen::RowVectorXd outputs_;
  std::vector<double> margins_;
  Eigen::RowVectorXd scores_;
};

}  // namespace

bool SinglePredictor::score(const double*, Eigen::RowVectorXd&) {
  return false;
}

int largest_score(const Eigen::RowVectorXd& scores) {
  Index best = 0;
  scores.maxCoeff(&best);
  return static_cast<int>(best);
}

std::unique_ptr<SinglePredictor> single(const KnnClassifier& model) {
  return std::make_unique<SingleKnn>(model);
}
std::unique_ptr<SinglePredictor> single(const SvmClassifier& model) {
  if (model.combined() != nullptr) return std::make_unique<ByBatch>();
  return std::make_unique<SingleSvm>(model);
}
std::unique_ptr<SinglePredictor> single(const NystromKnn& model) {
  return std::make_unique<SingleNystromKnn>(model);
}
std::unique_ptr<SinglePredictor> single(const MdmClassifier& model) {
  return std::make_unique<SingleMdm>(model);
}
std::unique_ptr<SinglePredictor> single(const MeanClassifier& model) {
  return std::make_unique<SingleMean>(model);
}
std::unique_ptr<SinglePredictor> single(const TangentClassifier& model) {
  return std::make_unique<SingleTangent>(model);
}

}  // namespace dsk::detail

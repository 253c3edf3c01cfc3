#include <dsk/model.hpp>

#include <cmath>
#include <utility>
#include <vector>

#include "classify/classify.hpp"
#include "classify/single_predictor.hpp"
#include "kernel/kernel.hpp"
#include "spd/spd.hpp"
#include "transform/transform.hpp"

namespace dsk::detail {
namespace {

class SinglePipeline : public SinglePredictor {
 public:
  explicit SinglePipeline(const Pipeline& model)
      : sum_(static_cast<Index>(labels(model.members().front().classifier).names().size())), scores_(sum_) {
    for (const Pipeline::Member& member : model.members())
      members_.push_back({MatrixTransform(member.before),
                          std::visit([](const auto& classifier) { return single(classifier); }, member.classifier),
                          member.scale});
  }

  int predict(const double* matrix) override {
    if (members_.size() == 1) {
      const double* const moved = members_.front().before(matrix);
      return moved == nullptr ? no_answer : members_.front().classifier->predict(moved);
    }
    sum_.setZero();
    for (Member& member : members_) {
      const double* const moved = member.before(matrix);
      if (moved == nullptr || !member.classifier->score(moved, scores_)) return no_answer;
      sum_ += (scores_.array() - mean_of_finite()).matrix() / member.scale;
    }
    return largest_score(sum_);
  }

 private:
  struct Member {
    MatrixTransform before;
    std::unique_ptr<SinglePredictor> classifier;
    double scale = 1;
  };

  double mean_of_finite() const {
    double sum = 0;
    Index finite = 0;
    for (const double score : scores_)
      if (std::isfinite(score)) {
        sum += score;
        ++finite;
      }
    return finite > 0 ? sum / static_cast<double>(finite) : 0;
  }

  std::vector<Member> members_;
  Eigen::RowVectorXd sum_;
  Eigen::RowVectorXd scores_;
};

}  // namespace

std::unique_ptr<SinglePredictor> single(const Pipeline& model) {
  return std::make_unique<SinglePipeline>(model);
}

}  // namespace dsk::detail

namespace dsk {

class Predictor::Workspace {
 public:
  explicit Workspace(Model model)
      : model_(std::move(model)), matrix_(dim(model_), dim(model_)), scratch_(matrix_), inverse_(matrix_) {
    if (recentres_groups(model_))
      throw InvalidInput("a model that recentres groups predicts whole groups; use `predict` in place of a Predictor");
    single_ = std::visit([](const auto& classifier) { return detail::single(classifier); }, model_);
  }

  const Model& model() const { return model_; }

  Eigen::Map<Matrix> input(Index rows, Index columns) {
    detail::check_model_dim(rows, columns, matrix_.rows());
    return {matrix_.data(), rows, columns};
  }

  int predict() {
    const MatrixView symmetric(matrix_.data(), matrix_.rows(), matrix_.cols());
    const bool valid = detail::symmetrise({matrix_.data(), matrix_.rows(), matrix_.cols()}, symmetry_tolerance) &&
                       detail::is_positive_definite(symmetric, scratch_, inverse_);
    const int found = valid ? single_->predict(matrix_.data()) : detail::SinglePredictor::no_answer;
    return found != detail::SinglePredictor::no_answer ? found : by_batch();
  }

 private:
  /// Also for invalid matrices, so that the error message is the same.
  int by_batch() const {
    const SpdBatch one({matrix_.data(), static_cast<std::size_t>(matrix_.size())}, 1, matrix_.rows(), 1);
    return dsk::predict(model_, one, {.threads = 1}).labels[0];
  }

  const Model model_;
  Matrix matrix_;
  Matrix scratch_;
  Matrix inverse_;
  std::unique_ptr<detail::SinglePredictor> single_;
};

Predictor::Predictor(Model model) : workspace_(std::make_unique<Workspace>(std::move(model))) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

const Model& Predictor::model() const {
  return workspace_->model();
}

Eigen::Map<Matrix> Predictor::input(Index rows, Index columns) {
  return workspace_->input(rows, columns);
}

int Predictor::predict_input() {
  return workspace_->predict();
}

}  // namespace dsk

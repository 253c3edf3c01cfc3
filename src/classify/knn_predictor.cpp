#include <dsk/classify.hpp>

#include <algorithm>

#include "classify/classify.hpp"
#include "kernel/kernel.hpp"
#include "spd/spd.hpp"
#include "transform/transform.hpp"

namespace dsk {

class KnnPredictor::Workspace {
 public:
  explicit Workspace(const KnnClassifier& model)
      : model_(model),
        matrix_(model.dim(), model.dim()),
        scratch_(matrix_),
        inverse_(matrix_),
        votes_(model.training_set().labels().names().size()) {
    if (model.nearest() == nullptr) return;
    classes_.reserve(static_cast<std::size_t>(std::min(model.neighbours(), model.nearest()->size())));
    query_.emplace(*model.nearest(), model.neighbours());
    const auto& learned = model.comparison().learned;
    if (learned && !learned->adjustment().is_none()) adjuster_.emplace(learned->adjustment());
  }

  int predict(const MatrixView& matrix) {
    detail::check_model_dim(matrix.rows(), matrix.cols(), model_.dim());
    matrix_ = matrix;
    if (!query_) return by_batch();
    if (!detail::symmetrise({matrix_.data(), matrix_.rows(), matrix_.cols()}, symmetry_tolerance)) return by_batch();
    const MatrixView symmetric(matrix_.data(), matrix_.rows(), matrix_.cols());
    if (!detail::is_positive_definite(symmetric, scratch_, inverse_)) return by_batch();
    return vote((*query_)(adjuster_ ? (*adjuster_)(symmetric) : symmetric));
  }

 private:
  /// Also for matrices that a batch refuses, in its own words.
  int by_batch() const {
    const SpdBatch one({matrix_.data(), static_cast<std::size_t>(matrix_.size())}, 1, matrix_.rows());
    return dsk::predict(model_, one, {.threads = 1}).labels[0];
  }

  int vote(std::span<const Neighbour> nearest) {
    const Labels& labels = model_.training_set().labels();
    classes_.clear();
    for (const Neighbour& neighbour : nearest) classes_.push_back(labels[neighbour.index]);
    return most_votes(classes_, votes_);
  }

  const KnnClassifier& model_;
  Matrix matrix_;
  Matrix scratch_;
  Matrix inverse_;
  std::vector<int> classes_;
  std::vector<int> votes_;
  std::optional<NearestQuery> query_;
  std::optional<detail::MatrixAdjuster> adjuster_;
};

KnnPredictor::KnnPredictor(const KnnClassifier& model) : workspace_(std::make_unique<Workspace>(model)) {}
KnnPredictor::~KnnPredictor() = default;
KnnPredictor::KnnPredictor(KnnPredictor&&) noexcept = default;
KnnPredictor& KnnPredictor::operator=(KnnPredictor&&) noexcept = default;

int KnnPredictor::operator()(const MatrixView& matrix) {
  return workspace_->predict(matrix);
}

}  // namespace dsk

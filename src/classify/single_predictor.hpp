#pragma once

#include <dsk/model.hpp>

#include <memory>

namespace dsk::detail {

/// Predicts one matrix at a time without allocating memory, up to d = 128. Matrices are symmetric positive definite.
class SinglePredictor {
 public:
  virtual ~SinglePredictor() = default;
  /// The class, or no_answer for a matrix that needs the care of `predict` for batches.
  virtual int predict(const double* matrix) = 0;
  /// As class_scores; false where there is no answer.
  virtual bool score(const double* matrix, Eigen::RowVectorXd& scores);

  static constexpr int no_answer = -1;
};

/// Of a classifier that must outlive it.
std::unique_ptr<SinglePredictor> single(const KnnClassifier& model);
std::unique_ptr<SinglePredictor> single(const SvmClassifier& model);
std::unique_ptr<SinglePredictor> single(const NystromKnn& model);
std::unique_ptr<SinglePredictor> single(const MdmClassifier& model);
std::unique_ptr<SinglePredictor> single(const MeanClassifier& model);
std::unique_ptr<SinglePredictor> single(const TangentClassifier& model);
std::unique_ptr<SinglePredictor> single(const Pipeline& model);

/// The class of the largest score; ties go to the first.
int largest_score(const Eigen::RowVectorXd& scores);

}  // namespace dsk::detail

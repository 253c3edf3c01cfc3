#pragma once

#include <dsk/classify.hpp>
#include <dsk/transform.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dsk {

/// A classifier that is not made of others.
using SimpleModel =
    std::variant<KnnClassifier, SvmClassifier, NystromKnn, MdmClassifier, MeanClassifier, TangentClassifier>;

/// One or several classifiers, each with a transform before it.
class Pipeline {
 public:
  struct Member {
    Transform before;  ///< done to each matrix first
    SimpleModel classifier;
    double scale = 1;  ///< that class scores are divided by, such as their standard deviation
  };

  /// With Recentring::groups, matrices to predict are recentred by group before anything else; Recentring::all must be
  /// part of the members' transforms. Throws InvalidInput without members, unless members agree in matrix sizes and
  /// class names and scales are finite and above 0.
  explicit Pipeline(std::vector<Member> members, Recentring recentring = Recentring::none);

  const std::vector<Member>& members() const { return members_; }
  Recentring recentring() const { return recentring_; }
  Index dim() const { return dim_; }

 private:
  std::vector<Member> members_;
  Recentring recentring_;
  Index dim_;
};

/// A single member predicts as it does alone. Several members add their class scores, each centred per matrix and
/// divided by its scale: the largest sum wins, ties go to the first class, and scores are the softmax of the sums.
/// `groups` (null: all one group) are used by Recentring::groups only. Throws InvalidInput if the matrices have another
/// size.
Prediction predict(const Pipeline& model, const SpdBatch& x, const Labels* groups, const PairOptions& options);
Prediction predict(const Pipeline& model, const SpdBatch& x, const PairOptions& options = {});

/// Any trained classifier.
using Model =
    std::variant<KnnClassifier, SvmClassifier, NystromKnn, MdmClassifier, MeanClassifier, TangentClassifier, Pipeline>;

/// "knn" or "svm", for exact and approximate classifiers alike, "mdm", "mean", "logistic", "tangent-svm" or "pipeline".
std::string_view kind(const Model& model);
/// The size of the matrices that the model accepts.
Index dim(const Model& model);
/// Throws InvalidInput for tangent spaces and pipelines, which do not compare pairs of matrices.
const Comparison& comparison(const Model& model);
/// Labels with the names of all classes: of the stored matrices, of those whose features are stored, or the classes
/// that occur.
const Labels& labels(const Model& model);
/// The class names, in the order of the columns of the scores.
const std::vector<std::string>& class_names(const Model& model);
/// Whether the prediction for a matrix depends on the others that are predicted with it.
bool recentres_groups(const Model& model);

/// W of each subspace of fewer dimensions than the matrices that a model, one of its members or their learned kernels
/// compare matrices in, the largest first, each once.
std::vector<Projection> projections(const Model& model);

/// As for the classifier that the model contains.
Prediction predict(const Model& model, const SpdBatch& x, const PairOptions& options = {});
Prediction predict(const Model& model, const SpdBatch& x, const Labels* groups, const PairOptions& options);
/// The fraction of matrices whose class is predicted correctly. Throws InvalidInput if the data have no labels.
double accuracy(const Model& model, const Dataset& data, const PairOptions& options = {});

/// Predicts single matrices in the calling thread, in microseconds: for matrices of up to 128 rows, nothing is
/// allocated after construction. Matrices that are out of the ordinary, nearly singular ones or in other units than the
/// training set, take longer and may allocate. Threads need a predictor each.
class Predictor {
 public:
  /// Throws InvalidInput for a model that recentres groups: its predictions depend on all matrices of a group.
  explicit Predictor(Model model);
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  /// The index of the predicted class in `class_names(model)`: the class that `predict` predicts. Takes matrices,
  /// blocks and maps of Eigen. Throws InvalidInput if the matrix has another size or is not symmetric positive
  /// definite.
  template <class Derived>
  int operator()(const Eigen::MatrixBase<Derived>& matrix) {
    input(matrix.rows(), matrix.cols()) = matrix;
    return predict_input();
  }

  const Model& model() const;
  const std::string& class_name(int code) const { return class_names(model())[static_cast<std::size_t>(code)]; }

 private:
  class Workspace;
  Eigen::Map<Matrix> input(Index rows, Index columns);
  int predict_input();
  std::unique_ptr<Workspace> workspace_;
};

struct SavedModel {
  /// How a model was trained. Stored with the model for information; prediction does not use it. Text is UTF-8.
  struct Origin {
    /// How the features of an approximate model were computed.
    struct Approximation {
      Index landmarks = 0;
      std::string choice = {};    ///< name of the method that chose the landmarks
      double residual_share = 0;  ///< mean of 1 - |phi(X)|^2 over the training set
      Index chosen_on = 0;        ///< number of matrices used to choose the kernel and the settings
      std::uint64_t seed = 0;

      bool operator==(const Approximation&) const = default;
    };

    std::string repair = {};     ///< the repair option applied to the training matrices
    std::string criterion = {};  ///< the criterion of the learned kernel; empty if it was not learned
    Index samples = 0;           ///< size of the training set
    std::optional<Approximation> approximation = {};

    bool operator==(const Origin&) const = default;
  };

  Model model;
  Origin origin = {};
};

}  // namespace dsk

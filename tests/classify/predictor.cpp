#include <dsk/model.hpp>

#include <gtest/gtest.h>

#include <string>

#include "classify/classify.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/some_kernel.hpp"

#ifdef DSK_SANITIZED
#define DSK_COUNTS_ALLOCATIONS 0
#else
#define DSK_COUNTS_ALLOCATIONS 1
#endif

namespace {
thread_local long allocations = 0;
}

#if DSK_COUNTS_ALLOCATIONS
// Replaces the allocation functions of the C library to count calls.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  ++allocations;
  *result = __libc_memalign(alignment, size);
  return 0;
}
}
#endif

namespace dsk::test {
namespace {

struct NamedModel {
  std::string name;
  Model model;
};

/// A rotation and a change of units, then the first `columns` coordinates.
Projection some_projection(Index dim, Index columns) {
  Matrix w = Matrix::Identity(dim, columns);
  for (Index r = 0; r < dim; ++r)
    for (Index c = 0; c < columns; ++c) w(r, c) += 0.2 * std::sin(static_cast<double>(3 * r + 5 * c));
  return {w};
}

EigenvalueAdjustment some_adjustment(Index dim) {
  return some_kernel(dim).adjustment();
}

Dataset transformed(const Transform& transform, const Dataset& data) {
  return Dataset(transform.apply(data.matrices()), data.labels());
}

/// The metrics whose models predict single matrices by themselves; those of the others predict batches of one.
constexpr Metric metrics_of_singles[] = {Metric::airm,     Metric::cholesky,     Metric::euclidean,
                                         Metric::harmonic, Metric::logeuclidean, Metric::powereuclidean,
                                         Metric::stein};

/// Every kind of classifier, by each of these metrics, alone and behind transforms.
std::vector<NamedModel> all_models(const Dataset& train) {
  const Index dim = train.dim(), half = (dim + 1) / 2;
  const double valid = static_cast<double>(dim);
  std::vector<NamedModel> result;
  const LearnedKernel projecting(Transform(some_projection(dim, half)), some_adjustment(half), valid);
  for (const Metric metric : metrics_of_singles) {
    const Comparison comparison{.metric = metric};
    const auto add = [&](const std::string& kind, Model model) {
      result.push_back({kind + ", " + std::string(name(metric)), std::move(model)});
    };
    add("knn", train_knn(comparison, train, {.neighbours = 4}));
    add("svm", train_svm(comparison, train, {.theta = valid, .allow_indefinite = metric == Metric::airm}));
    add("mean", train_mean(comparison, train, {.theta = 0.5}));
    add("mdm", train_mdm(train, {.metric = metric}));
    if (metric != Metric::airm)
      add("nystrom knn",
          NystromKnn(fit_nystrom(comparison, train, {.landmarks = 20, .theta = valid}).map, train, {.neighbours = 3}));
  }
  for (const LearnedKernel& kernel : {some_kernel(dim), projecting}) {
    const std::string which = kernel.result_dim() < dim ? ", projected and adjusted" : ", adjusted";
    result.push_back({"knn" + which, train_knn(kernel, train)});
    result.push_back({"svm" + which, train_svm(kernel, train, {.theta = valid, .probabilities = true})});
    result.push_back({"mean" + which, train_mean(kernel, train)});
  }
  result.push_back({"logistic", train_logistic(train)});
  result.push_back({"tangent svm", train_tangent_svm(train)});
  const Transform recentred(Projection{TangentSpace(mean(train.matrices()).matrix).whitening()});
  const Transform projected = recentred.then(Transform(some_projection(dim, half)));
  const Transform all = projected.then(Transform(some_adjustment(half)));
  result.push_back(
      {"pipeline of one", Pipeline({{all, train_svm(Comparison{}, transformed(all, train), {.theta = valid})}})});
  result.push_back({"pipeline of three", Pipeline({{recentred, train_mdm(transformed(recentred, train)), 0.5},
                                                   {projected, train_mean(Comparison{}, transformed(projected, train))},
                                                   {Transform(), train_logistic(train), 2}})});
  const Dataset small = transformed(projected, train);
  result.push_back({"pipeline of those that vote",
                    Pipeline({{projected, train_knn(Comparison{}, small, {.neighbours = 3}), 0.3},
                              {Transform(), train_knn({.metric = Metric::airm}, train, {.neighbours = 5})},
                              {projected, train_svm(Comparison{}, small, {.theta = valid}), 0.7},
                              {Transform(), train_svm(Comparison{}, train, {.theta = 0.01, .allow_indefinite = true})},
                              {Transform(), train_tangent_svm(train), 1.5}})});
  return result;
}

TEST(Predictor, AllocatesNoMemoryWhenPredicting) {
  if (!DSK_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer replaces the allocation functions";
  for (const Index dim : {5, 16, 43}) {
    const Dataset train = made_classes({.sizes = {40, 30, 20}, .dim = dim}),
                  test = made_classes({.sizes = {4, 3}, .dim = dim, .seed = 1});
    const std::vector<Eigen::MatrixXd> columns = test.matrices().to_vector();
    for (const auto& [name, model] : all_models(train)) {
      Predictor predictor(model);
      const long before = allocations;
      for (const MatrixView matrix : test.matrices()) predictor(matrix);
      for (const Eigen::MatrixXd& matrix : columns) predictor(matrix);
      EXPECT_EQ(allocations - before, 0) << name << ", d = " << dim;
      const std::vector<double> counted(1);
      EXPECT_EQ(allocations - before, 1);
    }
  }
}

TEST(Predictor, AgreesWithPredictingABatch) {
  for (const Index dim : {1, 3, 9, 20}) {
    const Dataset train = made_classes({.sizes = {30, 25, 20}, .dim = dim}),
                  test = made_classes({.sizes = {20, 20, 20}, .dim = dim, .seed = 1});
    for (const auto& [name, model] : all_models(train)) {
      const Prediction expected = predict(model, test.matrices());
      Predictor predictor(model);
      for (Index i = 0; i < test.size(); ++i) {
        const int code = predictor(test.matrices()[i]);
        ASSERT_EQ(code, expected.labels[i]) << name << ", d = " << dim;
        ASSERT_EQ(predictor.class_name(code), expected.labels.name(i));
      }
    }
  }
}

TEST(Predictor, AgreesWithPredictingABatchByOtherMetrics) {
  const Dataset train = made_classes({.sizes = {30, 25}, .dim = 5}),
                test = made_classes({.sizes = {9, 9}, .dim = 5, .seed = 1});
  for (const Metric metric : all_metrics()) {
    std::vector<Model> models{train_knn({.metric = metric}, train, {.neighbours = 3})};
    if (has_mean(metric)) models.emplace_back(train_mdm(train, {.metric = metric}));
    for (const Model& model : models) {
      Predictor predictor(model);
      const Prediction expected = predict(model, test.matrices());
      for (Index i = 0; i < test.size(); ++i)
        ASSERT_EQ(predictor(test.matrices()[i]), expected.labels[i]) << kind(model) << ", " << name(metric);
    }
  }
}

TEST(Predictor, AgreesWithPredictingABatchOfLargeMatrices) {
  const Dataset train = made_classes({.sizes = {12, 10}, .dim = 130}),
                test = made_classes({.sizes = {2, 2}, .dim = 130, .seed = 1});
  for (const Model& model : {Model(train_knn(some_kernel(130), train)), Model(train_mdm(train)),
                             Model(train_svm(Comparison{}, train, {.theta = 130})), Model(train_logistic(train))}) {
    Predictor predictor(model);
    const Prediction expected = predict(model, test.matrices());
    for (Index i = 0; i < test.size(); ++i) ASSERT_EQ(predictor(test.matrices()[i]), expected.labels[i]) << kind(model);
  }
}

TEST(Predictor, AgreesForManyClassesAndIndefiniteKernels) {
  const auto drawn = [](std::uint64_t seed) {
    return wishart_classes({.classes = 60, .per_class = 2, .dim = 3, .degrees = 30, .tau = 0.5, .seed = seed});
  };
  const Dataset train = drawn(0), test = drawn(1);
  bool projected = false;
  // With the second theta the kernel matrix is indefinite.
  for (const double theta : {2.0, 0.05}) {
    const SvmClassifier model = train_svm(Comparison{}, train, {.theta = theta, .c = 10, .allow_indefinite = true});
    projected |= detail::parts_of(model).projection.size() > 0;
    const Prediction expected = predict(model, test.matrices());
    Predictor predictor(model);
    for (Index i = 0; i < test.size(); ++i) ASSERT_EQ(predictor(test.matrices()[i]), expected.labels[i]) << theta;
  }
  EXPECT_TRUE(projected);
}

TEST(Predictor, AgreesOutOfTheOrdinary) {
  const Dataset train = made_classes({.sizes = {20, 20}, .dim = 6});
  Matrix narrow = Matrix::Identity(6, 6);
  narrow(5, 5) = 1e-14;
  for (const NamedModel& one : all_models(train)) {
    Predictor predictor(one.model);
    // The class, or the message of the error.
    const auto by_batch = [&](const Matrix& matrix) {
      std::string name;
      const std::string error =
          message_of([&] { name = predict(one.model, SpdBatch(std::vector<Matrix>{matrix})).labels.name(0); });
      return name + error;
    };
    const auto alone = [&](const Matrix& matrix) {
      std::string name;
      const std::string error = message_of([&] { name = predictor.class_name(predictor(matrix)); });
      return name + error;
    };
    for (const double factor : {1e-200, 1e-40, 1e40, 1e200}) {
      const Matrix far = factor * train.matrices()[3];
      ASSERT_EQ(alone(far), by_batch(far)) << one.name << " times " << factor;
    }
    ASSERT_EQ(alone(narrow), by_batch(narrow)) << one.name;
  }
}

TEST(Predictor, TakesAnyEigenMatrix) {
  const Dataset train = made_classes({.sizes = {20, 20}, .dim = 3});
  Predictor predictor(train_mdm(train));
  const Eigen::Matrix3d fixed = train.matrices()[0];
  Eigen::MatrixXd large = Eigen::MatrixXd::Zero(7, 8);
  large.block(2, 3, 3, 3) = fixed;
  const int expected = predictor(train.matrices()[0]);
  EXPECT_EQ(predictor(fixed), expected);
  EXPECT_EQ(predictor(Eigen::MatrixXd(fixed)), expected);
  EXPECT_EQ(predictor(large.block(2, 3, 3, 3)), expected);
  EXPECT_EQ(predictor(Eigen::Map<const Eigen::Matrix3d>(fixed.data())), expected);
}

TEST(Predictor, OutlivesWhatItWasMadeOf) {
  const Dataset data = made_classes({.dim = 4});
  Predictor predictor = [&] {
    Predictor made(train_knn(Comparison{}, made_classes({.dim = 4}), {.neighbours = 1}));
    return made;
  }();
  EXPECT_EQ(predictor(data.matrices()[2]), data.labels()[2]);
}

TEST(Predictor, RefusesModelsThatRecentreGroups) {
  const Dataset train = made_classes({.dim = 4});
  EXPECT_NE(message_of([&] { Predictor(detail::recentring_groups(train_mdm(train))); }).find("whole groups"),
            std::string::npos);
}

TEST(Predictor, StaysUsableAfterABadMatrix) {
  const Dataset train = made_classes({.dim = 9});
  const KnnClassifier model = train_knn(Comparison{}, train, {.neighbours = 1});
  Predictor predictor(model);
  const Matrix small = Matrix::Identity(3, 3);
  EXPECT_EQ(message_of([&] { predictor(MatrixView(small.data(), 3, 3)); }),
            "the model is for 9 x 9 matrices, not for 3 x 3");
  Matrix bad = Matrix::Identity(9, 9);
  bad(2, 7) = 0.5;
  EXPECT_NE(message_of([&] { predictor(MatrixView(bad.data(), 9, 9)); }).find("symmetric"), std::string::npos);
  const auto expect_the_message_of_a_batch = [&] {
    const std::string message = message_of([&] { SpdBatch({bad.data(), 81}, 1, 9); });
    EXPECT_NE(message, "");
    EXPECT_EQ(message_of([&] { predictor(MatrixView(bad.data(), 9, 9)); }), message);
  };
  bad = -Matrix::Identity(9, 9);
  expect_the_message_of_a_batch();
  for (const Index rank : {1, 5, 8}) {
    const Matrix factor = Matrix::Random(9, rank);
    bad = factor * factor.transpose();
    expect_the_message_of_a_batch();
  }
  bad(0, 0) = std::numeric_limits<double>::quiet_NaN();
  expect_the_message_of_a_batch();
  EXPECT_EQ(predictor(train.matrices()[0]), train.labels()[0]);
}

TEST(Predictor, ComparesByTheZetaOfTheKernel) {
  const Dataset train = made_classes({.sizes = {30, 25}, .seed = 2}),
                test = made_classes({.sizes = {30, 30}, .seed = 3});
  const LearnedKernel kernel = LearnedKernel::plain(train.dim(), 1, Metric::powereuclidean, 3);
  const KnnClassifier model = train_knn(Comparison{.metric = Metric::powereuclidean, .learned = kernel}, train);
  const Prediction expected = predict(model, test.matrices());
  Predictor predictor(model);
  for (Index i = 0; i < test.size(); ++i) EXPECT_EQ(predictor(test.matrices()[i]), expected.labels[i]) << i;
}

}  // namespace
}  // namespace dsk::test

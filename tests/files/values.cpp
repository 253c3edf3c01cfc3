// Values beside data sets and classifiers: saved and read again.

#include <dsk/files.hpp>
#include <dsk/mean.hpp>

#include <gmock/gmock.h>

#include "files/scratch.hpp"
#include "support/message.hpp"
#include "support/some_kernel.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

class Values : public Scratch {};

Projection half_of(Index dim) {
  Projection projection{Matrix::Identity(dim, dim / 2)};
  projection.w(dim - 1, 0) = 1.0 / 3;
  return projection;
}

TEST_F(Values, TransformsAreRestoredExactly) {
  const Transform steps = Transform(half_of(6)).then(Transform(some_kernel(3).adjustment()));
  for (const Transform& transform : {Transform(), Transform(half_of(6)), steps}) {
    save(transform, *this / "t.dsk");
    const Transform copy = load_transform(*this / "t.dsk");
    ASSERT_EQ(copy.steps().size(), transform.steps().size());
    EXPECT_EQ(copy.parameters(), transform.parameters());
    const SpdBatch x = random_spd({.count = 3, .dim = 6});
    EXPECT_TRUE(std::ranges::equal(copy.apply(x).values(), transform.apply(x).values()));
  }
}

TEST_F(Values, KernelsNeedNoOrigin) {
  save(some_kernel(4), *this / "k.dsk");
  const SavedKernel copy = load_kernel(*this / "k.dsk");
  EXPECT_EQ(copy.kernel.theta(), some_kernel(4).theta());
  EXPECT_EQ(copy.kernel.adjustment().alpha, some_kernel(4).adjustment().alpha);
  EXPECT_EQ(copy.origin, SavedKernel::Origin{});
}

TEST_F(Values, KernelsByOtherMetricsAreRestoredExactly) {
  EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(3, Adjustment::affine);
  adjustment.alpha << 0.1, 1.0 / 3, 2;
  for (const Metric metric : {Metric::cholesky, Metric::logeuclidean, Metric::powereuclidean, Metric::stein}) {
    const LearnedKernel kernel(Transform(), adjustment, 0.7, metric, 1.0 / 3);
    save(kernel, *this / "k.dsk");
    const LearnedKernel loaded = load_kernel(*this / "k.dsk").kernel;
    EXPECT_EQ(loaded.metric(), metric);
    if (metric == Metric::powereuclidean) {
      EXPECT_EQ(loaded.zeta(), 1.0 / 3);
    }
    EXPECT_EQ(loaded.theta(), 0.7);
    EXPECT_EQ(loaded.adjustment().alpha, adjustment.alpha);
  }
}

TEST_F(Values, AnotherKindOfFileIsNamed) {
  save(Transform(), *this / "t.dsk");
  save(some_kernel(4), *this / "k.dsk");
  EXPECT_THAT(message_of([&] { load_transform(*this / "k.dsk"); }), HasSubstr("not a transform"));
  EXPECT_THAT(message_of([&] { load_kernel(*this / "t.dsk"); }), HasSubstr("not a kernel"));
  EXPECT_THAT(message_of([&] { load_model(*this / "t.dsk"); }), HasSubstr("a transform, not a classifier"));
  EXPECT_THAT(message_of([&] { save(Transform(), *this / "t.txt"); }), HasSubstr("t.txt"));
}

TEST_F(Values, MatricesAreRestoredExactly) {
  const Mean centre = mean(random_spd({.count = 5, .dim = 4, .condition = 30}));
  const Eigen::MatrixXd columns = Eigen::MatrixXd::Random(3, 5);
  for (const char* name : {"m.npy", "m.npz", "m.csv"}) {
    save(centre.matrix, *this / name);
    EXPECT_EQ(load_matrix(*this / name), centre.matrix) << name;
    save(columns, *this / name);
    EXPECT_EQ(load_matrix(*this / name), columns) << name;
  }
  save(random_spd({.count = 2, .dim = 3}), *this / "batch.npy");
  EXPECT_EQ(load(*this / "batch.npy").size(), 2);
  EXPECT_THAT(message_of([&] { load_matrix(*this / "batch.npy"); }), HasSubstr("(2, 3, 3)"));
  save(columns, *this / "m.mat");
  EXPECT_THAT(message_of([&] { load_matrix(*this / "m.mat"); }), HasSubstr(".npy, .npz and .csv"));
}

TEST_F(Values, LabelsAreRestoredExactly) {
  const Labels numbers(std::vector<int>{10, -9, 10}), words(std::vector<std::string>{"a, b", "\"7\"", "7"});
  for (const char* name : {"y.npy", "y.csv"})
    for (const Labels& given : {numbers, words}) {
      save(given, *this / name);
      const Labels copy = load_labels(*this / name);
      EXPECT_EQ(copy.names(), given.names()) << name;
      EXPECT_EQ(copy.codes(), given.codes()) << name;
      EXPECT_EQ(copy.integral(), given.integral()) << name;
    }
  EXPECT_THAT(message_of([&] { save(numbers, *this / "y.npz"); }), HasSubstr(".npy or .csv"));
}

}  // namespace
}  // namespace dsk::test

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "learn/blocks.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

/// Two classes; in the matrices at these positions, the first variable has a unit so small and the last one so large
/// that a matrix made again of its eigenvalues and eigenvectors leaves the range of double.
Dataset badly_scaled(Index per_class, const std::set<Index>& positions) {
  const Dataset data = made_classes({.sizes = {per_class, per_class}, .dim = 4, .seed = 5});
  MatrixStack stack{data.size(), data.dim(), {}};
  for (Index i = 0; i < data.size(); ++i) {
    const auto unit = [&](Index r) {
      if (positions.count(i) == 0) return 1.0;
      return r == 0 ? 1e-130 : r == 3 ? 1e130 : 1.0;
    };
    for (Index r = 0; r < data.dim(); ++r)
      for (Index k = 0; k < data.dim(); ++k) stack.values.push_back(data.matrices()[i](r, k) * unit(r) * unit(k));
  }
  return data.with_matrices(SpdBatch(std::move(stack)));
}

FitOptions block_options(double penalty) {
  FitOptions options{.criterion = Criterion::centred, .adjustment = Adjustment::affine, .penalty = penalty};
  options.batch = 60;
  return options;
}

TEST(FailingBlocks, AreNoneOfThePlainKernel) {
  const Dataset data = badly_scaled(150, {7, 100, 222});
  const double infinite = std::numeric_limits<double>::infinity();
  FitOptions options = block_options(infinite);
  const LearnResult found = fit_kernel(data, options);
  options.batch = 0;
  options.theta = found.kernel.theta();
  EXPECT_NEAR(found.fit.criterion, fit_kernel(data, options).fit.criterion, 3 * found.fit.blocks->standard_error);
  EXPECT_EQ(found.fit.blocks->failed, 0);
}

TEST(FailingBlocks, LeaveThePlainKernelWhereNothingElseCanBeLearned) {
  std::set<Index> every_tenth;
  for (Index i = 0; i < 300; i += 10) every_tenth.insert(i);
  const LearnResult found = fit_kernel(badly_scaled(150, every_tenth), block_options(0.01));
  EXPECT_TRUE(found.kernel.adjustment().is_none());
  EXPECT_TRUE(std::isfinite(found.fit.criterion));
  EXPECT_EQ(found.fit.blocks->failed, 0);
}

/// Fails where it finds marked matrices: for a pair of them, or for one.
class FailingSearch : public detail::EigenvalueSearch {
 public:
  FailingSearch(const SpdBatch& x, std::vector<double> marks)
      : EigenvalueSearch(x, 1), x_(x), marks_(std::move(marks)) {}

  using EigenvalueSearch::apply;
  void apply(const Eigen::VectorXd& parameters, PairSums& sweep) override {
    std::vector<Index> found;
    for (Index i = 0; i < x_.size(); ++i)
      if (std::find(marks_.begin(), marks_.end(), x_[i](0, 0)) != marks_.end()) found.push_back(i);
    if (found.size() > 1) throw PairFailure(found[0], found[1]);
    if (found.size() == 1) throw NumericalFailure("a marked matrix");
    EigenvalueSearch::apply(parameters, sweep);
  }

 private:
  SpdBatch x_;
  std::vector<double> marks_;
};

struct Marked {
  explicit Marked(const std::vector<Index>& positions) : data(made_classes({.sizes = {60, 60}, .dim = 3})) {
    for (const Index i : positions) marks.push_back(data.matrices()[i](0, 0));
  }
  detail::SearchMaker search() const {
    return [this](const SpdBatch& x) { return std::make_unique<FailingSearch>(x, marks); };
  }
  detail::BlockLearner learner(Index size) const {
    return detail::BlockLearner({.criterion = detail::row_of(Criterion::centred), .train = data, .size = size});
  }

  Dataset data;
  std::vector<double> marks;
};

TEST(FailingBlocks, NameMatricesOfTheTrainingSet) {
  const std::vector<double> thetas{1}, cs{0};
  const Marked pair({23, 71});
  try {
    pair.learner(pair.data.size()).values(pair.search(), thetas, cs);
    FAIL() << "no failure";
  } catch (const PairFailure& failure) {
    EXPECT_EQ(std::set({failure.row(), failure.column()}), std::set<Index>({23, 71}));
  }
  const Marked alone({23});
  EXPECT_THAT(message_of([&] { alone.learner(30).values(alone.search(), thetas, cs); }),
              HasSubstr("in a random block: a marked matrix"));
}

TEST(FailingBlocks, AreLeftOutOfTheLastEvaluation) {
  const Eigen::VectorXd start = Eigen::VectorXd::Ones(3);
  const Marked some({23}), all({});
  Fit fit;
  some.learner(30).evaluate(some.search(), start, 1, fit);
  EXPECT_EQ(fit.blocks->failed, 4) << "one block of each shuffle holds the matrix";
  EXPECT_EQ(fit.blocks->evaluated_on, 12);
  Fit whole;
  all.learner(30).evaluate(all.search(), start, 1, whole);
  EXPECT_EQ(whole.blocks->evaluated_on, 16);
  EXPECT_NEAR(fit.criterion, whole.criterion, 3 * fit.blocks->standard_error);

  std::vector<Index> everyone(120);
  for (Index i = 0; i < 120; ++i) everyone[static_cast<std::size_t>(i)] = i;
  const Marked hopeless(everyone);
  Fit nothing;
  EXPECT_THROW(hopeless.learner(30).evaluate(hopeless.search(), start, 1, nothing), NumericalFailure);
}

}  // namespace
}  // namespace dsk::test

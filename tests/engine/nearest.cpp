#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "engine/engine.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

constexpr NearestSearch every_search[] = {NearestSearch::automatic, NearestSearch::abandoning, NearestSearch::whole};

/// Classes far enough from each other that most pairs can be given up early.
SpdBatch separated(Index count, Index dim, std::uint64_t seed = 0) {
  const SpdBatch drawn =
      wishart_classes({.classes = 1, .per_class = count, .dim = dim, .degrees = 4 * dim, .seed = seed}).matrices();
  MatrixStack stack{count, dim, {}};
  for (Index i = 0; i < count; ++i) {
    const auto deviation = [&](Index r) {
      return std::exp(std::sin(1.0 + 3.0 * static_cast<double>((i % 5) * r + i % 5)));
    };
    for (Index r = 0; r < dim; ++r)
      for (Index c = 0; c < dim; ++c) stack.values.push_back(drawn[i](r, c) * deviation(r) * deviation(c));
  }
  return SpdBatch(std::move(stack));
}

void expect_same(const std::vector<Neighbour>& found, const std::vector<Neighbour>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    ASSERT_EQ(found[k].index, expected[k].index) << "entry " << k;
    ASSERT_EQ(found[k].divergence, expected[k].divergence) << "entry " << k;
  }
}

/// What is found is sorted, no pair that was left out is nearer, and every value is that of the pair.
void expect_nearest(const std::vector<Neighbour>& found, const Matrix& divergences, Index count, double rounding) {
  const Index each = std::min(count, divergences.cols());
  ASSERT_EQ(static_cast<Index>(found.size()), each * divergences.rows());
  for (Index i = 0; i < divergences.rows(); ++i) {
    Eigen::RowVectorXd left_out = divergences.row(i);
    const auto mine = std::span(found).subspan(static_cast<std::size_t>(i * each), static_cast<std::size_t>(each));
    for (std::size_t k = 0; k < mine.size(); ++k) {
      ASSERT_NEAR(mine[k].divergence, divergences(i, mine[k].index), rounding);
      ASSERT_GE(mine[k].divergence, mine[k > 0 ? k - 1 : 0].divergence);
      left_out[mine[k].index] = std::numeric_limits<double>::infinity();
    }
    ASSERT_GE(left_out.minCoeff(), mine.back().divergence - rounding);
  }
}

TEST(Nearest, AreThoseOfAllDivergences) {
  on_every_target([] {
    for (const Index dim : {1, 4, 5, 8, 9, 11, 12, 16, 18, 23, 43})
      for (const Index size : {1, 7, 8, 9, 61}) {
        const SpdBatch known = separated(size, dim), x = separated(19, dim, 1);
        const Matrix divergences = PairSweep(x, known).divergences();
        const NearestStein nearest(known);
        for (const Index count : {1, 3, 10, 1000}) {
          const auto whole = nearest.find(x, {.count = count, .search = NearestSearch::whole});
          expect_nearest(whole, divergences, count, tolerance(dim, 1e2, divergences.maxCoeff()));
          for (const NearestSearch search : every_search)
            expect_same(nearest.find(x, {.count = count, .search = search}), whole);
        }
      }
  });
}

TEST(Nearest, AreExactForLargeMatrices) {
  for (const Index dim : {100, 131}) {
    const SpdBatch known = separated(30, dim), x = separated(5, dim, 1);
    const NearestStein nearest(known);
    const auto whole = nearest.find(x, {.search = NearestSearch::whole});
    expect_nearest(whole, PairSweep(x, known).divergences(), 5, tolerance(dim, 1e3, static_cast<double>(dim)));
    expect_same(nearest.find(x, {.search = NearestSearch::abandoning}), whole);
  }
}

TEST(Nearest, AreExactForAnyCondition) {
  on_every_target([] {
    for (const double condition : {1e3, 1e6, 1e9, 1e12})
      for (const Index dim : {9, 14, 27}) {
        const SpdBatch known = random_spd({.count = 90, .dim = dim, .condition = condition});
        const SpdBatch x = random_spd({.count = 10, .dim = dim, .condition = condition, .seed = 1});
        const NearestStein nearest(known);
        expect_same(nearest.find(x, {.count = 4, .search = NearestSearch::abandoning}),
                    nearest.find(x, {.count = 4, .search = NearestSearch::whole}));
      }
  });
}

/// Leading blocks of such pairs are as far apart as the whole, up to rounding.
TEST(Nearest, AreExactWhereMatricesDifferByRounding) {
  on_every_target([] {
    for (const double condition : {10.0, 1e8}) {
      const Index dim = 21, count = 120;
      const SpdBatch one = random_spd({.count = 1, .dim = dim, .condition = condition});
      std::mt19937 random(5);
      MatrixStack stack{count, dim, {}};
      for (Index i = 0; i < count; ++i) {
        Matrix changed = one[0];
        for (int k = 0; k < 3; ++k) {
          const Index r = random() % 4;
          changed(r, r) *= 1 + 1e-15 * static_cast<double>(random() % 10);
        }
        stack.values.insert(stack.values.end(), changed.data(), changed.data() + changed.size());
      }
      const SpdBatch known(std::move(stack));
      const NearestStein nearest(known);
      for (const Index neighbours : {1, 5, 40})
        expect_same(nearest.find(known, {.count = neighbours, .search = NearestSearch::abandoning}),
                    nearest.find(known, {.count = neighbours, .search = NearestSearch::whole}));
    }
  });
}

TEST(Nearest, OfEqualMatricesTheFirstComesFirst) {
  for (const Index dim : {3, 17}) {
    const SpdBatch few = separated(6, dim);
    std::vector<Index> repeated(60);
    for (std::size_t k = 0; k < repeated.size(); ++k) repeated[k] = static_cast<Index>((k * 7) % 6);
    const SpdBatch known = few.select(repeated);
    for (const NearestSearch search : every_search) {
      const auto found = NearestStein(known).find(few, {.count = 12, .search = search});
      for (Index i = 0; i < 6; ++i)
        for (Index k = 0; k < 10; ++k) {
          const Neighbour& neighbour = found[static_cast<std::size_t>(i * 12 + k)];
          EXPECT_EQ(neighbour.divergence, 0);
          EXPECT_EQ(neighbour.index, std::find(repeated.begin(), repeated.end(), i) - repeated.begin() + 6 * k);
        }
    }
  }
}

TEST(Nearest, DoNotDependOnOrderOrThreads) {
  const SpdBatch known = separated(150, 20), x = separated(300, 20, 1);
  std::vector<Index> order(150);
  std::iota(order.begin(), order.end(), 0);
  const auto expected = NearestStein(known).find(x, {.count = 7, .threads = 1});
  std::shuffle(order.begin(), order.end(), std::mt19937(2));
  for (const int threads : {1, 2, 5})
    expect_same(NearestStein(known, order).find(x, {.count = 7, .threads = threads}), expected);
}

TEST(Nearest, OneMatrixIsLookedUpAsManyAre) {
  on_every_target([] {
    for (const Index dim : {2, 8, 13, 24})
      for (const NearestSearch search : every_search) {
        const SpdBatch known = separated(77, dim), x = separated(40, dim, 1);
        const NearestStein nearest(known);
        const auto expected = nearest.find(x, {.count = 6, .search = NearestSearch::whole});
        NearestQuery query(nearest, 6, search);
        for (Index i = 0; i < x.size(); ++i) {
          const auto found = query(x[i]);
          expect_same({found.begin(), found.end()}, {expected.begin() + 6 * i, expected.begin() + 6 * i + 6});
        }
      }
  });
}

TEST(Nearest, FarMatricesAreGivenUpEarly) {
  std::vector<Index> by_class(400);
  std::iota(by_class.begin(), by_class.end(), 0);
  std::stable_sort(by_class.begin(), by_class.end(), [](Index a, Index b) { return a % 5 < b % 5; });
  const SpdBatch x = separated(10, 32, 1);
  NearestQuery query(NearestStein(separated(400, 32), by_class), 5);
  for (Index i = 0; i < x.size(); ++i) {
    query(x[i]);
    EXPECT_LT(query.work(), 0.5);
  }
}

TEST(Nearest, AllAreLookedAtWhereGivingUpDoesNotPay) {
  const SpdBatch known = wishart_classes({.classes = 1, .per_class = 400, .dim = 16, .degrees = 20}).matrices();
  NearestQuery query(NearestStein(known), 5);
  query(known[0]);
  EXPECT_GT(query.work(), 0.8);
  for (Index i = 1; i < 16; ++i) {
    query(known[i]);
    EXPECT_EQ(query.work(), 1);
  }
}

TEST(Nearest, SurviveScalesFarFromThoseOfTheSet) {
  const SpdBatch known = separated(50, 12), x = separated(3, 12, 1);
  for (const double factor : {1e-100, 1e-20, 1e20, 1e100}) {
    const SpdBatch scaled = times(Dataset(x, Labels(std::vector<long long>{0, 1, 2})), factor).matrices();
    const NearestStein nearest(known);
    const auto whole = nearest.find(scaled, {.search = NearestSearch::whole});
    expect_nearest(whole, PairSweep(scaled, known).divergences(), 5, tolerance(12, 1e3, 1e3));
    expect_same(nearest.find(scaled, {.search = NearestSearch::abandoning}), whole);
  }
}

TEST(Nearest, RefuseBadInput) {
  const SpdBatch known = random_spd({.count = 4, .dim = 3});
  const NearestStein nearest(known);
  EXPECT_EQ(message_of([&] { nearest.find(known, {.count = 0}); }), "neighbours 0 must be 1 or more");
  EXPECT_EQ(message_of([&] { NearestQuery(nearest, -2); }), "neighbours -2 must be 1 or more");
  EXPECT_EQ(message_of([&] { nearest.find(random_spd({.dim = 4})); }),
            "matrices of size 4 cannot be compared with matrices of size 3");
  EXPECT_EQ(message_of([&] {
              NearestStein(known, std::vector<Index>{0, 1, 1, 3});
            }),
            "order is not a permutation of 0 .. 3");
  NearestQuery query(nearest, 1);
  const Matrix indefinite = Eigen::Vector3d(1, -1, 1).asDiagonal().toDenseMatrix();
  EXPECT_NE(message_of([&] { query(MatrixView(indefinite.data(), 3, 3)); }), "");
  const Matrix broken = Matrix::Constant(3, 3, std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(message_of([&] { query(MatrixView(broken.data(), 3, 3)); }), "");
  EXPECT_EQ(query(known[2])[0].index, 2);
}

}  // namespace
}  // namespace dsk::test

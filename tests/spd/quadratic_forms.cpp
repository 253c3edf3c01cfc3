#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "spd/spd.hpp"
#include "support/message.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

long double form(const MatrixView& a, const MatrixView& columns, Index z) {
  long double sum = 0;
  for (Index r = 0; r < a.rows(); ++r)
    for (Index c = 0; c < a.cols(); ++c)
      sum += static_cast<long double>(columns(r, z)) * static_cast<long double>(a(r, c)) *
             static_cast<long double>(columns(c, z));
  return sum;
}

TEST(QuadraticForms, EqualTheirDefinition) {
  on_every_target([] {
    for (const Index dim : {1, 2, 3, 7, 8, 15, 16, 17, 33, 64, 101}) {
      const SpdBatch batch = random_spd({.count = 2, .dim = dim, .condition = 1e3, .seed = 5});
      const EigenBatch eigen = eigen_decompose(batch);
      std::vector<double> scratch(static_cast<std::size_t>(detail::quadratic_forms_scratch(dim)));
      std::vector<double> forms(static_cast<std::size_t>(dim));
      detail::quadratic_forms(batch[0].data(), eigen.vectors[1].data(), dim, scratch.data(), forms.data());
      for (Index z = 0; z < dim; ++z)
        EXPECT_NEAR(forms[static_cast<std::size_t>(z)], static_cast<double>(form(batch[0], eigen.vectors[1], z)),
                    tolerance(dim, 1))
            << "size " << dim << ", column " << z;
    }
  });
}

TEST(Trust, TakesMatricesAsTheyAre) {
  const SpdBatch batch = random_spd({.count = 3, .dim = 4, .seed = 2});
  const SpdBatch trusted = detail::trust({3, 4, {batch.values().begin(), batch.values().end()}});
  EXPECT_TRUE(std::equal(trusted.values().begin(), trusted.values().end(), batch.values().begin()));
}

TEST(Trust, NamesTheMatrixThatIsNotFinite) {
  std::vector<double> values(8, 1.0);
  values[6] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message_of([&] { detail::trust({2, 2, std::move(values)}); }), "matrix 1 contains NaN or Inf");
}

}  // namespace
}  // namespace dsk::test

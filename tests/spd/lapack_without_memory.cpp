#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "machine/lapack.hpp"
#include "support/limited_memory.hpp"

namespace dsk::test {
namespace {

// OpenBLAS by itself tries for ever to allocate its buffer.
TEST(LapackDeathTest, WithoutMemoryForItsBuffersThrows) {
#ifdef DSK_SANITIZED
  GTEST_SKIP() << "sanitizers need the address space";
#endif
  if (detail::lapack::crossover().function == 0) GTEST_SKIP() << "built without LAPACK";
  constexpr detail::lapack::Size dim = 300;
  const auto decompose = [] {
    std::vector<double> matrix(dim * dim), values(dim);
    for (std::size_t k = 0; k < dim; ++k) matrix[k * (dim + 1)] = static_cast<double>(k + 1);
    ::alarm(60);
    limit_memory(std::size_t{64} << 20);
    try {
      detail::lapack::decompose(matrix.data(), dim, values.data());
    } catch (const std::bad_alloc&) {
      std::_Exit(3);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(decompose(), ::testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace dsk::test

#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

constexpr PairOptions on_cuda{.device = Device::cuda};

TEST(Device, NamesAreRead) {
  EXPECT_EQ(parse_device("cpu"), Device::cpu);
  EXPECT_EQ(message_of([] { parse_device("abacus"); }), "device 'abacus' is unknown; use cpu or cuda");
  EXPECT_FALSE(cuda_status().text.empty());
}

TEST(Device, WithoutOneEveryComputationSaysSoInOneLine) {
  if (cuda_status().usable) GTEST_SKIP() << "there is a device";
  const SpdBatch x = random_spd({.count = 4, .dim = 3, .condition = 10});
  const auto says_so = [](const std::string& message) {
    return message.starts_with("device cuda: ") && message.ends_with("; use cpu") && message.find('\n') == message.npos;
  };
  EXPECT_PRED1(says_so, message_of([] { parse_device("cuda"); }));
  EXPECT_PRED1(says_so, message_of([&] { PairSweep(x, on_cuda).divergences(); }));
  EXPECT_PRED1(says_so, message_of([&] { PairSums(x, on_cuda).weighted_inverses(Matrix(Matrix::Zero(4, 4))); }));
  EXPECT_PRED1(says_so, message_of([&] { pairwise_squared_distances(Matrix::Ones(3, 2), on_cuda); }));
  EXPECT_PRED1(says_so, message_of([&] { PairSums(Matrix(Matrix::Ones(3, 2)), on_cuda); }));
  const std::string missing = "this dsk was built without CUDA";
  EXPECT_EQ(message_of([] { parse_device("cuda"); }).find(missing) != std::string::npos, !cuda_status().built_in);
}

TEST(Device, MetricsByEigenvaluesOfPairsAreNotThere) {
  const SpdBatch x = random_spd({.count = 4, .dim = 3, .condition = 10});
  EXPECT_EQ(message_of([&] { pairwise_squared_airm(x, on_cuda); }),
            "device cuda cannot be used for affine invariant distances; use cpu");
}

}  // namespace
}  // namespace dsk::test

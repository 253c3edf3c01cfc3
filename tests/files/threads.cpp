#include <dsk/files.hpp>

#include <gtest/gtest.h>

#include "files/scratch.hpp"
#include "support/threads_started.hpp"

namespace dsk {
namespace {

using ThreadsDeathTest = test::Scratch;

TEST_F(ThreadsDeathTest, ADataSetIsLoadedOnTheNumberOfThreadsAskedFor) {
  // The check runs in a process of its own, which makes its own file.
  const auto load_with = [&](int threads, const Repair& repair) {
    const auto path = *this / "x.npy";
    save(Dataset(random_spd({.count = 5000, .dim = 10})), path);
    load(path, {.repair = repair, .threads = threads});
  };
  for (const int threads : {1, 2}) {
    test::expect_threads_started(threads - 1, [&] { load_with(threads, {}); });
    test::expect_threads_started(threads - 1, [&] { load_with(threads, {Repair::Kind::ridge, 0.1}); });
  }
  test::expect_threads_started(2, [&] { load_with(0, {}); });
}

TEST_F(ThreadsDeathTest, AModelIsLoadedOnTheNumberOfThreadsAskedFor) {
  const auto load_with = [&](int threads) {
    const SpdBatch x = random_spd({.count = 5000, .dim = 10});
    std::vector<long long> labels(5000);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<long long>(i % 2);
    const auto path = *this / "model.dsk";
    save(Model(KnnClassifier({.metric = Metric::euclidean}, Dataset(x, Labels(labels)), {.threads = 1})), path);
    load_model(path, threads);
  };
  test::expect_threads_started(0, [&] { load_with(1); });
  test::expect_threads_started(2, [&] { load_with(0); });
}

}  // namespace
}  // namespace dsk

#include <gtest/gtest.h>

#include <cli/program.hpp>
#include <cstdlib>
#include <regex>
#include <set>

namespace dsk::test {
namespace {

/// Runs the program where OpenMP uses three threads unless told otherwise and names every thread that takes part in a
/// parallel region.
class Threads : public Program {
 protected:
  Threads() {
    std::vector<long long> labels;
    for (long long i = 0; i < 1000; ++i) labels.push_back(i % 2);
    save(Dataset(random_spd({.count = 1000, .dim = 12}), Labels(labels)), *this / "large.npz");
  }

  std::size_t threads_used(const std::string& arguments) const {
    ::setenv("OMP_NUM_THREADS", "3", 1);
    ::setenv("OMP_DISPLAY_AFFINITY", "TRUE", 1);
    ::setenv("OMP_AFFINITY_FORMAT", "OpenMP thread %n.", 1);
    const Outcome outcome = run(arguments);
    for (const char* const name : {"OMP_NUM_THREADS", "OMP_DISPLAY_AFFINITY", "OMP_AFFINITY_FORMAT"}) ::unsetenv(name);
    EXPECT_EQ(outcome.status, 0) << arguments << '\n' << outcome.err;
    const std::regex line("OpenMP thread [0-9]+\\.");
    std::set<std::string> threads;
    const std::string said = outcome.out + outcome.err;  // GCC's run time writes to stderr, LLVM's to stdout
    for (std::sregex_iterator found(said.begin(), said.end(), line), end; found != end; ++found)
      threads.insert(found->str());
    return threads.size();
  }
};

TEST_F(Threads, OneThreadIsUsedWhereOneIsAskedFor) {
  const std::string distance = "distance large.npz -o D.npy --metric euclidean";
  for (const std::string repair : {"", " --repair ridge:0.1"})
    EXPECT_LE(threads_used(distance + repair + " --threads 1"), 1u) << repair;
  EXPECT_LE(threads_used("train large.npz -o model.dsk --metric euclidean --classifier knn --threads 1"), 1u);
  EXPECT_LE(threads_used("predict model.dsk large.npz -o P.csv --threads 1"), 1u);
}

TEST_F(Threads, AllAreUsedUnlessANumberIsGiven) {
  EXPECT_EQ(threads_used("distance large.npz -o D.npy --metric euclidean"), 3u);
}

}  // namespace
}  // namespace dsk::test

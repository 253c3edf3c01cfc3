#include <chrono>
#include <csignal>
#include <mpi/ranks.hpp>
#include <optional>
#include <thread>

namespace dsk::test {
namespace {

/// Ranks that are started here and now, to be killed.
class FailingRanks : public Ranks {
 protected:
  /// The process that is rank `rank` of a job in this test's folder, once it has computed for a while.
  ::pid_t busy_rank(int rank) const {
    constexpr long ticks = 50;
    for (int tries = 0; tries < 6000; ++tries) {
      for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); })) continue;
        std::error_code gone;
        if (std::filesystem::read_symlink(entry.path() / "cwd", gone) != folder() || gone) continue;
        if (read(entry.path() / "environ").find("OMPI_COMM_WORLD_RANK=" + std::to_string(rank) + '\0') ==
            std::string::npos)
          continue;
        if (ticks_of(entry.path()) > ticks) return std::stoi(name);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return 0;
  }

 private:
  static std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  /// User time so far.
  static long ticks_of(const std::filesystem::path& process) {
    const std::string all = read(process / "stat");
    std::istringstream rest(all.substr(std::min(all.size(), all.rfind(')') + 1)));
    std::string field;
    for (int k = 0; k < 11 && rest >> field; ++k) continue;
    long ticks = 0;
    rest >> ticks;
    return ticks;
  }
};

TEST_F(FailingRanks, OneThatIsKilledEndsTheJob) {
  save(wishart_classes({.classes = 5, .per_class = 1500, .dim = 12, .degrees = 30}), *this / "large.npz");
  for (const int victim : {1, 0}) {
    std::optional<Outcome> outcome;
    std::thread job([&] {
      outcome = run_ranks("learn large.npz --criterion neighbour --tolerance 0 --max-iterations 100000 -o k.dsk");
    });
    const ::pid_t process = busy_rank(victim);
    EXPECT_GT(process, 0);
    if (process > 0) ::kill(process, SIGKILL);
    job.join();
    EXPECT_NE(outcome->status, 0);
    EXPECT_EQ(outcome->out, "");
    EXPECT_EQ(outcome->err,
              "dsk: the job was stopped, because a rank died or on request; no output file is incomplete\n")
        << get("err");
    EXPECT_FALSE(std::filesystem::exists(*this / "k.dsk"));
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
      EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
}

TEST_F(FailingRanks, BadUsageAndInputIsReportedOnce) {
  put("broken.npz", "no zip");
  std::filesystem::create_symlink("/dev/full", *this / "full.npy");
  for (const auto& [arguments, part] : std::vector<std::pair<std::string, std::string>>{
           {"lern t.npz", "unknown command 'lern'"},
           {"learn t.npz", "--output is required"},
           {"learn t.npz --criterion none -o k.dsk", "unknown criterion"},
           {"learn missing.npz -o k.dsk", "missing.npz"},
           {"distance broken.npz -o D.npy", "broken.npz"},
           {"distance t.npz -o nowhere/D.npy", "there is no folder nowhere"},
           {"distance t.npz -o full.npy", "full.npy: cannot be written"},
           {"describe texture pictures -o X.npz", "describe runs in one process"},
           {"demo", "demo runs in one process"}}) {
    const Outcome outcome = run_ranks(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << '\n' << get("err");
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << get("err");
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  }
}

TEST_F(FailingRanks, OneThatFailsAloneEndsTheJob) {
  const std::string program = " '" DSK_PROGRAM "' learn t.npz -o k.dsk";
  const Outcome outcome = run_under("-n 2" + program + " : -n 1" + program + " --criterion none");
  EXPECT_EQ(outcome.status, 2) << get("err");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << get("err");
  EXPECT_TRUE(outcome.err.starts_with("dsk: rank 2: --criterion: unknown criterion")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(*this / "k.dsk"));
}

TEST_F(FailingRanks, HelpIsPrintedOnce) {
  const std::string help = output_of("learn --help");
  EXPECT_NE(help.find("Example:"), std::string::npos);
  EXPECT_EQ(help.find("Example:"), help.rfind("Example:"));
}

}  // namespace
}  // namespace dsk::test

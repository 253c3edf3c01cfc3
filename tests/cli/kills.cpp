#include <dsk/files.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cli/program.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

namespace dsk::test {
namespace {

using std::chrono::microseconds;

/// As Program, with classes that overlap in t.npz.
class Kills : public Program {
 protected:
  Kills() { save(wishart_classes({.per_class = 30, .dim = 3, .degrees = 10, .tau = 0.8}), *this / "t.npz"); }

  /// Starts the program, whose stderr goes to the file err.
  ::pid_t launch(std::vector<std::string> arguments) const {
    std::vector<char*> words{const_cast<char*>("dsk")};
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    const ::pid_t child = ::fork();
    if (child == 0) {
      // Whoever started the tests may ignore some of them.
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
      const int nowhere = ::open("/dev/null", O_RDWR);
      for (const int stream : {0, 1}) ::dup2(nowhere, stream);
      if (::chdir(folder().c_str()) != 0) ::_exit(1);
      ::dup2(::open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
      ::execv(DSK_PROGRAM, words.data());
      ::_exit(1);
    }
    return child;
  }

  /// Starts the program and kills it after the given time, unless it has ended.
  void kill_after(microseconds time, const std::vector<std::string>& arguments) const {
    const ::pid_t child = launch(arguments);
    std::this_thread::sleep_for(time);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }

  /// Starts the program, waits until the condition holds, sends the signal and returns the status of waitpid.
  template <class Condition>
  int stop_when(const Condition& condition, int signal, const std::vector<std::string>& arguments) const {
    const ::pid_t child = launch(arguments);
    while (!condition() && ::waitpid(child, nullptr, WNOHANG) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::kill(child, signal);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
  }

  std::size_t results() const {
    const std::string text = get("r.json");
    return text.empty() ? 0 : nlohmann::json::parse(text)["splits"].size();
  }

  std::vector<std::string> endless_evaluation() const {
    return {"evaluate", "t.npz", "--methods", "SK:knn", "--protocol", "halves:100000",
            "--folds",  "3",     "--threads", "1",      "--json",     "r.json"};
  }

  microseconds time_of(const std::string& arguments) const {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(run(arguments).status, 0);
    return std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - start);
  }

  static constexpr int kills = 50;
  std::mt19937 random{7};
};

TEST_F(Kills, LeaveTheOldModelTheNewOneOrNone) {
  const std::string flags = "train t.npz --criterion centred --adjust affine --folds 3 --threads 1 -o ";
  const auto longest = time_of(flags + "new.dsk");
  ASSERT_EQ(run("train t.npz --metric airm -o old.dsk").status, 0);
  const std::vector<std::string> words{"train",   "t.npz", "--criterion", "centred", "--adjust", "affine",
                                       "--folds", "3",     "--threads",   "1",       "-o",       "m.dsk"};
  const std::string older = get("old.dsk"), newer = get("new.dsk");
  ASSERT_NE(older, newer);
  for (int number = 0; number < kills; ++number) {
    const bool replaces = number % 2 == 0;
    std::filesystem::remove(*this / "m.dsk");
    if (replaces) put("m.dsk", older);
    kill_after(longest * static_cast<int>(random() % 1000) / 900, words);
    const std::string left = get("m.dsk");
    EXPECT_TRUE(left == newer || left == (replaces ? older : ""))
        << "kill " << number << ", " << left.size() << " bytes";
    if (!left.empty()) load_model(*this / "m.dsk");
  }
}

TEST_F(Kills, EvaluationsGoOnToTheSameNumbers) {
  const std::string flags = "evaluate t.npz --methods SK:knn,DSK-CA-a:knn --protocol halves:60 --folds 3 --threads 1 ";
  const std::vector<std::string> words{"evaluate",   "t.npz",     "--methods", "SK:knn,DSK-CA-a:knn",
                                       "--protocol", "halves:60", "--folds",   "3",
                                       "--threads",  "1",         "--json",    "r.json"};
  const auto longest = time_of(flags + "--json whole.json");
  const auto kept = [&] {
    const std::string text = get("r.json");
    if (text.empty()) return std::size_t{0};
    EXPECT_TRUE(nlohmann::json::accept(text));
    return nlohmann::json::parse(text)["splits"].size();
  };
  std::size_t most = 0;
  for (int number = 0; number < kills; ++number) {
    kill_after(longest * static_cast<int>(random() % 1000) / 3000, words);
    EXPECT_GE(kept(), most) << "kill " << number;
    most = kept();
  }
  const Outcome outcome = run(flags + "--json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GT(most, 0u);
  const auto numbers = [&](const std::string& file) {
    nlohmann::json json = nlohmann::json::parse(get(file));
    for (const std::string part : {"splits", "methods"})
      for (auto& one : json[part]) one.erase("seconds");
    return json;
  };
  EXPECT_EQ(numbers("r.json"), numbers("whole.json"));
}

TEST_F(Kills, InterruptedEvaluationsEndByTheSignalAndAreSaved) {
  std::size_t before = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = stop_when([&] { return results() > before + 2; }, signal, endless_evaluation());
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_GT(results(), before + 2);
    before = results();
    EXPECT_FALSE(std::filesystem::exists(*this / "r.json.lock"));
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
      EXPECT_FALSE(entry.path().filename().string().starts_with(".dsk-")) << entry.path();
  }
}

TEST_F(Kills, ASecondEvaluationOfOneFileIsRefused) {
  bool tried = false;
  const auto started = [&] {
    if (results() == 0) return false;
    const std::string arguments =
        "evaluate t.npz --methods SK:knn --protocol halves:100000 --folds 3 --threads 1 --json r.json";
    EXPECT_SAYS(refusal(arguments), "r.json: is in use by another run");
    return tried = true;
  };
  stop_when(started, SIGKILL, endless_evaluation());
  EXPECT_TRUE(tried);
  const std::size_t before = results();
  EXPECT_TRUE(std::filesystem::exists(*this / "r.json.lock")) << "left by the process that was killed";
  stop_when([&] { return results() > before; }, SIGTERM, endless_evaluation());
  EXPECT_GT(results(), before);
}

TEST_F(Kills, LongJobsReportProgressOutsideATerminalUnlessQuiet) {
  ::setenv("DSK_PROGRESS_SECONDS", "1", 1);
  const auto said = [&] { return get("err").find(" left\n") != std::string::npos; };
  stop_when(said, SIGTERM, endless_evaluation());
  EXPECT_TRUE(said()) << get("err");
  EXPECT_SAYS(get("err"), "dsk: evaluating: ");
  EXPECT_SAYS(get("err"), " of 100000 (split and method) ... ");
  std::vector<std::string> quiet = endless_evaluation();
  quiet.emplace_back("--quiet");
  const auto start = std::chrono::steady_clock::now();
  stop_when([&] { return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(2500); }, SIGTERM, quiet);
  ::unsetenv("DSK_PROGRESS_SECONDS");
  EXPECT_EQ(get("err"), "");
}

}  // namespace
}  // namespace dsk::test

#include <dsk/files.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cli/program.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <random>
#include <thread>

namespace dsk::test {
namespace {

using std::chrono::microseconds;

/// As Program, with classes that overlap in t.npz.
class Kills : public Program {
 protected:
  Kills() { save(wishart_classes({.per_class = 30, .dim = 3, .degrees = 10, .tau = 0.8}), *this / "t.npz"); }

  /// Starts the program and kills it after the given time, unless it has ended.
  void kill_after(microseconds time, std::vector<std::string> arguments) const {
    std::vector<char*> words{const_cast<char*>("dsk")};
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    const ::pid_t child = ::fork();
    if (child == 0) {
      const int nowhere = ::open("/dev/null", O_RDWR);
      for (const int stream : {0, 1, 2}) ::dup2(nowhere, stream);
      if (::chdir(folder().c_str()) != 0) ::_exit(1);
      ::execv(DSK_PROGRAM, words.data());
      ::_exit(1);
    }
    std::this_thread::sleep_for(time);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
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

}  // namespace
}  // namespace dsk::test

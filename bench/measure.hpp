#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

/// A benchmark program answers requests, one JSON object per line on standard input, with one line each on standard
/// output, so that a driver can measure several programs in turn.
namespace dsk::bench {

/// What one run of the measured thing produced, reduced to a number by which contenders are compared.
struct Timing {
  double seconds = std::numeric_limits<double>::infinity();  ///< shortest of all repetitions
  int repetitions = 0;
  double checksum = 0;
  double worst = 0;  ///< longest of all repetitions, where that was asked for
};

/// Seconds by the clock, or, if DSK_BENCH_CPU_TIME is set, of the processor, which depend less on what else runs.
inline double seconds_now() {
  static const bool of_processor = std::getenv("DSK_BENCH_CPU_TIME") != nullptr;
  if (of_processor) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Repeats `work`, at least once, until `budget` seconds are spent.
inline Timing measure(const std::function<double()>& work, double budget) {
  Timing timing;
  double spent = 0;
  while (spent < budget || timing.repetitions == 0) {
    const double start = seconds_now();
    timing.checksum = work();
    const double seconds = seconds_now() - start;
    timing.seconds = std::min(timing.seconds, seconds);
    spent += seconds;
    ++timing.repetitions;
  }
  return timing;
}

/// Times every one of `calls` calls of work(i): the median takes the place of the shortest time.
inline Timing measure_calls(const std::function<double(int)>& work, int calls) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds(static_cast<std::size_t>(calls));
  Timing timing;
  timing.repetitions = calls;
  for (int i = 0; i < calls; ++i) {
    const auto start = Clock::now();
    timing.checksum += work(i);
    seconds[static_cast<std::size_t>(i)] = std::chrono::duration<double>(Clock::now() - start).count();
  }
  timing.worst = *std::max_element(seconds.begin(), seconds.end());
  const auto middle = seconds.begin() + calls / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  timing.seconds = *middle;
  return timing;
}

/// The last `count` doubles of a file: the data of a .npy file of float64, whatever its header.
inline std::vector<double> read_tail(const std::string& path, std::size_t count) {
  std::vector<double> values(count);
  const auto bytes = static_cast<std::streamsize>(count * sizeof(double));
  std::ifstream file(path, std::ios::binary);
  file.seekg(-bytes, std::ios::end);
  file.read(reinterpret_cast<char*>(values.data()), bytes);
  if (!file) throw std::runtime_error(path + ": cannot read " + std::to_string(bytes) + " bytes");
  return values;
}

/// Answers requests until the input ends.
inline int answer_requests(const std::function<nlohmann::json(const nlohmann::json& request)>& answer) {
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      std::cout << answer(nlohmann::json::parse(line)) << std::endl;
    } catch (const std::exception& error) {
      std::cout << nlohmann::json{{"error", error.what()}} << std::endl;
    }
  }
  return 0;
}

/// The same for answers that are times.
inline int serve(const std::function<Timing(const nlohmann::json& request)>& answer) {
  return answer_requests([&](const nlohmann::json& request) -> nlohmann::json {
    const Timing timing = answer(request);
    return {{"seconds", timing.seconds},
            {"repetitions", timing.repetitions},
            {"checksum", timing.checksum},
            {"worst", timing.worst}};
  });
}

}  // namespace dsk::bench

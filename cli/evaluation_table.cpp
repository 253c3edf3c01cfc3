#include "evaluation_table.hpp"

#include <fmt/core.h>

#include <array>
#include <ctime>

#include "command.hpp"

namespace dsk::cli {
namespace {

std::string accuracy_text(const MethodResult& result) {
  const std::string deviation =
      result.accuracies.size() > 1 ? fmt::format("{:.2f}", 100 * result.accuracy.deviation) : "-";
  return fmt::format("{:>7.2f} +- {:<5}", 100 * result.accuracy.mean, deviation);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", localtime_r(&now, &parts));
  return text.data();
}

}  // namespace

void print_table(const Evaluation& evaluation) {
  fmt::print("{:<14} {:>16} {:>9} {:>26} {:>9} {:>9} {:>9} {:>9} {:>8}\n", "method", "accuracy, %", "balanced",
             "difference from baseline", "p", "p (Holm)", "p (t)", "p (W)", "seconds");
  for (const MethodResult& result : evaluation.methods) {
    fmt::print("{:<14} {:>16} {:>9.2f}", result.method.full_name(), accuracy_text(result),
               100 * result.balanced_accuracy.mean);
    if (const auto& against = result.against)
      fmt::print(
          " {:>26} {:>9.3g} {:>9.3g} {:>9.3g} {:>9.3g}",
          fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", 100 * against->difference, 100 * against->low, 100 * against->high),
          against->p, against->holm_p, against->student_p, against->wilcoxon_p);
    else
      fmt::print(" {:>26} {:>9} {:>9} {:>9} {:>9}", "", "", "", "", "");
    fmt::print(" {:>8.1f}\n", result.seconds);
  }
  fmt::print("\n{}\n\n{}: {}\n", answer(evaluation), protocol_in_words(evaluation), tests_in_words(evaluation));
}

ReportSource source_of(const std::string& data_file) {
  return {.data = data_file, .command = command_line(), .date = today()};
}

}  // namespace dsk::cli

#include <dsk/report.hpp>

#include <fmt/core.h>

#include "evaluation_table.hpp"

namespace dsk::cli {

void print_table(const Evaluation& evaluation) {
  fmt::print("{:<14} {:>15} {:>10} {:>24} {:>10} {:>10} {:>9}\n", "method", "accuracy, %", "balanced",
             "difference from baseline", "p Student", "p Wilcoxon", "seconds");
  for (const MethodResult& result : evaluation.methods) {
    fmt::print("{:<14} {:>7.2f} +- {:<4.2f} {:>10.2f}", result.method.full_name(), 100 * result.accuracy.mean,
               100 * result.accuracy.deviation, 100 * result.balanced_accuracy.mean);
    if (result.against)
      fmt::print(" {:>+8.2f} [{:+.2f}, {:+.2f}] {:>10.3g} {:>10.3g}", 100 * result.against->difference,
                 100 * result.against->low, 100 * result.against->high, result.against->student_p,
                 result.against->wilcoxon_p);
    else
      fmt::print(" {:>24} {:>10} {:>10}", "", "", "");
    fmt::print(" {:>9.1f}\n", result.seconds);
  }
  fmt::print("\n{}\n", answer(evaluation));
}

}  // namespace dsk::cli

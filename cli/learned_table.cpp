#include "learned_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace dsk::cli {
namespace {

/// A bar in eighths of a character.
std::string bar(double share, int width) {
  static constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(share * width * 8));
  std::string text;
  for (int k = 0; k < eighths / 8; ++k) text += "█";
  return text + parts[eighths % 8];
}

/// Alpha of every eigenvalue, as a table with bars.
std::string alpha_bars(const EigenvalueAdjustment& adjustment) {
  constexpr int width = 40;
  const bool affine = adjustment.kind == Adjustment::affine;
  const double largest = std::max(1.0, adjustment.alpha.cwiseAbs().maxCoeff());
  std::string text =
      fmt::format("eigenvalue {:>9} {:>9}   1 is {}\n", "alpha", affine ? "beta" : "", bar(1 / largest, width));
  for (Index z = 0; z < adjustment.dim(); ++z) {
    const double alpha = adjustment.alpha[z];
    text += fmt::format("{:>10} {:>9.4f} {:>9}   {}{}\n", z + 1, alpha,
                        affine ? fmt::format("{:.4f}", adjustment.beta[z]) : "", alpha < 0 ? "-" : "",
                        bar(std::abs(alpha) / largest, width));
  }
  return text;
}

void print_batch(const nlohmann::ordered_json& batch, double value) {
  fmt::print("batch      learned from {} random blocks of {} matrices\n", batch["learned_on"].dump(),
             batch["size"].dump());
  fmt::print("criterion  {:.6g} +- {} (standard error), estimate for all pairs from {} further blocks\n", value,
             batch["standard_error"].is_string() ? batch["standard_error"].get<std::string>()
                                                 : fmt::format("{:.2g}", batch["standard_error"].get<double>()),
             batch["evaluated_on"].dump());
}

void print_components(const nlohmann::ordered_json& scores, const nlohmann::ordered_json& known) {
  const nlohmann::ordered_json& chosen = known[known.contains("components") ? "components" : "d"];
  fmt::print("components by cross-validation, % correct\n");
  for (const auto& score : scores)
    fmt::print("{:>16}  {:5.1f}{}\n", score["components"].dump(), 100 * score["accuracy"].get<double>(),
               score["components"] == chosen ? "  < chosen" : "");
  fmt::print("\n");
}

void print_scores(const nlohmann::ordered_json& validation, const nlohmann::ordered_json& chosen, bool by_blocks) {
  fmt::print("penalty    by {}-fold cross-validation{} with {}, % correct\n", validation["folds"].dump(),
             by_blocks ? fmt::format(" on {} matrices", validation["matrices"].dump()) : "",
             validation["classifier"].get<std::string>());
  double highest = 0, without = 0;
  for (const auto& score : validation["scores"]) {
    const auto& penalty = score["penalty"];
    double& compared = penalty.is_string() ? without : highest;
    compared = std::max(compared, score["accuracy"].get<double>());
    fmt::print("{:>16}  {:5.1f}{}\n",
               penalty.is_string() ? "no adjustment" : fmt::format("{:.3g}", penalty.get<double>()),
               100 * score["accuracy"].get<double>(), penalty == chosen ? "  < chosen" : "");
  }
  if (chosen.is_string() && highest > without)
    fmt::print("An adjustment is chosen only if it beats no adjustment by {} standard errors (--required-gain).\n",
               validation["required_gain"].dump());
  fmt::print("\n");
}

}  // namespace

void print_learned(const Facts& facts, const EigenvalueAdjustment& adjustment) {
  const nlohmann::ordered_json& known = facts.all();
  const auto metric = known["metric"].get<std::string>();
  const bool stein = metric == name(Metric::stein);
  fmt::print("{} matrices of size {}, {}criterion {}, adjustment {}\n\n", known["n"].dump(), known["d"].dump(),
             stein ? "" : fmt::format("metric {}, ", metric), known["criterion"].get<std::string>(),
             known["adjustment"].get<std::string>());
  const std::string place =
      known.contains("components") ? fmt::format(" on a subspace of {} components", known["components"].dump()) : "";
  if (known.contains("by_components")) print_components(known["by_components"], known);
  if (known.contains("cross_validation"))
    print_scores(known["cross_validation"], known["penalty"], known.contains("batch"));
  const auto history = known["history"].get<std::vector<double>>();
  fmt::print("theta      {:.6g}\n", known["theta"].get<double>());
  if (known.contains("zeta")) fmt::print("zeta       {:.6g}\n", known["zeta"].get<double>());
  if (!known["C"].is_null()) fmt::print("C          {:.6g}\n", known["C"].get<double>());
  fmt::print("objective  {:.6g} for {}, {:.6g} for the learned kernel{}\n", history.front(),
             known.contains("alpha0") ? "alpha0" : fmt::format("the plain {} kernel", stein ? "Stein" : metric),
             history.back(), known.contains("batch") ? " (on these blocks, less the penalty)" : "");
  if (known.contains("batch")) print_batch(known["batch"], known["value"].get<double>());
  fmt::print("stopped    {} after {} ({}), {:.2f} s\n", known["stop"].get<std::string>(),
             counted(known["iterations"].get<Index>(), "iteration"),
             counted(known["evaluations"].get<Index>(), "evaluation"), known["seconds"].get<double>());
  if (adjustment.is_none())
    fmt::print("\nNo eigenvalue is adjusted: this is the plain {} kernel{}.\n", stein ? "Stein" : metric, place);
  else
    fmt::print("\n{}", alpha_bars(adjustment));
  fmt::print("\nsaved      {}\n", known["output"].get<std::string>());
}

}  // namespace dsk::cli

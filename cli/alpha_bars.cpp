#include "alpha_bars.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

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

}  // namespace

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

}  // namespace dsk::cli

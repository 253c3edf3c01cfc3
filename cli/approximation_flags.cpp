#include "approximation_flags.hpp"

#include <fmt/core.h>

#include "usage.hpp"

namespace dsk::cli {

void ApproximationFlags::add_to(CLI::App& command) {
  auto* const asked_option = command.add_option(
      "--approximate", approximate,
      "For many matrices: approximate the kernel by landmarks. nystrom:M takes M landmarks, nystrom:error=E as few, "
      "but "
      "at most 2000, as leave out the share E of the kernel matrix's trace, and nystrom:auto is nystrom:error=0.01");
  command
      .add_option("--landmarks", landmarks,
                  "With --approximate: adaptive (sampled in proportion to the remaining error), greedy (largest "
                  "remaining error) or uniform")
      ->capture_default_str()
      ->needs(asked_option);
  command
      .add_option("--choose-on", choose_on,
                  "With --approximate: choose kernel and settings on a balanced sample of this many matrices")
      ->capture_default_str()
      ->needs(asked_option);
}

NystromOptions ApproximationFlags::options() const {
  NystromOptions options = parse_nystrom(*approximate);
  options.choice = parse_landmarks(landmarks);
  if (choose_on < 2) throw UsageError(fmt::format("--choose-on {} must be 2 or more", choose_on));
  return options;
}

}  // namespace dsk::cli

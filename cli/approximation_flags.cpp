#include "approximation_flags.hpp"

#include <fmt/core.h>

namespace dsk::cli {

void ApproximationFlags::add_to(CLI::App& command) {
  auto* const asked_option = command.add_option(
      "--approximate", approximate,
      "For many matrices, features from landmarks instead of all pairs: nystrom:M (M landmarks), nystrom:error=E (as "
      "few, "
      "at most 2000, as leave out the part E of the kernel matrix's trace: the mean of 1 - |features|^2), nystrom:auto "
      "(E = 0.01)");
  command
      .add_option("--landmarks", landmarks,
                  "With --approximate: adaptive (at random by what is left), greedy (where most is left) or uniform")
      ->capture_default_str()
      ->needs(asked_option);
  command
      .add_option("--choose-on", choose_on,
                  "With --approximate: kernel and settings are chosen on so many matrices, the classes balanced")
      ->capture_default_str()
      ->needs(asked_option);
}

NystromOptions ApproximationFlags::options() const {
  NystromOptions options = parse_nystrom(*approximate);
  options.choice = parse_landmarks(landmarks);
  if (choose_on < 2) throw InvalidInput(fmt::format("--choose-on {} must be 2 or more", choose_on));
  return options;
}

}  // namespace dsk::cli

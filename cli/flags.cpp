#include "flags.hpp"

#include <fmt/core.h>

#include <cmath>

#include "command.hpp"
#include "usage.hpp"

namespace dsk::cli {
namespace {

double positive(const std::string& flag, double value) {
  if (!(value > 0 && std::isfinite(value)))
    throw UsageError(fmt::format("{} {} must be finite and above 0", flag, value));
  return value;
}

}  // namespace

void SelectionFlags::add_to(CLI::App& command) {
  command.add_option("--neighbours", neighbours, "Number of neighbours of k-NN, or auto: by cross-validation")
      ->capture_default_str();
  command
      .add_option("--C", c,
                  "C of the SVM and of linear classifiers: larger allows fewer errors in training; or auto: by "
                  "cross-validation")
      ->capture_default_str();
  command
      .add_option("--theta", theta,
                  "theta in exp(-theta d^2), larger is narrower; or auto: by cross-validation or the criterion")
      ->capture_default_str();
  command.add_option("--zeta", zeta, "Exponent of the power-Euclidean metric, or auto")->capture_default_str();
  command
      .add_option("--penalty", penalty,
                  "Weight of the penalty |alpha - alpha0|^2, which keeps learned alphas near alpha0, or auto: by "
                  "cross-validation")
      ->capture_default_str();
  command.add_option("--alpha0", alpha0, alpha0_help)->delimiter(',');
  command.add_option("--scale", scale, scale_help)->capture_default_str();
  command
      .add_option(
          "--theta-range", theta_range,
          "Which values of theta are allowed: valid (those for which the kernel is positive definite), any (above 0) "
          "or auto. auto is valid with --theta, --approximate, the paper's four criteria and, in dsk evaluate, plain "
          "kernels with :knn or :svm (any for DSK-auto); otherwise it tries both")
      ->capture_default_str();
  command
      .add_option("--project", project,
                  fmt::format("Compare matrices in a learned subspace: {}, ladder (nearest class means in subspaces of "
                              "several sizes, whose scores are added) or none",
                              subspace_choices))
      ->capture_default_str();
  command
      .add_option(
          "--recentre", recentre,
          "Move the mean of the matrices to the identity matrix first: none, all (the mean of the training set) or "
          "groups (for each group of the data file, such as a subject or a session, the mean of that group, also when "
          "predicting)")
      ->capture_default_str();
  command.add_option("--required-gain", required_gain, required_gain_help)->capture_default_str();
  command.add_option("--learn-on", learn_on, "Learn kernels from a balanced sample of this many matrices; 0: from all")
      ->capture_default_str();
  command.add_option("--folds", folds, "Number of cross-validation folds inside a training set")->capture_default_str();
  command.add_option("--seed", seed, "Seed of splits and folds")->capture_default_str();
}

SelectionOptions SelectionFlags::options() const {
  SelectionOptions options;
  if (folds < 2) throw UsageError(fmt::format("--folds {} must be 2 or more", folds));
  options.folds = folds;
  options.seed = seed;
  if (const auto given = number_or_auto("--neighbours", neighbours)) {
    if (!(*given >= 1 && *given <= 1e9) || *given != std::floor(*given))
      throw UsageError(fmt::format("--neighbours {} must be a whole number, 1 or more", neighbours));
    options.neighbours = {static_cast<Index>(*given)};
  }
  if (const auto given = number_or_auto("--C", c)) options.svm_cs = {positive("--C", *given)};
  if (const auto given = number_or_auto("--theta", theta)) options.theta = positive("--theta", *given);
  if (const auto given = number_or_auto("--penalty", penalty)) {
    if (!(*given >= 0)) throw UsageError(fmt::format("--penalty {} must be 0 or more", *given));
    options.penalty = *given;
  }
  if (const auto given = number_or_auto("--zeta", zeta)) {
    if (!std::isfinite(*given) || *given == 0) throw UsageError("--zeta must be a finite number other than 0");
    options.zetas = {*given};
  }
  if (const auto given = number_or_auto("--required-gain", required_gain)) {
    if (!std::isfinite(*given)) throw UsageError("--required-gain must be a finite number");
    options.required_gain_knn = options.required_gain_svm = *given;
  }
  if (learn_on < 0) throw UsageError(fmt::format("--learn-on {} must be 0 or more", learn_on));
  options.learn_on = learn_on;
  options.alpha0 = alpha0;
  options.scale = read_flag("--scale", [&] { return Scale::parse(scale); });
  options.theta_range = read_flag("--theta-range", [&] { return parse_theta_range(theta_range); });
  options.project = read_flag("--project", [&] { return Projecting::parse(project); });
  options.recentre = read_flag("--recentre", [&] { return parse_recentring(recentre); });
  return options;
}

void ApproximationFlags::add_to(CLI::App& command) {
  auto* const asked_option = command.add_option(
      "--approximate", approximate,
      "For many matrices: approximate the kernel by landmarks. nystrom:M takes M landmarks; nystrom:error=E takes as "
      "many, up to 2000, as are needed for a residual of at most the fraction E of the kernel matrix's trace; "
      "nystrom:auto "
      "is nystrom:error=0.01");
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
  NystromOptions options = read_flag("--approximate", [&] { return parse_nystrom(*approximate); });
  options.choice = read_flag("--landmarks", [&] { return parse_landmarks(landmarks); });
  return options;
}

void RepairFlags::add_to(CLI::App& command) {
  auto* const needed = command.add_option(
      "--repair", needed_,
      "Repair matrices that are not positive definite: shrink ((1 - AMOUNT) X + AMOUNT m I), ridge (X + AMOUNT m I) or "
      "clip (eigenvalues below AMOUNT times the largest are raised to it), optionally with :AMOUNT. m is the mean "
      "eigenvalue of X. Default amounts: 0.01 for shrink, 1e-6 for ridge, 1e-10 for clip");
  command.add_option("--repair-all", all_, "Like --repair, but also change matrices that are positive definite")
      ->excludes(needed);
}

Repair RepairFlags::repair() const {
  if (all_ == "none") return read_flag("--repair", [&] { return Repair::parse(needed_); });
  Repair all = read_flag("--repair-all", [&] { return Repair::parse(all_); });
  all.every_matrix = true;
  return all;
}

std::string RepairFlags::text() const {
  return needed_ == "none" ? all_ : needed_ + " where needed";
}

void RepairFlags::report(const std::string& file, const Repair::Summary& summary) const {
  facts_.push_back({{"file", file},
                    {"matrices", summary.matrices},
                    {"changed", summary.changed},
                    {"largest_relative_change", summary.largest_change}});
  print_notes({fmt::format("{}: {} of {} repaired ({}), largest relative change {:.3g}", file, summary.changed,
                           summary.matrices == 1 ? "1 matrix" : fmt::format("{} matrices", summary.matrices), text(),
                           summary.largest_change)});
}

}  // namespace dsk::cli

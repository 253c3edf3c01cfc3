#pragma once

#include <dsk/classify.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/files.hpp>

#include "command.hpp"

namespace dsk::cli {

/// A model in features, and what is to be said of them.
struct ApproximateModel {
  Model model;
  ApproximationOrigin origin;
  NystromOptions asked;
  ApproximationCheck check;
  Index unfinished = 0;

  void describe(Facts& facts) const;
};

/// Trains on all matrices what was chosen on some. `training` is for a machine, without theta and C.
ApproximateModel train_approximately(const ChosenMethod& chosen, const Dataset& train, NystromOptions options,
                                     SvmTraining training);

}  // namespace dsk::cli

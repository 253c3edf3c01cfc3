#pragma once

#include <dsk/learn/criterion.hpp>
#include <dsk/metric/metric.hpp>
#include <dsk/select/penalty.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

/// What a learned kernel is learned by.
struct Learning {
  Criterion criterion = Criterion::alignment;
  Adjustment adjustment = Adjustment::power;
};

/// A way to compare matrices and a classifier on top, by the paper's names.
struct Method {
  Metric metric = Metric::stein;
  std::optional<Learning> learning = {};
  bool automatic = false;  ///< choose among plain and learned kernels
  Classifier classifier = Classifier::knn;

  /// Reads AIRM, CHK, EUK, LEK, PEK, SK, DSK-{KA,CS,RM,TM,CA,NN}-{p,c,a} or DSK-auto, with :knn (the default) or :svm
  /// behind it. Throws InvalidInput; also for AIRM:svm, which has no kernel.
  static Method parse(std::string_view text);
  /// Several, separated by commas, all different.
  static std::vector<Method> parse_list(std::string_view text);
  /// Without the classifier.
  std::string name() const;
  /// With it.
  std::string full_name() const;
};

}  // namespace dsk

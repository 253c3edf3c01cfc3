#pragma once

#include <span>

namespace dsk {

struct Summary {
  double mean = 0;
  double deviation = 0;  ///< sample standard deviation; 0 for a single value
};

/// Throws InvalidInput for no values.
Summary summarise(std::span<const double> values);

/// How far the 95 % interval of the mean, by Student's distribution, reaches to each side; 0 for a single value.
double mean_interval(std::span<const double> values);

/// A method's results against a baseline's, pair by pair.
struct PairedComparison {
  double difference = 0;  ///< mean of method less baseline
  double low = 0;         ///< 95 % interval of the mean difference by Student's distribution
  double high = 0;
  double student_p = 1;   ///< two-sided; 1 if all differences are 0
  double wilcoxon_p = 1;  ///< two-sided signed-rank test, zeros left out; exact up to 50 others
};

/// Throws InvalidInput unless there are equally many values, at least two.
PairedComparison compare_paired(std::span<const double> method, std::span<const double> baseline);

}  // namespace dsk

#pragma once

#include <dsk/classify.hpp>

#include <span>
#include <utility>
#include <vector>

#include "classify/classify.hpp"

namespace dsk::detail {

/// f(x) = sum_i coefficients_i k(x_i, x) + offset.
struct BinarySvm {
  Eigen::VectorXd coefficients;
  double offset = 0;
};

/// Trains between two classes. `weights` are the factors of C for the signs +1 and -1, and `of_points` further ones for
/// each point; empty means all 1.
BinarySvm train_binary(Matrix kernel, std::span<const int> signs, double c, std::pair<double, double> weights,
                       SoftMargin margin, std::span<const double> of_points = {});
/// The same for several values of C, in ascending order.
std::vector<BinarySvm> train_binary_path(const Matrix& kernel, std::span<const int> signs, std::span<const double> cs,
                                         std::pair<double, double> weights, SoftMargin margin,
                                         std::span<const double> of_points = {});

/// Positions of the points of two classes, with sign +1 for the first class and -1 for the second.
struct PairMembers {
  std::vector<Index> members;
  std::vector<int> signs;
};
/// Merges the ascending positions of both classes.
PairMembers members_of_pair(const std::vector<Index>& first, const std::vector<Index>& second);

/// The positions of the points of each class in `known`, ascending.
std::vector<std::vector<Index>> members_by_class(const std::vector<int>& classes, const std::vector<int>& known);

/// (0, 1), (0, 2), ..., (1, 2), ...
std::vector<std::pair<std::size_t, std::size_t>> all_pairs(std::size_t classes);

/// The different codes in ascending order.
std::vector<int> distinct(const std::vector<int>& codes);
/// Codes as positions among those that occur, which ascend.
std::vector<int> positions_among(const std::vector<int>& present, std::span<const int> codes);

/// The factors of C in the order of the labels' names; empty if all are 1. Throws InvalidInput if the number of weights
/// differs from the number of names.
std::vector<double> class_weights(const SvmTraining& options, const Labels& labels,
                                  const std::vector<double>& sample_weights);

/// One weight for each class; 1 if none are given. Throws InvalidInput unless each weight, and C times it, is finite
/// and above 0.
std::vector<double> checked_weights(const std::vector<double>& weights, std::size_t classes, double c);

/// Fits the sigmoid of maximum likelihood to decision values of points with signs +1 or -1, with Platt's softened
/// targets (Lin, Lin & Weng 2007), among those that do not decrease: the slope is never above 0, and 0 gives the
/// frequency of the signs where decision values say nothing, or the opposite.
Sigmoid fit_sigmoid(const Eigen::VectorXd& decisions, std::span<const int> signs);

/// Fits the sigmoids of all pairs of classes to out-of-sample decision values from stratified five-fold
/// cross-validation.
std::vector<Sigmoid> calibrate(const Matrix& kernel, const std::vector<int>& classes, const SvmOptions& options,
                               std::uint64_t seed);

/// Class probabilities, summing to 1, that best agree with the pairwise probabilities `first_of_pair`, P(a | a or b):
/// the second method of Wu, Lin & Weng (2004).
Eigen::RowVectorXd couple(const Eigen::RowVectorXd& first_of_pair, std::size_t classes);

/// The coefficients of all machines, pair after pair, as compressed columns.
struct PairCoefficients {
  const int* starts = nullptr;
  const int* positions = nullptr;
  const double* values = nullptr;
  const double* offsets = nullptr;
  Index classes = 0;
};

/// Rows are decided in groups of this many, the number of doubles in the widest vector of any target.
inline constexpr Index rows_in_lanes = 8;

/// Decision values of `stride` rows, a multiple of rows_in_lanes. `kernel` has `stride` values for each training point
/// and `decisions` for each pair of classes; both are aligned to cache lines.
void decide_rows(const PairCoefficients& machines, const double* kernel, Index stride, double* decisions);

/// Adds to `won`, which has `stride` values for each class, how many pairs each class wins.
void count_wins(const PairCoefficients& machines, const double* kernel, Index stride, double* won);

}  // namespace dsk::detail

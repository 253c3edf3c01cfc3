#pragma once

#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>
#include <dsk/train.hpp>

#include <vector>

namespace dsk::detail {

/// Whether each of the scored matrices was classified correctly, in the order in which they were scored.
using Hits = std::vector<bool>;

/// By their nearest neighbours, for each number of neighbours. Distances are (test, train).
std::vector<Hits> neighbour_hits(const Matrix& distances, const Labels& train, const Labels& test,
                                 const std::vector<Index>& neighbours);

/// How a machine of this variant is trained.
SvmTraining svm_training(const SvmVariant& variant, double c, int threads);
/// The machine itself, for these labels.
SvmOptions machine_of(const SvmVariant& variant, const Labels& train, int threads);

/// By support vector machines of this variant, for each C.
std::vector<Hits> svm_hits(const Matrix& train_kernel, const Matrix& test_kernel, const Labels& train,
                           const Labels& test, const std::vector<double>& cs, const SvmVariant& variant, int threads);

/// Appends the next fold's hits to those so far, of which there may be none, setting by setting.
void append(std::vector<Hits>& all, const std::vector<Hits>& fold);

double share(const Hits& hits);

/// How many more hits than `others` has, in standard errors of the paired difference.
double gain(const Hits& hits, const Hits& others);

/// theta itself, or the nearest half integer above 0 where the kernel is not positive definite for theta.
double nearest_valid_theta(Metric metric, double theta, Index dim);

/// `relative` thetas over the median of the squared distances of different matrices, in the same order; each moved to
/// the nearest for which the kernel is valid for matrices of size `dim`, unless `any` will do.
std::vector<double> thetas_over_median(const Matrix& distances, const std::vector<double>& relative, Metric metric,
                                       Index dim, bool any);

/// The matrices that a kernel is learned from: all, or `count` of them, as many of each class as can be, if that is
/// above 0.
inline Dataset to_learn_from(const Dataset& train, Index count, std::uint64_t seed) {
  return count > 0 && count < train.size() ? train.select(balanced_sample(train.labels(), count, seed)) : train;
}

}  // namespace dsk::detail

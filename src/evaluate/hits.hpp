#pragma once

#include <dsk/matrices.hpp>

#include <vector>

namespace dsk::detail {

/// Whether each of the scored matrices got its class, in the order in which they were scored.
using Hits = std::vector<bool>;

/// By their nearest neighbours, for each number of neighbours. Distances are (test, train).
std::vector<Hits> neighbour_hits(const Matrix& distances, const Labels& train, const Labels& test,
                                 const std::vector<Index>& neighbours);

/// By support vector machines, for each C.
std::vector<Hits> svm_hits(const Matrix& train_kernel, const Matrix& test_kernel, const Labels& train,
                           const Labels& test, const std::vector<double>& cs, int threads);

/// Puts the next fold's behind those so far, of which there may be none, setting by setting.
void append(std::vector<Hits>& all, const std::vector<Hits>& fold);

double share(const Hits& hits);

/// By how many standard errors of their paired difference more were right than of `others`.
double gain(const Hits& hits, const Hits& others);

}  // namespace dsk::detail

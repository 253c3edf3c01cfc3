#pragma once

#include <dsk/spd/dataset.hpp>

#include <vector>

namespace dsk::detail {

/// How many test matrices get their class from their nearest neighbours, for each number of neighbours. Distances are
/// (test, train).
std::vector<Index> count_right_neighbours(const Matrix& distances, const Labels& train, const Labels& test,
                                          const std::vector<Index>& neighbours);

/// How many get it from support vector machines, for each C.
std::vector<Index> count_right_svm(const Matrix& train_kernel, const Matrix& test_kernel, const Labels& train,
                                   const Labels& test, const std::vector<double>& cs, int threads);

}  // namespace dsk::detail

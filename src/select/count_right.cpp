#include "select/count_right.hpp"

#include <dsk/classify/pairwise_svm.hpp>
#include <dsk/classify/votes.hpp>

#include <functional>
#include <numeric>
#include <span>

namespace dsk::detail {

std::vector<Index> count_right_neighbours(const Matrix& distances, const Labels& train, const Labels& test,
                                          const std::vector<Index>& neighbours) {
  std::vector<Index> right(neighbours.size());
  for (Index i = 0; i < test.size(); ++i) {
    const std::span<const double> row(&distances(i, 0), static_cast<std::size_t>(distances.cols()));
    const std::vector<int> votes = nearest_votes(row, train.codes(), neighbours);
    for (std::size_t s = 0; s < votes.size(); ++s) right[s] += votes[s] == test[i] ? 1 : 0;
  }
  return right;
}

std::vector<Index> count_right_svm(const Matrix& train_kernel, const Matrix& test_kernel, const Labels& train,
                                   const Labels& test, const std::vector<double>& cs, int threads) {
  std::vector<Index> right;
  for (const double c : cs) {
    const PairwiseSvm svm(train_kernel, train.codes(), {.c = c, .threads = threads});
    const std::vector<int> found = svm.predict(test_kernel, threads);
    right.push_back(std::inner_product(found.begin(), found.end(), test.codes().begin(), Index{0}, std::plus<>(),
                                       [](int a, int b) { return a == b ? 1 : 0; }));
  }
  return right;
}

}  // namespace dsk::detail

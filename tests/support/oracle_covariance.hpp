#pragma once

#include <dsk/matrices.hpp>

#include <algorithm>
#include <vector>

namespace dsk::test {

/// By the definitions, in long double.
class CovarianceOracle {
 public:
  using Real = long double;

  explicit CovarianceOracle(const Matrix& samples) : count_(samples.rows()), dim_(samples.cols()) {
    std::vector<Real> mean(static_cast<std::size_t>(dim_), 0);
    for (Index f = 0; f < dim_; ++f) {
      for (Index i = 0; i < count_; ++i) mean[static_cast<std::size_t>(f)] += static_cast<Real>(samples(i, f));
      mean[static_cast<std::size_t>(f)] /= static_cast<Real>(count_);
    }
    scatter_.assign(static_cast<std::size_t>(dim_ * dim_), 0);
    for (Index i = 0; i < count_; ++i) {
      Real square = 0;
      for (Index r = 0; r < dim_; ++r) {
        const Real left = static_cast<Real>(samples(i, r)) - mean[static_cast<std::size_t>(r)];
        square += left * left;
        for (Index c = 0; c < dim_; ++c)
          scatter_[static_cast<std::size_t>(r * dim_ + c)] +=
              left * (static_cast<Real>(samples(i, c)) - mean[static_cast<std::size_t>(c)]);
      }
      fourth_ += square * square;
    }
  }

  Real scatter(Index r, Index c) const { return scatter_[static_cast<std::size_t>(r * dim_ + c)]; }
  Real sample(Index r, Index c) const { return scatter(r, c) / static_cast<Real>(count_ - 1); }

  /// Ledoit & Wolf 2004, Lemma 3.2 and Section 3.3: b^2 / d^2.
  Real ledoit_wolf_share() const {
    const Real n = static_cast<Real>(count_), p = static_cast<Real>(dim_);
    Real norm = 0, distance = 0;
    for (Index r = 0; r < dim_; ++r)
      for (Index c = 0; c < dim_; ++c) {
        const Real x = scatter(r, c) / n, target = r == c ? mean_variance() : 0;
        norm += x * x;
        distance += (x - target) * (x - target) / p;
      }
    const Real noise = (fourth_ - n * norm) / (n * n * p);
    return std::min(noise, distance) / distance;
  }

  /// Chen et al. 2010, equation 23 without its terms in 1/p, as scikit-learn has it.
  Real oas_share() const {
    const Real n = static_cast<Real>(count_), p = static_cast<Real>(dim_);
    Real squares = 0, trace = 0;
    for (Index r = 0; r < dim_; ++r) {
      trace += scatter(r, r) / n;
      for (Index c = 0; c < dim_; ++c) squares += scatter(r, c) / n * (scatter(r, c) / n);
    }
    return std::min<Real>(1, (squares + trace * trace) / ((n + 1) * (squares - trace * trace / p)));
  }

  Real shrunk(Index r, Index c, Real share) const {
    return (1 - share) * scatter(r, c) / static_cast<Real>(count_) + (r == c ? share * mean_variance() : 0);
  }

 private:
  Real mean_variance() const {
    Real trace = 0;
    for (Index r = 0; r < dim_; ++r) trace += scatter(r, r);
    return trace / static_cast<Real>(count_) / static_cast<Real>(dim_);
  }

  Index count_, dim_;
  Real fourth_ = 0;
  std::vector<Real> scatter_;
};

}  // namespace dsk::test

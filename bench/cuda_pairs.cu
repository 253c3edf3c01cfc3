// Times and checks the CUDA pair engine by itself; needs nothing but nvcc:
//   nvcc -std=c++20 -O3 -arch=sm_90 -fmad=false --expt-relaxed-constexpr -Isrc -Iinclude \
//        bench/cuda_pairs.cu src/engine/cuda/*.cu -o cuda_pairs
//   ./cuda_pairs [--check [D...] | [--rows] N D]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "engine/cuda/memory.hpp"
#include "engine/cuda/pair_engine.hpp"

namespace {

using namespace dsk::engine::cuda;

/// Wishart matrices of d + 10 degrees of freedom, their diagonals near 1.
std::vector<double> random_matrices(long count, int dim) {
  std::mt19937_64 random(static_cast<unsigned>(dim));
  std::normal_distribution<double> normal;
  const int degrees = dim + 10, pool = 64;
  std::vector<double> made(static_cast<std::size_t>(pool) * dim * dim),
      samples(static_cast<std::size_t>(degrees) * dim);
  for (int k = 0; k < pool; ++k) {
    for (double& s : samples) s = normal(random) / std::sqrt(degrees);
    for (int r = 0; r < dim; ++r)
      for (int c = 0; c <= r; ++c) {
        double sum = 0;
        for (int s = 0; s < degrees; ++s) sum += samples[s * dim + r] * samples[s * dim + c];
        made[(static_cast<std::size_t>(k) * dim + r) * dim + c] = sum;
        made[(static_cast<std::size_t>(k) * dim + c) * dim + r] = sum;
      }
  }
  // Mixtures of few are as good as new ones, and quickly made.
  std::vector<double> result(static_cast<std::size_t>(count) * dim * dim);
  std::uniform_real_distribution<double> uniform(0.1, 0.9);
  for (long i = 0; i < count; ++i) {
    const double share = uniform(random);
    const double* a = made.data() + random() % pool * dim * dim;
    const double* b = made.data() + random() % pool * dim * dim;
    for (int k = 0; k < dim * dim; ++k)
      result[static_cast<std::size_t>(i) * dim * dim + k] = share * a[k] + (1 - share) * b[k];
  }
  return result;
}

/// log det and, if asked for, the inverse of the mean.
long double reference(const double* x, const double* y, int dim, std::vector<long double>* inverse) {
  std::vector<long double> l(static_cast<std::size_t>(dim) * dim);
  long double logdet = 0;
  for (int c = 0; c < dim; ++c)
    for (int r = c; r < dim; ++r) {
      long double sum = (static_cast<long double>(x[r * dim + c]) + y[r * dim + c]) / 2;
      for (int k = 0; k < c; ++k) sum -= l[r * dim + k] * l[c * dim + k];
      l[r * dim + c] = r == c ? std::sqrt(sum) : sum / l[c * dim + c];
      if (r == c) logdet += std::log(sum);
    }
  if (inverse != nullptr) {
    inverse->assign(static_cast<std::size_t>(dim) * dim, 0);
    for (int c = 0; c < dim; ++c) {
      std::vector<long double> v(static_cast<std::size_t>(dim), 0);
      for (int r = 0; r < dim; ++r) {
        long double sum = r == c ? 1 : 0;
        for (int k = 0; k < r; ++k) sum -= l[r * dim + k] * v[k];
        v[r] = sum / l[r * dim + r];
      }
      for (int r = dim - 1; r >= 0; --r) {
        long double sum = v[r];
        for (int k = r + 1; k < dim; ++k) sum -= l[k * dim + r] * v[k];
        v[r] = sum / l[r * dim + r];
        (*inverse)[r * dim + c] = v[r];
      }
    }
  }
  return logdet;
}

class Stopwatch {
 public:
  Stopwatch() {
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
  }
  template <class Work>
  double milliseconds(int repeats, const Work& work) {
    work();
    std::vector<float> times;
    for (int k = 0; k < repeats; ++k) {
      cudaEventRecord(begin_);
      work();
      cudaEventRecord(end_);
      cudaEventSynchronize(end_);
      times.push_back(0);
      cudaEventElapsedTime(&times.back(), begin_, end_);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

 private:
  cudaEvent_t begin_, end_;
};

SweepInput input_for(const std::vector<double>& x, long count, int dim, const std::vector<double>& factors,
                     const std::vector<int>& classes, bool single) {
  SweepInput input;
  input.dim = dim;
  input.x = {x.data(), count};
  input.factors = factors;
  input.classes = classes;
  input.single_precision = single;
  return input;
}

bool fine(const std::optional<Failure>& failure) {
  if (failure) std::printf("FAILED at %ld %ld\n", failure->row, failure->column);
  return !failure;
}

HostWeighting alignment_weights(const std::vector<RowSums>& sums, long count, double theta, std::vector<double>& a,
                                std::vector<double>& b) {
  double product = static_cast<double>(count), squared = product;
  for (const RowSums& row : sums) {
    product += row.sum[1] * std::exp(-theta * row.smallest[1]) - row.sum[0] * std::exp(-theta * row.smallest[0]);
    squared += row.squares;
  }
  const double n = static_cast<double>(count), norm = std::sqrt(squared), value = product / (n * norm);
  a.assign(static_cast<std::size_t>(count), 1 / (n * norm));
  b.assign(static_cast<std::size_t>(count), 0);
  HostWeighting how;
  how.rule.theta = theta;
  how.rule.other = -1 / (n * norm);
  how.rule.square = -value / squared;
  how.a = a;
  how.b = b;
  return how;
}

double largest_error(int dim, bool single) {
  const long count = dim <= 20 ? 70 : dim <= 130 ? 21 : dim <= 220 ? 9 : 5;
  const std::vector<double> x = random_matrices(count, dim), factors(static_cast<std::size_t>(dim), 1.0);
  std::vector<int> classes(static_cast<std::size_t>(count));
  for (long i = 0; i < count; ++i) classes[static_cast<std::size_t>(i)] = static_cast<int>(i % 3);
  const auto sweep = make_device_sweep(input_for(x, count, dim, factors, classes, single));
  if (!fine(sweep->compute(0, count))) return 1;
  std::vector<double> s(static_cast<std::size_t>(count * count)), strip(s), again(s);
  sweep->fetch(s.data());
  if (!fine(sweep->compute(0, count))) return 1;
  sweep->fetch(again.data());
  for (long first = 0; first < count; first += 4) {
    const long rows = std::min(4L, count - first);
    if (!fine(sweep->compute(first, rows))) return 1;
    sweep->fetch(strip.data() + first * count);
  }
  if (strip != s || again != s) std::printf("d = %d: strips or repetitions differ\n", dim);
  const std::size_t square = static_cast<std::size_t>(dim) * dim;
  std::vector<long double> logdets;
  for (long i = 0; i < count; ++i) logdets.push_back(reference(&x[i * square], &x[i * square], dim, nullptr));
  double error = 0;
  std::vector<double> sums(static_cast<std::size_t>(count) * square), repeated(sums);
  if (!fine(sweep->compute(0, count))) return 1;
  std::vector<double> a, b;
  const auto weighting = alignment_weights(sweep->sum_rows({{0.7}}), count, 0.7, a, b);
  sweep->weigh(weighting);
  std::vector<double> weights(s.size());
  sweep->fetch(weights.data());
  if (!fine(sweep->sum_weighted())) return 1;
  sweep->fetch_sums(sums.data());
  if (!fine(sweep->sum_weighted())) return 1;
  sweep->fetch_sums(repeated.data());
  if (sums != repeated) std::printf("d = %d: sums of inverses differ from run to run\n", dim);
  double inverse_error = 0, scale = 0;
  for (long i = 0; i < count; ++i) {
    std::vector<long double> total(square, 0), inverse;
    for (long j = 0; j < count; ++j) {
      const bool wanted = i < 3 && i != j;
      const long double logdet = reference(&x[i * square], &x[j * square], dim, wanted ? &inverse : nullptr);
      const auto expected = static_cast<double>(logdet - (logdets[i] + logdets[j]) / 2);
      error = std::max(error, std::abs(s[i * count + j] - expected));
      if (s[i * count + j] != s[j * count + i] || (i == j && s[i * count + j] != 0) || !(s[i * count + j] >= 0))
        error = 1;
      if (wanted)
        for (std::size_t k = 0; k < square; ++k) total[k] += weights[i * count + j] * inverse[k];
    }
    if (i < 3)
      for (std::size_t k = 0; k < square; ++k) {
        inverse_error = std::max(inverse_error, std::abs(static_cast<double>(total[k] - sums[i * square + k])));
        scale = std::max(scale, std::abs(static_cast<double>(total[k])));
      }
  }
  std::printf("check d = %3d %s: divergence %.1e, inverse sums %.1e of the largest\n", dim,
              single ? "single" : "double", error, inverse_error / scale);
  return std::max(error, inverse_error / scale);
}

void measure(int dim, long count, bool single) {
  const std::vector<double> x = random_matrices(count, dim), factors(static_cast<std::size_t>(dim), 1.0);
  std::vector<int> classes(static_cast<std::size_t>(count));
  for (long i = 0; i < count; ++i) classes[static_cast<std::size_t>(i)] = static_cast<int>(i % 10);
  const auto sweep = make_device_sweep(input_for(x, count, dim, factors, classes, single));
  Stopwatch watch;
  const double pairs = static_cast<double>(count) * static_cast<double>(count);
  const double divergences = watch.milliseconds(5, [&] { fine(sweep->compute(0, count)); }) * 1e6 / pairs;
  std::vector<double> a, b;
  const double gradient = watch.milliseconds(3, [&] {
    fine(sweep->compute(0, count));
    sweep->weigh(alignment_weights(sweep->sum_rows({{0.7}}), count, 0.7, a, b));
    fine(sweep->sum_weighted());
  }) * 1e6 / pairs;
  std::printf("%6ld %4d %s %12.5f %12.5f %8.2f\n", count, dim, single ? "single" : "double", divergences, gradient,
              gradient / divergences);
}

/// Rows as of mapped matrices of this size.
void measure_rows(int dim, long count) {
  const long width = static_cast<long>(dim) * (dim + 1) / 2;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, 1 / std::sqrt(static_cast<double>(width)));
  std::vector<double> rows(static_cast<std::size_t>(count * width));
  for (double& number : rows) number = normal(random);
  std::vector<int> classes(static_cast<std::size_t>(count));
  for (long i = 0; i < count; ++i) classes[static_cast<std::size_t>(i)] = static_cast<int>(i % 10);
  RowInput input;
  input.width = width;
  input.x = {rows.data(), count};
  input.classes = classes;
  const auto sweep = make_device_row_sweep(input);
  Stopwatch watch;
  const double pairs = static_cast<double>(count) * static_cast<double>(count);
  const double distances = watch.milliseconds(5, [&] { fine(sweep->compute(0, count)); }) * 1e6 / pairs;
  std::vector<double> a, b;
  const double gradient = watch.milliseconds(3, [&] {
    fine(sweep->compute(0, count));
    sweep->weigh(alignment_weights(sweep->sum_rows({{0.7}}), count, 0.7, a, b));
    fine(sweep->sum_weighted());
  }) * 1e6 / pairs;
  std::printf("%6ld %4d rows   %12.5f %12.5f %8.2f\n", count, dim, distances, gradient, gradient / distances);
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%s\n", device_status().text.c_str());
  const std::vector<std::string> given(argv + 1, argv + argc);
  const bool only_check = !given.empty() && given[0] == "--check";
  if (given.size() == 3 && given[0] == "--rows") {
    measure_rows(std::stoi(given[2]), std::stol(given[1]));
    return 0;
  }
  if (given.size() == 2 && !only_check) {
    measure(std::stoi(given[1]), std::stol(given[0]), false);
    return 0;
  }
  std::vector<int> dims = {1,  2,  3,  4,  5,   6,   7,   8,   9,   12,  14,  15,  16, 17, 18,
                           20, 22, 24, 28, 31,  32,  36,  40,  43,  44,  48,  56,  57, 64, 65,
                           72, 73, 80, 96, 100, 104, 105, 130, 150, 200, 216, 217, 300};
  if (given.size() > 1) {
    dims.clear();
    for (std::size_t k = 1; k < given.size(); ++k) dims.push_back(std::stoi(given[k]));
  }
  double error = 0;
  for (const int dim : dims) {
    error = std::max(error, largest_error(dim, false));
    if (dim <= largest_gridded) largest_error(dim, true);
  }
  std::printf("largest error in double precision %.1e\n", error);
  if (only_check) return error < 1e-9 ? 0 : 1;
  std::printf("     n    d           ns/pair  value+grad    ratio   (per ordered pair)\n");
  using Case = std::pair<long, int>;
  for (const auto& [count, dim] :
       {Case{20000, 5}, Case{8000, 16}, Case{3000, 43}, Case{1000, 100}, Case{600, 200}, Case{20000, 3}, Case{20000, 8},
        Case{8000, 12}, Case{8000, 14}, Case{4000, 20}, Case{4000, 24},  Case{4000, 28}, Case{4000, 32}, Case{3000, 36},
        Case{2000, 48}, Case{2000, 56}, Case{2000, 64}, Case{1000, 80},  Case{600, 150}, Case{150, 300}})
    measure(dim, count, false);
  for (const auto& [count, dim] : {Case{20000, 5}, Case{8000, 16}, Case{4000, 24}, Case{4000, 32}, Case{3000, 43},
                                   Case{2000, 64}, Case{1000, 100}})
    measure(dim, count, true);
  for (const auto& [count, dim] : {Case{20000, 5}, Case{8000, 16}, Case{4000, 32}, Case{3000, 43}, Case{1000, 100}})
    measure_rows(dim, count);
  return error < 1e-9 ? 0 : 1;
}

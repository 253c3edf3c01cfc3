// Times whole calls of the library, CPU (one thread) beside CUDA device, in ns per ordered pair: divergences of all
// pairs as a matrix in the host's memory, and value and gradient of alignment as in every step of learning, by the
// Stein divergence and the log-Euclidean metric.

#include <dsk/dsk.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <vector>

namespace {

/// The shortest of some repetitions, in nanoseconds.
double shortest(int repetitions, const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repetitions; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

struct Times {
  double divergences = 0;
  double gradient = 0;
};

Times measure(dsk::Metric metric, dsk::Index count, dsk::Index dim, const dsk::PairOptions& options) {
  const dsk::Dataset data =
      dsk::wishart_classes({.classes = 10, .per_class = count / 10, .dim = dim, .degrees = dim + 10});
  const double pairs = static_cast<double>(data.size()) * static_cast<double>(data.size());
  const dsk::CriterionFunction function(dsk::Criterion::alignment, data, options, metric);
  auto adjustment = dsk::EigenvalueAdjustment::none(dim);
  for (dsk::Index z = 0; z < dim; ++z) adjustment.alpha[z] += 0.05 * std::cos(static_cast<double>(z));
  const dsk::LearnedKernel kernel(dsk::Transform(), adjustment, 0.7, metric);
  function(kernel);
  const dsk::DistanceOptions distances{.metric = metric, .squared = true, .pairs = options};
  return {shortest(3, [&] { dsk::pairwise_distances(data.matrices(), distances); }) / pairs,
          shortest(3, [&] { function(kernel); }) / pairs};
}

}  // namespace

int main() {
  const dsk::DeviceStatus status = dsk::cuda_status();
  fmt::print("CUDA: {}; CPU: {}\n", status.text, dsk::simd_target());
  fmt::print("{:>4}  {:>6} {:>12} {:>12}  {:>6} {:>12} {:>12}\n", "d", "n cpu", "divergence", "value+grad", "n cuda",
             "divergence", "value+grad");
  struct Case {
    dsk::Index dim, on_cpu, on_cuda;
  };
  for (const dsk::Metric metric : {dsk::Metric::stein, dsk::Metric::logeuclidean})
    for (const Case& each :
         {Case{5, 1000, 20000}, {16, 500, 8000}, {43, 200, 3000}, {100, 100, 1000}, {200, 60, 600}}) {
      const Times cpu = measure(metric, each.on_cpu, each.dim, {.threads = 1});
      fmt::print("{:>4}  {:>6} {:>12.4f} {:>12.4f}", each.dim, each.on_cpu, cpu.divergences, cpu.gradient);
      if (status.usable) {
        const Times cuda = measure(metric, each.on_cuda, each.dim, {.device = dsk::Device::cuda});
        fmt::print("  {:>6} {:>12.4f} {:>12.4f}", each.on_cuda, cuda.divergences, cuda.gradient);
      }
      fmt::print("  {}\n", dsk::name(metric));
    }
}

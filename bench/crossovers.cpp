#include <dsk/dsk.hpp>

#include <string>

#include "engine/engine.hpp"
#include "machine/lapack.hpp"
#include "measure.hpp"
#include "spd/shifted_inverses.hpp"
#include "spd/spd.hpp"

namespace {

using dsk::bench::Timing;
using dsk::detail::lapack::Crossover;

/// While it lives, matrices of all sizes are for LAPACK, or for our own code.
class OneSide {
 public:
  explicit OneSide(bool lapack) : before_(dsk::detail::lapack::crossover()) {
    dsk::detail::lapack::set_crossover(lapack ? Crossover{1, 1, 1, 1} : Crossover{});
  }
  ~OneSide() { dsk::detail::lapack::set_crossover(before_); }
  OneSide(const OneSide&) = delete;
  OneSide& operator=(const OneSide&) = delete;

 private:
  Crossover before_;
};

/// A Cholesky factor and the inverse of each matrix.
double factors(const dsk::SpdBatch& x) {
  dsk::Matrix lower, inverse_factor, inverse(x.dim(), x.dim());
  double sum = 0;
  for (const dsk::MatrixView matrix : x) {
    dsk::detail::cholesky_factor(matrix, lower);
    dsk::detail::invert_from_factor(lower, inverse_factor, inverse);
    sum += inverse(0, 0);
  }
  return sum;
}

double functions(const dsk::SpdBatch& x, bool lapack) {
  constexpr auto logarithm = dsk::detail::SpectralFunction::logarithm;
  if (!lapack) return dsk::detail::spectral_function(logarithm, x, 1).values[0];
  dsk::Matrix result(x.dim(), x.dim());
  double condition = 0, sum = 0;
  for (const dsk::MatrixView matrix : x) {
    dsk::detail::large_function(logarithm, matrix.data(), x.dim(), nullptr, result.data(), condition);
    if (sum == 0) sum = result(0, 0);
  }
  return sum;
}

double compute(const std::string& kind, const dsk::SpdBatch& x, bool lapack) {
  if (kind == "factor") return factors(x);
  if (kind == "function") return functions(x, lapack);
  if (kind == "stein") return dsk::PairSweep(x, {.threads = 1}).divergences().sum();
  return dsk::pairwise_squared_airm(x, {.threads = 1}).sum();
}

Timing answer(const nlohmann::json& request) {
  const dsk::Index n = request.at("n"), d = request.at("d");
  const dsk::SpdBatch x(dsk::bench::read_tail(request.at("file"), static_cast<std::size_t>(n * d * d)), n, d);
  const std::string kind = request.at("kind");
  const bool lapack = request.at("lapack");
  const OneSide side(lapack);
  return dsk::bench::measure([&] { return compute(kind, x, lapack); }, request.at("budget"));
}

nlohmann::json answer_any(const nlohmann::json& request) {
  if (request.value("what", "") == "constants") {
    const Crossover& from = dsk::detail::lapack::crossover();
    return {{"factor", from.factor}, {"function", from.function}, {"stein", from.stein}, {"spectrum", from.spectrum}};
  }
  const Timing timing = answer(request);
  return {{"seconds", timing.seconds}, {"checksum", timing.checksum}};
}

}  // namespace

int main() {
  return dsk::bench::answer_requests(answer_any);
}

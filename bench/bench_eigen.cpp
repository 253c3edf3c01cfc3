// What a C++ programmer would write with Eigen: one LLT per pair of matrices.
#include <Eigen/Cholesky>

#include "measure.hpp"

namespace {

using dsk::bench::Timing;
using Matrix = Eigen::MatrixXd;

double half_logdet(const Eigen::LLT<Matrix>& llt) {
  return llt.matrixLLT().diagonal().array().log().sum();
}

/// The matrix of Stein divergences; returns the sum of its entries.
double stein_divergences(const std::vector<Matrix>& x, Matrix& result) {
  const auto n = static_cast<Eigen::Index>(x.size());
  Eigen::LLT<Matrix> llt(x[0].rows());
  Eigen::VectorXd half_logdets(n);
  for (Eigen::Index i = 0; i < n; ++i) half_logdets[i] = half_logdet(llt.compute(x[static_cast<std::size_t>(i)]));
  for (Eigen::Index i = 0; i < n; ++i) {
    result(i, i) = 0;
    for (Eigen::Index j = i + 1; j < n; ++j) {
      llt.compute((x[static_cast<std::size_t>(i)] + x[static_cast<std::size_t>(j)]) * 0.5);
      result(i, j) = result(j, i) = 2 * half_logdet(llt) - half_logdets[i] - half_logdets[j];
    }
  }
  return result.sum();
}

Timing answer(const nlohmann::json& request) {
  const Eigen::Index n = request.at("n"), d = request.at("d");
  const auto values = dsk::bench::read_tail(request.at("file"), static_cast<std::size_t>(n * d * d));
  std::vector<Matrix> x;
  for (Eigen::Index i = 0; i < n; ++i) x.emplace_back(Eigen::Map<const Matrix>(values.data() + i * d * d, d, d));
  Matrix result(n, n);
  return dsk::bench::measure([&] { return stein_divergences(x, result); }, request.at("budget"));
}

}  // namespace

int main() {
  return dsk::bench::serve(answer);
}

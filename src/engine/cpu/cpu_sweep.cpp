#include <fmt/format.h>

#include <utility>

#include "engine/cpu/pair_sums.hpp"
#include "engine/cpu/strips.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"
#include "engine/sweep.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk::engine {
namespace {

/// u_iz' A_i u_iz for all matrices and eigenvectors.
Matrix forms_along(const MatrixStack& sums, const MatrixStack& vectors, int threads) {
  const Index dim = vectors.dim;
  Matrix forms(vectors.count, dim);
  detail::for_ranges(vectors.count, threads, detail::cubic_cost(dim, 0.1), [&](Index first, Index last) {
    std::vector<double> scratch(static_cast<std::size_t>(detail::quadratic_forms_scratch(dim)));
    for (Index i = first; i < last; ++i)
      detail::quadratic_forms(sums[i].data(), vectors[i].data(), dim, scratch.data(), &forms(i, 0));
  });
  return forms;
}

/// A_i for weights many of which may be zero.
MatrixStack sums_of_inverses(const SpdBatch& x, const Matrix& weights, const PairOptions& options) {
  constexpr double few = 0.5;
  std::vector<WeightedPair> pairs;
  const double all = static_cast<double>(x.size()) * static_cast<double>(x.size() - 1) / 2;
  const auto limit = static_cast<std::size_t>(few * all);
  for (Index i = 0; i < x.size() && pairs.size() <= limit; ++i)
    for (Index j = i + 1; j < x.size(); ++j)
      if (weights(i, j) != 0) pairs.push_back({i, j, weights(i, j)});
  return pairs.size() <= limit ? inverse_sums(x, pairs, options) : inverse_sums(x, weights, options);
}

class CpuSweep : public Sweep {
 public:
  CpuSweep(SweepMatrices matrices, const PairOptions& options) : matrices_(std::move(matrices)), options_(options) {}

  void replace(const SpdBatch& x) override { matrices_.x = x; }

  void replace_eigenvalues(const Matrix& eigenvalues) override {
    try {
      matrices_.x = detail::trust(recompose(eigenvalues, matrices_.eigen->vectors, options_.threads));
    } catch (const InvalidInput& error) {
      throw NumericalFailure(fmt::format("with adjusted eigenvalues: {}", error.what()));
    }
  }

  Matrix matrix(PairQuantity quantity) const override { return pairwise_matrix(x(), y(), quantity, options_); }
  void visit(const PairSweep::Visitor& visitor) const override { visit_pairs(x(), y(), visitor, options_); }

  void set_classes(std::vector<int> classes) override { classes_ = std::move(classes); }

  std::vector<Matrix> form_sums(std::span<const PairForm> forms, std::span<const double> thetas) const override {
    return engine::form_sums(pairs(), classes_, forms, thetas);
  }
  std::vector<LogRowSums> log_row_sums(std::span<const double> thetas) const override {
    return engine::log_row_sums(pairs(), classes_, thetas);
  }

  WeightedInverses weighted_inverses(double theta, const SummedForms& weights) const override {
    // Above this size sums of inverses leave the cache, and one more look at the pairs costs less than one more form.
    constexpr Index one_pass_up_to = 20;
    return !weights.weighs_rows && x().dim() <= one_pass_up_to ? in_one_pass(theta, weights)
                                                               : in_two_passes(theta, weights);
  }

  WeightedInverses weighted_inverses(const LogWeights& weights) const override {
    return weighted_by(weigh_by_logs(weights, classes_), weights.theta);
  }

  WeightedInverses weighted_inverses(const Matrix& weights) const override {
    Eigen::VectorXd weight_sums = weights.rowwise().sum();
    if (options_.team != nullptr && options_.team->rank() != 0) weight_sums.setZero();
    return finished(sums_of_inverses(x(), weights, options_), std::move(weight_sums), {});
  }

  const PairOptions& options() const override { return options_; }

 private:
  const SpdBatch& x() const { return matrices_.x; }
  const SpdBatch* y() const { return matrices_.y ? &*matrices_.y : nullptr; }
  PairSource pairs() const {
    return {x().size(), [this](const PairSweep::Visitor& visitor) { visit_pairs(x(), nullptr, visitor, options_); },
            options_.team};
  }

  WeightedInverses weighted_by(const PairWeights& weigh, double theta) const {
    WeightSums weight_sums(x().size());
    const auto counted = [&](const PairStrip& strip, std::span<double> result) {
      weigh(strip, result);
      weight_sums.add(strip, result);
    };
    MatrixStack sums = std::move(inverse_sums(x(), counted, {.forms = 1, .theta = theta, .options = options_})[0]);
    return finished(std::move(sums), weight_sums.of_weights(), weight_sums.of_divergences());
  }

  WeightedInverses finished(MatrixStack sums, Eigen::VectorXd weight_sums, Eigen::VectorXd divergence_sums) const {
    if (!matrices_.eigen) return {std::move(sums), {}, std::move(weight_sums), std::move(divergence_sums)};
    return {{},
            forms_along(sums, matrices_.eigen->vectors, options_.threads),
            std::move(weight_sums),
            std::move(divergence_sums)};
  }

  /// Sums of inverses for each form, weighted when the sums over all pairs are known.
  WeightedInverses in_one_pass(double theta, const SummedForms& how) const {
    FormSums sums(how.forms.size(), x().size());
    Matrix times_divergence = Matrix::Zero(static_cast<Index>(how.forms.size()), x().size());
    std::vector<MatrixStack> inverses = inverse_sums(
        x(),
        [&](const PairStrip& strip, std::span<double> weights) {
          fill_forms(how.forms, classes_, strip.row, strip.first_column, strip.kernel, weights);
          sums.add(strip.row, strip.first_column, weights);
          const auto width = static_cast<Index>(strip.divergence.size());
          for (Index m = 0; m < times_divergence.rows(); ++m)
            times_divergence(m, strip.row) += add_strip(weights.data() + m * width, strip.divergence.data(), width,
                                                        &times_divergence(m, strip.first_column));
        },
        {.forms = static_cast<Index>(how.forms.size()), .theta = theta, .options = options_});
    Matrix of_all = sums.rows();
    add_up(of_all, options_.team);
    const FormWeights weights = how.weigh(of_all);
    Eigen::VectorXd weight_sums = Eigen::VectorXd::Zero(x().size()), divergence_sums = weight_sums;
    std::vector<double>& combined = inverses[0].values;
    for (std::size_t k = 0; k < combined.size(); ++k) {
      combined[k] *= weights.forms[0];
      for (std::size_t m = 1; m < inverses.size(); ++m) combined[k] += weights.forms[m] * inverses[m].values[k];
    }
    for (std::size_t m = 0; m < how.forms.size(); ++m) {
      weight_sums += weights.forms[m] * sums.rows().row(static_cast<Index>(m)).transpose();
      divergence_sums += weights.forms[m] * times_divergence.row(static_cast<Index>(m)).transpose();
    }
    return finished(std::move(inverses[0]), std::move(weight_sums), std::move(divergence_sums));
  }

  /// The sums over all pairs first, then inverses with the final weights.
  WeightedInverses in_two_passes(double theta, const SummedForms& how) const {
    const FormWeights weights = how.weigh(form_sums(how.forms, {&theta, 1})[0]);
    return weighted_by(weigh_by_forms(how.forms, weights, classes_), theta);
  }

  SweepMatrices matrices_;
  std::vector<int> classes_;
  PairOptions options_;
};

}  // namespace

std::unique_ptr<Sweep> make_cpu_sweep(SweepMatrices matrices, const PairOptions& options) {
  return std::make_unique<CpuSweep>(std::move(matrices), options);
}

}  // namespace dsk::engine

#include <dsk/learn.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "learn/objective.hpp"
#include "machine/messages.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

constexpr detail::CriterionRow criterion_table[] = {
    {Criterion::alignment, "alignment", "ka", "KA", "kernel alignment", true, false, detail::alignment,
     detail::weighted_alignment},
    {Criterion::separability, "separability", "cs", "CS", "class separability", true, false, detail::separability,
     detail::weighted_separability},
    {Criterion::radius_margin, "radius-margin", "rm", "RM", "radius-margin bound", false, true, detail::radius_margin,
     nullptr},
    {Criterion::trace_margin, "trace-margin", "tm", "TM", "trace-margin bound", false, true, detail::trace_margin,
     nullptr},
    {Criterion::centred, "centred", "ca", "CA", "centred kernel alignment", true, false, detail::centred,
     detail::weighted_centred},
    {Criterion::neighbour, "neighbour", "nn", "NN", "smooth leave-one-out k-NN", true, false, detail::neighbour,
     detail::weighted_neighbour},
};

std::span<const detail::CriterionRow> rows() {
  return criterion_table;
}

}  // namespace

const detail::CriterionRow& detail::row_of(Criterion criterion) {
  return find_by_value(rows(), criterion, "criterion");
}

Criterion parse_criterion(std::string_view text) {
  return detail::find_by_name(rows(), text, "criterion").value;
}
std::string criterion_choices() {
  return detail::choices(rows());
}
std::string pair_criterion_choices() {
  std::vector<detail::CriterionRow> over_pairs;
  for (const detail::CriterionRow& row : criterion_table)
    if (!row.has_soft_margin) over_pairs.push_back(row);
  return detail::choices(std::span<const detail::CriterionRow>(over_pairs));
}
std::span<const Criterion> all_criteria() {
  static constexpr auto all = [] {
    std::array<Criterion, std::size(criterion_table)> values{};
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = criterion_table[k].value;
    return values;
  }();
  return all;
}
std::string_view name(Criterion criterion) {
  return detail::row_of(criterion).name;
}
std::string_view letters(Criterion criterion) {
  return detail::row_of(criterion).letters;
}
bool is_maximised(Criterion criterion) {
  return detail::row_of(criterion).maximised;
}
bool has_soft_margin(Criterion criterion) {
  return detail::row_of(criterion).has_soft_margin;
}

namespace detail {

std::vector<std::vector<Index>> members_of(const Labels& labels) {
  std::vector<std::vector<Index>> classes(labels.names().size());
  for (Index i = 0; i < labels.size(); ++i) classes[static_cast<std::size_t>(labels[i])].push_back(i);
  std::erase_if(classes, [](const std::vector<Index>& members) { return members.empty(); });
  std::sort(classes.begin(), classes.end());
  return classes;
}

Classes::Classes(const Dataset& train)
    : of(static_cast<std::size_t>(train.size())), members(members_of(train.labels())), weights(train.weights()) {
  require_two_classes(train.labels());
  for (std::size_t c = 0; c < members.size(); ++c)
    for (const Index i : members[c]) of[static_cast<std::size_t>(i)] = static_cast<int>(c);
}

namespace {

std::unique_ptr<Objective> objective_of(const CriterionRow& criterion, const Classes& classes,
                                        const PairOptions& options) {
  if (classes.weights.empty() || criterion.weighted == nullptr) return criterion.make(classes, options);
  return make_weighted_objective(criterion.weighted, classes, options);
}

}  // namespace

Composition::Composition(const CriterionRow& criterion, const Dataset& train, TransformSearch& search,
                         const PairOptions& options)
    : criterion_(criterion),
      classes_(std::make_unique<Classes>(train)),
      objective_(objective_of(criterion, *classes_, options)),
      pairs_(search.sweep(options)) {
  pairs_.set_classes(classes_->of);
}

Matrix Composition::values(std::span<const double> thetas, std::span<const double> cs) const {
  return objective_->values(pairs_, thetas, cs);
}

Matrix Composition::values_up_to(double limit, std::span<const double> thetas, std::span<const double> cs) const {
  return objective_->values_up_to(limit, pairs_, thetas, cs);
}

KernelGradient Composition::gradient(double theta, double c) const {
  return objective_->gradient(pairs_, theta, c);
}

}  // namespace detail

struct CriterionFunction::State {
  State(Criterion which, const Dataset& train, const PairOptions& options, Metric by)
      : metric(by),
        matrices(train.matrices()),
        search(matrices, options.threads, {.metric = by}),
        composition(detail::row_of(which), train, search, options) {}

  Metric metric;
  SpdBatch matrices;
  detail::EigenvalueSearch search;
  detail::Composition composition;
};

CriterionFunction::CriterionFunction(Criterion criterion, const Dataset& train, const PairOptions& options,
                                     Metric metric)
    : state_(std::make_unique<State>(criterion, train, options, metric)) {}
CriterionFunction::CriterionFunction(CriterionFunction&&) noexcept = default;
CriterionFunction& CriterionFunction::operator=(CriterionFunction&&) noexcept = default;
CriterionFunction::~CriterionFunction() = default;

const Matrix& CriterionFunction::log_eigenvalues() const {
  return state_->search.log_eigenvalues();
}

Matrix CriterionFunction::plain_values(std::span<const double> thetas, std::span<const double> cs) const {
  state_->search.apply_plain(state_->composition.pairs());
  return state_->composition.values(thetas, cs);
}

CriterionFunction::Gradient CriterionFunction::operator()(const LearnedKernel& kernel, double c) const {
  if (state_->composition.criterion().has_soft_margin && !(c > 0 && std::isfinite(c)))
    throw InvalidInput(fmt::format("C {} must be finite and above 0", c));
  if (kernel.metric() != state_->metric)
    throw InvalidInput(fmt::format("a criterion of {} kernels cannot take a kernel by {}", name(state_->metric),
                                   name(kernel.metric())));
  PairSums& pairs = state_->composition.pairs();
  state_->search.apply(kernel.adjustment(), kernel.zeta(), pairs);
  const detail::KernelGradient found = state_->composition.gradient(kernel.theta(), c);
  auto [by_slope, by_intercept, by_zeta] = state_->search.derivatives(found.inverses, kernel.theta());
  for (Eigen::VectorXd* part : {&by_slope, &by_intercept})
    pairs.add_up({part->data(), static_cast<std::size_t>(part->size())});
  pairs.add_up({&by_zeta, 1});
  return {found.value, std::move(by_slope), std::move(by_intercept), found.by_log_c, by_zeta};
}

}  // namespace dsk

namespace dsk::detail {
namespace {

class SumObjective : public Objective {
 public:
  SumObjective(SumCriterion criterion, const Classes& classes) : criterion_(std::move(criterion)), classes_(classes) {}

  Matrix values(const PairSums& pairs, std::span<const double> thetas, std::span<const double> cs) const override {
    const std::vector<Matrix> sums = pairs.form_sums(criterion_.forms, thetas);
    Matrix result(static_cast<Index>(thetas.size()), static_cast<Index>(cs.size()));
    for (Index t = 0; t < result.rows(); ++t)
      result.row(t).setConstant(criterion_.evaluate(sums[static_cast<std::size_t>(t)], classes_).value);
    return result;
  }

  KernelGradient gradient(const PairSums& pairs, double theta, double) const override {
    KernelGradient gradient;
    const auto weigh = [&](const Matrix& sums) {
      SumValue found = criterion_.evaluate(sums, classes_);
      gradient.value = found.value;
      return std::move(found.weights);
    };
    gradient.inverses = pairs.weighted_inverses(
        theta, {.forms = criterion_.forms, .weigh = weigh, .weighs_rows = criterion_.weighs_rows});
    return gradient;
  }

 private:
  SumCriterion criterion_;
  const Classes& classes_;
};

}  // namespace

std::unique_ptr<Objective> make_sum_objective(SumCriterion criterion, const Classes& classes) {
  return std::make_unique<SumObjective>(std::move(criterion), classes);
}

}  // namespace dsk::detail

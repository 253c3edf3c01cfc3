#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

struct NamedRepair {
  Repair::Kind kind;
  std::string_view name;
  double default_amount;
  double largest_amount;
};

constexpr NamedRepair repairs[] = {{Repair::Kind::none, "none", 0, 0},
                                   {Repair::Kind::shrink, "shrink", 0.01, 1},
                                   {Repair::Kind::ridge, "ridge", 1e-6, 1e300},
                                   {Repair::Kind::clip, "clip", 1e-10, 1}};

const NamedRepair& description(Repair::Kind kind) {
  for (const NamedRepair& repair : repairs)
    if (repair.kind == kind) return repair;
  throw InvalidInput(fmt::format("unknown repair kind {}", static_cast<int>(kind)));
}

void check_amount(const Repair& how) {
  const NamedRepair& repair = description(how.kind);
  if (how.kind != Repair::Kind::none && !(how.amount > 0 && how.amount <= repair.largest_amount))
    throw InvalidInput(fmt::format("amount of repair {1} is {0}, but must be above 0 and at most {2}", how.amount,
                                   repair.name, repair.largest_amount));
}

void clip(Eigen::Map<Matrix> x, double amount) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(x)};
  const Eigen::VectorXd& values = solver.eigenvalues();
  const double floor = amount * values(x.rows() - 1);
  if (values(0) >= floor) return;
  x = solver.eigenvectors() * values.cwiseMax(floor).asDiagonal() * solver.eigenvectors().transpose();
  x.triangularView<Eigen::StrictlyUpper>() = x.transpose();
}

void apply(Eigen::Map<Matrix> x, const Repair& how) {
  const double mean_diagonal = (x.diagonal() / static_cast<double>(x.rows())).sum();
  if (how.kind == Repair::Kind::shrink) x *= 1 - how.amount;
  if (how.kind == Repair::Kind::shrink || how.kind == Repair::Kind::ridge)
    x.diagonal().array() += how.amount * mean_diagonal;
  if (how.kind == Repair::Kind::clip) clip(x, how.amount);
}

/// |repaired - original| / |original|, scaled first: the squares of large entries would overflow.
double relative_change(const Matrix& original, const Matrix& repaired) {
  const double largest = original.cwiseAbs().maxCoeff();
  if (largest == 0) return 0;
  return ((repaired - original) / largest).norm() / (original / largest).norm();
}

}  // namespace

Repair Repair::parse(std::string_view text) {
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const NamedRepair& known : repairs) {
    if (known.name != name) continue;
    Repair result{known.kind, known.default_amount};
    if (colon != std::string_view::npos) {
      const std::string_view number = text.substr(colon + 1);
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), result.amount);
      if (known.kind == Repair::Kind::none || error != std::errc() || end != number.data() + number.size())
        throw InvalidInput(fmt::format("'{}' is not a valid amount for repair {}", number, name));
    }
    check_amount(result);
    return result;
  }
  throw InvalidInput(fmt::format(
      "unknown repair '{}'; use none, shrink, ridge or clip, optionally with an amount as in ridge:1e-6", text));
}

SpdBatch repair(MatrixStack stack, const Repair& how, int threads, Repair::Summary* summary) {
  detail::check_shape(stack.values.size(), stack.count, stack.dim);
  check_amount(how);
  Repair::Summary done{.matrices = stack.count};
  if (how.kind != Repair::Kind::none) {
    const Index dim = stack.dim;
    std::vector<double> changes(static_cast<std::size_t>(stack.count));
    detail::for_ranges(stack.count, threads, detail::cubic_cost(dim, 10), [&](Index first, Index last) {
      Matrix scratch, inverse;
      for (Index i = first; i < last; ++i) {
        Eigen::Map<Matrix> x(stack.values.data() + i * dim * dim, dim, dim);
        if (!detail::symmetrise(x, symmetry_tolerance))
          throw InvalidInput(detail::diagnose_matrix(stack[i], i, symmetry_tolerance).message());
        if (!how.every_matrix && detail::is_positive_definite(stack[i], scratch, inverse)) continue;
        const Matrix original = x;
        apply(x, how);
        changes[static_cast<std::size_t>(i)] = relative_change(original, x);
      }
    });
    done.changed = std::count_if(changes.begin(), changes.end(), [](double change) { return change > 0; });
    done.largest_change = *std::max_element(changes.begin(), changes.end());
  }
  if (summary != nullptr) *summary = done;
  if (how.kind == Repair::Kind::none) return SpdBatch(std::move(stack), threads);
  try {
    return SpdBatch(std::move(stack), threads);
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("after repair {}:{:.3g}, {}", description(how.kind).name, how.amount, error.what()));
  }
}

}  // namespace dsk

#include <dsk/mean.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "machine/parallel.hpp"
#include "metric/mean.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

/// The upper triangle, row by row, those off the diagonal times the square root of 2.
void to_tangent_row(const Eigen::Ref<const Matrix>& symmetric, Eigen::Ref<Eigen::RowVectorXd> row) {
  Index position = 0;
  for (Index r = 0; r < symmetric.rows(); ++r) {
    row(position++) = symmetric(r, r);
    for (Index c = r + 1; c < symmetric.cols(); ++c) row(position++) = std::numbers::sqrt2 * symmetric(r, c);
  }
}

void from_tangent_row(const Eigen::Ref<const Eigen::RowVectorXd>& row, Eigen::Map<Matrix> symmetric) {
  Index position = 0;
  for (Index r = 0; r < symmetric.rows(); ++r) {
    symmetric(r, r) = row(position++);
    for (Index c = r + 1; c < symmetric.cols(); ++c)
      symmetric(r, c) = symmetric(c, r) = row(position++) / std::numbers::sqrt2;
  }
}

SpdBatch single(const Matrix& matrix) {
  if (matrix.rows() != matrix.cols())
    throw InvalidInput(
        fmt::format("the reference has shape ({}, {}), but must be square", matrix.rows(), matrix.cols()));
  return {std::span(matrix.data(), static_cast<std::size_t>(matrix.size())), 1, matrix.rows(), 1};
}

/// Calls work(first, last) for runs of at most eigen_group matrices.
template <class Work>
void for_eigen_groups(Index count, Index dim, int threads, const Work& work) {
  constexpr Index group = detail::eigen_group;
  const double cost = detail::cubic_cost(dim, 1) * static_cast<double>(group);
  detail::for_ranges((count + group - 1) / group, threads, cost, [&](Index first, Index last) {
    for (Index g = first; g < last; ++g) work(g * group, std::min((g + 1) * group, count));
  });
}

/// log(R X R) of any matrix, with its number for messages.
Matrix log_of_congruence(const MatrixView& x, const Matrix& root, Index number) {
  Matrix whitened = root * x * root;
  whitened = (whitened + whitened.transpose()).eval() / 2;
  try {
    return matrix_function({1, x.rows(), {whitened.data(), whitened.data() + whitened.size()}}, {}, 1)[0];
  } catch (const InvalidInput&) {
    throw InvalidInput(fmt::format("matrix {} is not positive definite", number));
  }
}

}  // namespace

TangentSpace::TangentSpace(const Matrix& reference) {
  const SpdBatch checked = single(reference);
  reference_ = checked[0];
  const EigenBatch eigen = eigen_decompose(checked, 1);
  const Matrix roots = eigen.values.array().sqrt();
  root_ = recompose(roots, eigen.vectors, 1)[0];
  inverse_root_ = recompose(roots.cwiseInverse(), eigen.vectors, 1)[0];
}

Matrix TangentSpace::map(const SpdBatch& x, int threads) const {
  if (x.dim() != dim())
    throw InvalidInput(fmt::format("matrices of size {} x {} do not fit a tangent space at a matrix of size {} x {}",
                                   x.dim(), x.dim(), dim(), dim()));
  Matrix rows(x.size(), features());
  constexpr Index group = detail::eigen_group;
  const double cost = detail::cubic_cost(dim(), 0.3) * static_cast<double>(group);
  detail::for_ranges((x.size() + group - 1) / group, threads, cost, [&](Index first, Index last) {
    detail::GroupFunction log(detail::SpectralFunction::logarithm, dim(), &inverse_root_);
    MatrixStack logs{group, dim(), std::vector<double>(static_cast<std::size_t>(group * dim() * dim()))};
    double conditions[group];
    for (Index i = first * group; i < std::min(last * group, x.size()); i += group) {
      const Index count = std::min(group, x.size() - i);
      log(x[i].data(), count, logs.values.data(), conditions);
      for (Index k = 0; k < count; ++k) to_tangent_row(logs[k], rows.row(i + k));
    }
  });
  return rows;
}

SpdBatch TangentSpace::back(const Matrix& rows, int threads) const {
  if (rows.cols() != features())
    throw InvalidInput(fmt::format("rows have {} numbers, but matrices of size {} x {} have {} in the tangent space",
                                   rows.cols(), dim(), dim(), features()));
  for (Index i = 0; i < rows.rows(); ++i)
    if (!rows.row(i).allFinite()) throw InvalidInput(fmt::format("row {} contains NaN or Inf", i));
  const auto entries = static_cast<std::size_t>(dim() * dim());
  MatrixStack result{rows.rows(), dim(), std::vector<double>(static_cast<std::size_t>(rows.rows()) * entries)};
  const auto matrix_at = [&](MatrixStack& stack, Index i) {
    return Eigen::Map<Matrix>(stack.values.data() + i * dim() * dim(), dim(), dim());
  };
  for_eigen_groups(rows.rows(), dim(), threads, [&](Index first, Index last) {
    MatrixStack logs{last - first, dim(), std::vector<double>(static_cast<std::size_t>(last - first) * entries)};
    for (Index i = first; i < last; ++i) from_tangent_row(rows.row(i), matrix_at(logs, i - first));
    const EigenBatch eigen = detail::eigen_of_symmetric(std::move(logs));
    for (Index i = first; i < last; ++i) {
      const Eigen::VectorXd roots = (eigen.values.row(i - first).transpose() / 2).array().exp();
      const Matrix factor = root_ * eigen.vectors[i - first] * roots.asDiagonal();
      Eigen::Map<Matrix> out = matrix_at(result, i);
      out.noalias() = factor * factor.transpose();
      out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
      if (!out.allFinite() || !(out.diagonal().minCoeff() > 0))
        throw NumericalFailure(fmt::format("the matrix of row {} leaves the range of double", i));
    }
  });
  return detail::trust(std::move(result));
}

detail::TangentQuery::TangentQuery(const TangentSpace& space) : whitening_(space.whitening()), memory_(space.dim()) {}

bool detail::TangentQuery::operator()(const MatrixView& x, Eigen::Ref<Eigen::RowVectorXd> row) {
  // In the order of eigen_of_congruences.
  memory_.lower.noalias() = x * whitening_.transpose();
  memory_.lower.transposeInPlace();
  memory_.result.noalias() = memory_.lower * whitening_.transpose();
  const MatrixView congruent(memory_.result.data(), x.rows(), x.cols());
  if (!congruent.allFinite() ||
      !decompose_one(congruent, memory_.scratch.data(), memory_.values.data(), memory_.vectors.data()))
    return false;
  for (double& value : memory_.values.reshaped()) value = std::log(value);
  recompose_group(memory_.values.data(), memory_.vectors.data(), 1, x.rows(), memory_.scratch.data(),
                  memory_.result.data());
  to_tangent_row(congruent, row);
  return true;
}

Matrix tangent_rows(const Matrix& reference, MatrixStack&& symmetric, int threads) {
  const Index dim = symmetric.dim, count = symmetric.count;
  detail::check_shape(symmetric.values.size(), count, dim);
  if (reference.rows() != dim || reference.cols() != dim)
    throw InvalidInput(fmt::format("matrices of size {} x {} do not fit a tangent space at a matrix of size {} x {}",
                                   dim, dim, reference.rows(), reference.cols()));
  MatrixStack stack{1, dim, {reference.data(), reference.data() + reference.size()}};
  const Matrix root = matrix_function(std::move(stack), {MatrixFunction::Kind::inverse_root}, 1)[0];
  MatrixStack x = std::move(symmetric);
  Matrix rows(count, dim * (dim + 1) / 2);
  for_eigen_groups(count, dim, threads, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      if (!detail::symmetrise({x.values.data() + i * dim * dim, dim, dim}, symmetry_tolerance))
        throw InvalidInput(fmt::format("matrix {} is not symmetric or contains NaN or Inf", i));
    MatrixStack logs{last - first, dim, std::vector<double>(static_cast<std::size_t>((last - first) * dim * dim))};
    unsigned refused = ~0U;
    if (dim <= detail::largest_in_lanes) {
      detail::AlignedArray<double> scratch(detail::function_scratch(dim));
      double conditions[detail::eigen_group];
      refused = detail::function_group(detail::SpectralFunction::logarithm, x[first].data(), last - first, dim,
                                       root.data(), scratch.data(), logs.values.data(), conditions);
    }
    for (Index i = first; i < last; ++i) {
      const bool by_lanes = (refused >> (i - first) & 1U) == 0;
      to_tangent_row(by_lanes ? Matrix(logs[i - first]) : log_of_congruence(x[i], root, i), rows.row(i));
    }
  });
  return rows;
}

}  // namespace dsk

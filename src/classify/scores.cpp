#include <cmath>
#include <limits>
#include <utility>

#include "classify/classify.hpp"

namespace dsk::detail {

Matrix centred_scores(Matrix scores) {
  for (Index i = 0; i < scores.rows(); ++i) {
    double sum = 0;
    Index finite = 0;
    for (const double score : scores.row(i)) {
      if (!std::isfinite(score)) continue;
      sum += score;
      ++finite;
    }
    if (finite > 0) scores.row(i).array() -= sum / static_cast<double>(finite);
  }
  return scores;
}

double score_scale(const Matrix& scores) {
  const Matrix centred = centred_scores(scores);
  double sum = 0;
  Index finite = 0;
  for (const double score : centred.reshaped()) {
    if (!std::isfinite(score)) continue;
    sum += score * score;
    ++finite;
  }
  const double deviation = finite > 0 ? std::sqrt(sum / static_cast<double>(finite)) : 0;
  return deviation > 0 && std::isfinite(deviation) ? deviation : 1;
}

Prediction predict_largest(const Labels& known, Matrix scores) {
  std::vector<int> codes;
  for (Index i = 0; i < scores.rows(); ++i) {
    Index best = 0;
    const double largest = scores.row(i).maxCoeff(&best);
    codes.push_back(static_cast<int>(best));
    // Equal scores first: infinite ones have no difference.
    for (double& score : scores.row(i)) score = score == largest ? 1 : std::exp(score - largest);
    scores.row(i) /= scores.row(i).sum();
  }
  return {Labels(known.names(), std::move(codes), known.integral()), std::move(scores)};
}

Matrix spread_columns(const Matrix& of_present, const Labels& present, double missing) {
  Matrix result = Matrix::Constant(of_present.rows(), static_cast<Index>(present.names().size()), missing);
  for (Index c = 0; c < present.size(); ++c) result.col(present[c]) = of_present.col(c);
  return result;
}

}  // namespace dsk::detail

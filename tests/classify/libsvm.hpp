#pragma once

#include <dsk/matrices.hpp>

#include <libsvm/svm.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace dsk::test {

inline std::vector<std::vector<svm_node>> precomputed_rows(const Matrix& kernel) {
  std::vector<std::vector<svm_node>> rows;
  for (Index i = 0; i < kernel.rows(); ++i) {
    rows.push_back({{0, static_cast<double>(i + 1)}});
    for (Index j = 0; j < kernel.cols(); ++j) rows.back().push_back({static_cast<int>(j + 1), kernel(i, j)});
    rows.back().push_back({-1, 0});
  }
  return rows;
}

struct LibsvmOptions {
  double c = 1;
  std::vector<std::pair<int, double>> weights = {};  ///< class and factor of C
  bool probabilities = false;
};

/// For pairs (a, b) of ascending classes.
struct LibsvmAnswer {
  Matrix decisions;
  std::vector<int> predicted;
  Matrix probabilities;  ///< columns of ascending classes
};

/// LIBSVM's own one-against-one machine.
class Libsvm {
 public:
  Libsvm(const Matrix& kernel, const std::vector<int>& classes, const LibsvmOptions& options)
      : rows_(precomputed_rows(kernel)), targets_(classes.begin(), classes.end()) {
    starts_.resize(rows_.size());
    std::transform(rows_.begin(), rows_.end(), starts_.begin(), [](auto& row) { return row.data(); });
    const svm_problem problem{static_cast<int>(rows_.size()), targets_.data(), starts_.data()};
    svm_parameter parameter{};
    parameter.svm_type = C_SVC;
    parameter.kernel_type = PRECOMPUTED;
    parameter.C = options.c;
    parameter.eps = 1e-9;
    parameter.cache_size = 10;
    parameter.probability = options.probabilities ? 1 : 0;
    for (const auto& [label, weight] : options.weights) {
      weighted_.push_back(label);
      weights_.push_back(weight);
    }
    parameter.nr_weight = static_cast<int>(weights_.size());
    parameter.weight_label = weighted_.data();
    parameter.weight = weights_.data();
    svm_set_print_string_function([](const char*) {});
    model_ = svm_train(&problem, &parameter);
    order_.resize(static_cast<std::size_t>(svm_get_nr_class(model_)));
    svm_get_labels(model_, order_.data());
  }
  ~Libsvm() { svm_free_and_destroy_model(&model_); }
  Libsvm(const Libsvm&) = delete;
  Libsvm& operator=(const Libsvm&) = delete;

  const svm_model& model() const { return *model_; }

  /// The sum of the sizes of all coefficients, which bounds what rounded kernel values do to a decision.
  double coefficient_sum() const {
    double sum = 0;
    for (int k = 0; k + 1 < model_->nr_class; ++k)
      for (int s = 0; s < model_->l; ++s) sum += std::abs(model_->sv_coef[k][s]);
    return sum;
  }

  LibsvmAnswer answer(const Matrix& to_training) const {
    std::vector<int> sorted = order_;
    std::sort(sorted.begin(), sorted.end());
    const auto position = [&](int label) { return std::find(sorted.begin(), sorted.end(), label) - sorted.begin(); };
    std::map<std::pair<int, int>, Index> columns;
    for (const int a : sorted)
      for (const int b : sorted)
        if (a < b) columns.emplace(std::pair(a, b), static_cast<Index>(columns.size()));

    LibsvmAnswer answer{Matrix(to_training.rows(), static_cast<Index>(columns.size())), {}, {}};
    if (model_->probA) answer.probabilities.resize(to_training.rows(), static_cast<Index>(sorted.size()));
    std::vector<double> values(columns.size()), shares(sorted.size());
    for (Index i = 0; i < to_training.rows(); ++i) {
      const auto point = precomputed_rows(to_training.row(i)).front();
      answer.predicted.push_back(static_cast<int>(svm_predict_values(model_, point.data(), values.data())));
      auto value = values.begin();
      for (std::size_t a = 0; a < order_.size(); ++a)
        for (std::size_t b = a + 1; b < order_.size(); ++b, ++value) {
          const auto [low, high] = std::minmax(order_[a], order_[b]);
          answer.decisions(i, columns.at({low, high})) = order_[a] < order_[b] ? *value : -*value;
        }
      if (!model_->probA) continue;
      svm_predict_probability(model_, point.data(), shares.data());
      for (std::size_t c = 0; c < shares.size(); ++c) answer.probabilities(i, position(order_[c])) = shares[c];
    }
    return answer;
  }

 private:
  std::vector<std::vector<svm_node>> rows_;
  std::vector<svm_node*> starts_;
  std::vector<double> targets_, weights_;
  std::vector<int> weighted_, order_;
  svm_model* model_ = nullptr;
};

}  // namespace dsk::test

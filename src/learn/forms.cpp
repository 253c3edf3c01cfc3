#include "learn/forms.hpp"

namespace dsk::detail {
namespace {

template <class Function>
void fill(std::span<const double> kernel, double* result, const Function& function) {
  for (std::size_t l = 0; l < kernel.size(); ++l) result[l] = function(l, kernel[l]);
}

}  // namespace

void fill_forms(std::span<const Form> forms, const Classes& classes, Index row, Index first_column,
                std::span<const double> kernel, std::span<double> result) {
  const int* other = classes.of.data() + first_column;
  const int own = classes[row];
  for (std::size_t m = 0; m < forms.size(); ++m) {
    double* const out = result.data() + m * kernel.size();
    switch (forms[m]) {
      case Form::target:
        fill(kernel, out, [&](std::size_t l, double k) { return other[l] == own ? k : -k; });
        break;
      case Form::same:
        fill(kernel, out, [&](std::size_t l, double k) { return other[l] == own ? k : 0; });
        break;
      case Form::class_mean: {
        const double share = 1 / static_cast<double>(classes.size(own));
        fill(kernel, out, [&](std::size_t l, double k) { return other[l] == own ? k * share : 0; });
        break;
      }
      case Form::kernel:
        fill(kernel, out, [](std::size_t, double k) { return k; });
        break;
      case Form::square:
        fill(kernel, out, [](std::size_t, double k) { return k * k; });
        break;
    }
  }
}

PairFactors pair_factors(Form form, const Classes& classes, Index i) {
  switch (form) {
    case Form::target:
      return {.same = 1, .other = -1};
    case Form::same:
      return {.same = 1};
    case Form::class_mean:
      return {.same = 1 / static_cast<double>(classes.size(classes[i]))};
    case Form::kernel:
      return {.same = 1, .other = 1};
    case Form::square:
      return {.square = 1};
  }
  return {};
}

void FormSums::add(Index row, Index first_column, std::span<const double> filled) {
  const Index width = static_cast<Index>(filled.size()) / rows_.rows();
  const double* value = filled.data();
  for (Index m = 0; m < rows_.rows(); ++m, value += width) {
    double* const sums = rows_.data() + m * rows_.cols();
    double sum = 0;
    for (Index l = 0; l < width; ++l) {
      sum += value[l];
      sums[first_column + l] += value[l];
    }
    sums[row] += sum;
  }
}

}  // namespace dsk::detail

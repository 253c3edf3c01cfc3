#pragma once

#include <dsk/matrices.hpp>

namespace dsk::engine {

/// One form (PairForm) of the pairs of a matrix with others: what kernel values of the same and of other classes, and
/// their squares, count.
struct FormOfStrip {
  int own = 0;  ///< the class of the matrix
  double same = 0;
  double other = 0;
  double square = 0;
};

/// Writes the form of pairs with others of the given classes and kernel values.
void fill_form(const FormOfStrip& form, const int* classes, const double* kernel, Index width, double* out);

/// Adds values, each times its factor unless `factors` is null, to the sums of the others, and returns their sum.
double add_strip(const double* values, const double* factors, Index width, double* sums);

}  // namespace dsk::engine

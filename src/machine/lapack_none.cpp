#include <stdexcept>

#include "machine/lapack.hpp"

// A build without LAPACK: its crossover says that no matrix is large enough.
namespace dsk::detail::lapack {
namespace {

[[noreturn]] void missing() {
  throw std::logic_error("this dsk was built without LAPACK");
}

}  // namespace

const Crossover& crossover() {
  static constexpr Crossover none{};
  return none;
}

void set_crossover(const Crossover&) {}

std::string description() {
  return "not built in (-DDSK_WITH_LAPACK=ON)";
}

bool factor(double*, Size) {
  missing();
}
bool factor_block(double*, Size, Size) {
  missing();
}
void solve_block(const double*, Size, double*, Size, Size) {
  missing();
}
void subtract_product(const double*, Size, const double*, Size, Size, double*, Size) {
  missing();
}
void invert_lower(double*, Size) {
  missing();
}
void square_transposed(double*, Size) {
  missing();
}
void invert_from_factor(double*, Size) {
  missing();
}
void multiply_lower(const double*, bool, const double*, double*, Size) {
  missing();
}
void multiply_triangles(const double*, const double*, double*, Size) {
  missing();
}
void multiply(const double*, const double*, bool, double*, Size) {
  missing();
}
void multiply_columns(const double*, const double*, Size, double*, Size) {
  missing();
}
bool decompose(double*, Size, double*) {
  missing();
}
void recompose(const double*, const double*, double*, Size) {
  missing();
}
bool squared_singular_values(const double*, Size, double*, double*) {
  missing();
}
bool squared_singular_values_of_triangle(const double*, Size, double*, double*) {
  missing();
}
bool singular_values(double*, Size, double*) {
  missing();
}
void tridiagonalise(double*, Size, const Tridiagonal&) {
  missing();
}
void transform_back(const double*, const double*, double*, Size) {
  missing();
}
void mirror(double*, Size) {
  missing();
}

}  // namespace dsk::detail::lapack

#pragma once

#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dsk {

/// Squared affine invariant distances, sum of log^2 of the eigenvalues of X^-1 Y, of all pairs of x with x (symmetric
/// to the bit, zero diagonal) or of x with y; exactly 0 for equal matrices. Always in double precision.
Matrix pair_squared_airm(const SpdBatch& x, const PairOptions& options = {});
Matrix pair_squared_airm(const SpdBatch& x, const SpdBatch& y, const PairOptions& options = {});

/// Replaces every entry v of the matrix by exp(factor v), for factor v up to 700. `threads` = 0 uses all cores.
void exponential_in_place(Matrix& matrix, double factor, int threads = 0);

/// The same for a run of numbers, on the calling thread.
void exponential_in_place(std::span<double> values, double factor);

/// Squared Euclidean distances of all pairs of rows of x (symmetric to the bit, zero diagonal) or of rows of x with
/// rows of y. Sums squares of differences, so that close rows lose no digits and equal rows give exactly 0.
Matrix pair_squared_distances(const Matrix& x, const PairOptions& options = {});
Matrix pair_squared_distances(const Matrix& x, const Matrix& y, const PairOptions& options = {});

}  // namespace dsk

namespace dsk::engine {

/// sum_i w_i ((X_i + M)/2)^-1, with what shows how different its terms are: the sums of w_i tr(.)^2 and w_i |.|^2.
struct SumOfInverses {
  Matrix inverses;
  double squared_traces = 0;
  double squared_norms = 0;
};

/// Packs a batch and computes such sums for one M after the other. The same bits for any number of threads.
class InverseSum {
 public:
  InverseSum(const SpdBatch& x, std::span<const double> weights, int threads);
  ~InverseSum();

  /// Throws NumericalFailure if an average (X_i + M)/2 has no Cholesky factor.
  SumOfInverses at(const Matrix& m);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws InvalidInput for a device where `what` is computed by the CPU only.
void require_cpu(const PairOptions& options, std::string_view what);

/// Values on their way to other ranks, which run the same program on like machines.
class Parcel {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> Parcel& put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  template <class T>
  Parcel& put_all(std::span<const T> values) {
    put(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes values out in the order in which they were put in.
class OpenParcel {
 public:
  explicit OpenParcel(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T take() {
    T value;
    copy_to(&value, sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> take_all() {
    std::vector<T> values(take<std::size_t>());
    copy_to(values.data(), values.size() * sizeof(T));
    return values;
  }
  std::string take_text() {
    const std::vector<char> text = take_all<char>();
    return {text.begin(), text.end()};
  }

 private:
  void copy_to(void* target, std::size_t size) {
    if (size > 0) std::memcpy(target, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  std::string_view rest_;
};

}  // namespace dsk::engine

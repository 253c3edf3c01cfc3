#include "machine/lapack.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

// What Fortran calls a matrix is the transpose of ours: our lower triangle is its upper one.
extern "C" {
using LapackInt = int;
void dpotrf_(const char*, const LapackInt*, double*, const LapackInt*, LapackInt*);
void dpotri_(const char*, const LapackInt*, double*, const LapackInt*, LapackInt*);
void dtrtri_(const char*, const char*, const LapackInt*, double*, const LapackInt*, LapackInt*);
void dlauum_(const char*, const LapackInt*, double*, const LapackInt*, LapackInt*);
void dtrsm_(const char*, const char*, const char*, const char*, const LapackInt*, const LapackInt*, const double*,
            const double*, const LapackInt*, double*, const LapackInt*);
void dtrmm_(const char*, const char*, const char*, const char*, const LapackInt*, const LapackInt*, const double*,
            const double*, const LapackInt*, double*, const LapackInt*);
void dgemm_(const char*, const char*, const LapackInt*, const LapackInt*, const LapackInt*, const double*,
            const double*, const LapackInt*, const double*, const LapackInt*, const double*, double*, const LapackInt*);
void dsymm_(const char*, const char*, const LapackInt*, const LapackInt*, const double*, const double*,
            const LapackInt*, const double*, const LapackInt*, const double*, double*, const LapackInt*);
void dsyrk_(const char*, const char*, const LapackInt*, const LapackInt*, const double*, const double*,
            const LapackInt*, const double*, double*, const LapackInt*);
void dsyr2k_(const char*, const char*, const LapackInt*, const LapackInt*, const double*, const double*,
             const LapackInt*, const double*, const LapackInt*, const double*, double*, const LapackInt*);
void dsyevd_(const char*, const char*, const LapackInt*, double*, const LapackInt*, double*, double*, const LapackInt*,
             LapackInt*, const LapackInt*, LapackInt*);
void dsytrd_(const char*, const LapackInt*, double*, const LapackInt*, double*, double*, double*, double*,
             const LapackInt*, LapackInt*);
void dsterf_(const LapackInt*, double*, double*, LapackInt*);
void dgesvd_(const char*, const char*, const LapackInt*, const LapackInt*, double*, const LapackInt*, double*, double*,
             const LapackInt*, double*, const LapackInt*, double*, const LapackInt*, LapackInt*);
void dlarft_(const char*, const char*, const LapackInt*, const LapackInt*, const double*, const LapackInt*,
             const double*, double*, const LapackInt*);
int openblas_get_parallel();
int openblas_get_num_threads();
void openblas_set_num_threads(int);
char* openblas_get_corename();
char* openblas_get_config();
}

namespace dsk::detail::lapack {
namespace {

constexpr double one = 1, minus_one = -1, minus_half = -0.5, zero = 0;

/// Keeps OpenBLAS from starting threads while a call of ours runs. Its setting is one for the whole process, so the
/// last call of ours that ends restores what others have chosen. An OpenBLAS that was built without threads is not safe
/// to be called by several: then calls take turns.
class OneThread {
 public:
  OneThread() : lock_(mutex_) {
    require_buffers(users_ + 1);
    if (sequential()) return;
    if (users_++ == 0) {
      before_ = openblas_get_num_threads();
      if (before_ != 1) openblas_set_num_threads(1);
    }
    lock_.unlock();
  }
  ~OneThread() {
    if (lock_.owns_lock()) return;
    const std::lock_guard lock(mutex_);
    if (--users_ == 0 && before_ != 1) openblas_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  static bool sequential() {
    static const bool without_threads = openblas_get_parallel() == 0;
    return without_threads;
  }

  /// OpenBLAS takes a buffer of this size for each thread that calls it, keeps it for the next call, and tries forever
  /// if there is not enough memory. Throws std::bad_alloc instead.
  static void require_buffers(int users) {
    constexpr std::size_t buffer = (std::size_t{128} << 20) + (std::size_t{1} << 16);
    if (users <= most_users_) return;
    const std::size_t size = static_cast<std::size_t>(users) * buffer;
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    ::munmap(memory, size);
    most_users_ = users;
  }

  static inline std::mutex mutex_;
  static inline int users_ = 0, before_ = 1, most_users_ = 0;
  std::unique_lock<std::mutex> lock_;
};

LapackInt as_int(Size dim) {
  if (dim > std::numeric_limits<LapackInt>::max()) throw std::length_error("the matrix is too large for LAPACK");
  return static_cast<LapackInt>(dim);
}

std::vector<double> room(Size size) {
  return std::vector<double>(static_cast<std::size_t>(std::max<Size>(size, 1)));
}

/// The same on all machines, so that results are: `./run bench --only crossovers` shows what that costs on one of them.
constinit Crossover chosen{.factor = 32, .function = 129, .stein = 400, .spectrum = 256};

/// Reflections that are applied together.
constexpr Size block = 48;
/// Columns of a product of which only one triangle is needed.
constexpr Size panel = 96;
/// Room per row that LAPACK wants for its blocks.
constexpr Size work_rows = 64;

}  // namespace

const Crossover& crossover() {
  return chosen;
}

void set_crossover(const Crossover& from) {
  chosen = from;
}

std::string description() {
  // "OpenBLAS 0.3.21 NO_LAPACKE ...": the options do not matter to users.
  const std::string config = openblas_get_config();
  const std::size_t end = config.find(' ', std::min(config.size(), config.find(' ') + 1));
  return config.substr(0, end) + " (" + openblas_get_corename() + ")";
}

bool factor(double* matrix, Size dim) {
  const OneThread guard;
  const LapackInt n = as_int(dim);
  LapackInt info = 0;
  dpotrf_("U", &n, matrix, &n, &info);
  return info == 0;
}

bool factor_block(double* block, Size rows, Size stride) {
  const OneThread guard;
  const LapackInt n = as_int(rows), apart = as_int(stride);
  LapackInt info = 0;
  dpotrf_("U", &n, block, &apart, &info);
  return info == 0;
}

void solve_block(const double* lower, Size columns, double* b, Size rows, Size stride) {
  const OneThread guard;
  const LapackInt m = as_int(columns), n = as_int(rows), apart = as_int(stride);
  dtrsm_("L", "U", "T", "N", &m, &n, &one, lower, &apart, b, &apart);
}

void subtract_product(const double* a, Size rows, const double* b, Size columns, Size inner, double* c, Size stride) {
  const OneThread guard;
  const LapackInt m = as_int(columns), n = as_int(rows), k = as_int(inner), apart = as_int(stride);
  if (a == b)
    dsyrk_("U", "T", &n, &k, &minus_one, a, &apart, &one, c, &apart);
  else
    dgemm_("T", "N", &m, &n, &k, &minus_one, b, &apart, a, &apart, &one, c, &apart);
}

void invert_lower(double* lower, Size dim) {
  const OneThread guard;
  const LapackInt n = as_int(dim);
  LapackInt info = 0;
  dtrtri_("U", "N", &n, lower, &n, &info);
}

void square_transposed(double* lower, Size dim) {
  const OneThread guard;
  const LapackInt n = as_int(dim);
  LapackInt info = 0;
  dlauum_("U", &n, lower, &n, &info);
}

void invert_from_factor(double* lower, Size dim) {
  const OneThread guard;
  const LapackInt n = as_int(dim);
  LapackInt info = 0;
  dpotri_("U", &n, lower, &n, &info);
}

void multiply_lower(const double* lower, bool transposed, const double* b, double* result, Size dim) {
  const OneThread guard;
  const LapackInt n = as_int(dim);
  std::copy(b, b + dim * dim, result);
  dtrmm_("R", "U", transposed ? "T" : "N", "N", &n, &n, &one, lower, &n, result, &n);
}

void multiply_triangles(const double* left, const double* right, double* result, Size dim) {
  const OneThread guard;
  const LapackInt n = as_int(dim);
  // Columns of blocks, without the zeros above them.
  for (Size first = 0; first < dim; first += panel) {
    const Size columns = std::min(panel, dim - first);
    for (Size r = first; r < dim; ++r) std::copy_n(right + r * dim + first, columns, result + r * dim + first);
    const LapackInt width = as_int(columns), height = as_int(dim - first);
    dtrmm_("R", "U", "N", "N", &width, &height, &one, left + first * dim + first, &n, result + first * dim + first, &n);
  }
}

void multiply(const double* a, const double* b, bool transposed, double* result, Size dim) {
  const OneThread guard;
  const LapackInt n = as_int(dim);
  dgemm_(transposed ? "T" : "N", "N", &n, &n, &n, &one, b, &n, a, &n, &zero, result, &n);
}

void multiply_columns(const double* a, const double* b, Size columns, double* result, Size dim) {
  const OneThread guard;
  const LapackInt n = as_int(dim), m = as_int(columns);
  dgemm_("N", "N", &m, &n, &n, &one, b, &m, a, &n, &zero, result, &m);
}

bool decompose(double* matrix, Size dim, double* values) {
  const OneThread guard;
  const LapackInt n = as_int(dim), query = -1;
  LapackInt info = 0, integers_wanted = 0;
  double wanted = 0;
  dsyevd_("V", "U", &n, matrix, &n, values, &wanted, &query, &integers_wanted, &query, &info);
  std::vector<double> work = room(static_cast<Size>(wanted));
  std::vector<LapackInt> integers(static_cast<std::size_t>(integers_wanted));
  const LapackInt size = as_int(static_cast<Size>(work.size()));
  dsyevd_("V", "U", &n, matrix, &n, values, work.data(), &size, integers.data(), &integers_wanted, &info);
  return info == 0;
}

void recompose(const double* rows, const double* weights, double* result, Size dim) {
  const OneThread guard;
  const LapackInt n = as_int(dim);
  std::vector<double> weighted = room(dim * dim);
  for (Size k = 0; k < dim; ++k)
    for (Size c = 0; c < dim; ++c) weighted[static_cast<std::size_t>(k * dim + c)] = weights[k] * rows[k * dim + c];
  // Rows first.. of the result, up to the diagonal block.
  for (Size first = 0; first < dim; first += panel) {
    const LapackInt height = as_int(std::min(panel, dim - first)), width = as_int(first) + height;
    dgemm_("N", "T", &width, &height, &n, &one, rows, &n, weighted.data() + first, &n, &zero, result + first * dim, &n);
  }
}

namespace {

/// Of the symmetric matrix whose upper triangle in our order is there, ascending; destroys it.
bool eigenvalues(double* matrix, LapackInt n, double* values) {
  const Size dim = n;
  const LapackInt size = as_int(work_rows * dim);
  LapackInt info = 0;
  std::vector<double> off = room(2 * dim), room_for_blocks = room(work_rows * dim);
  dsytrd_("L", &n, matrix, &n, values, off.data(), off.data() + dim, room_for_blocks.data(), &size, &info);
  dsterf_(&n, values, off.data(), &info);
  return info == 0;
}

}  // namespace

bool squared_singular_values(const double* a, Size dim, double* work, double* values) {
  const OneThread guard;
  const LapackInt n = as_int(dim);
  dsyrk_("L", "N", &n, &n, &one, a, &n, &zero, work, &n);
  return eigenvalues(work, n, values);
}

bool squared_singular_values_of_triangle(const double* lower, Size dim, double* work, double* values) {
  const OneThread guard;
  const LapackInt n = as_int(dim);
  LapackInt info = 0;
  for (Size r = 0; r < dim; ++r) std::copy_n(lower + r * dim, r + 1, work + r * dim);
  dlauum_("U", &n, work, &n, &info);
  mirror(work, dim);
  return eigenvalues(work, n, values);
}

bool singular_values(double* a, Size dim, double* values) {
  const OneThread guard;
  const LapackInt n = as_int(dim), size = as_int(work_rows * dim + 5 * dim), unit = 1;
  LapackInt info = 0;
  std::vector<double> work = room(size);
  double unused = 0;
  dgesvd_("N", "N", &n, &n, a, &n, values, &unused, &unit, &unused, &unit, work.data(), &size, &info);
  return info == 0;
}

void tridiagonalise(double* matrix, Size dim, const Tridiagonal& to) {
  const OneThread guard;
  const LapackInt n = as_int(dim), size = as_int(work_rows * dim);
  LapackInt info = 0;
  std::vector<double> work = room(size);
  dsytrd_("L", &n, matrix, &n, to.diagonal, to.off, to.factors, work.data(), &size, &info);
}

void transform_back(const double* matrix, const double* factors, double* f, Size dim) {
  const OneThread guard;
  const LapackInt n = as_int(dim);
  std::vector<double> vectors = room(block * dim), products = room(block * dim), small = room(3 * block * block);
  double *const v = vectors.data(), *const w = products.data(), *const t = small.data();
  double *const s = t + block * block, *const u = s + block * block;
  // Q is a product of blocks H = I - V T V', each of which leaves the first coordinates alone. The last comes first.
  for (Size first = (dim - 2) / block * block; first >= 0 && dim > 1; first -= block) {
    const Size count = std::min(block, dim - 1 - first), start = first + 1, size = dim - start;
    const LapackInt k = as_int(count), m = as_int(size), before = as_int(start), b = as_int(block);
    for (Size j = 0; j < count; ++j) {
      const double* const column = matrix + (first + j) * dim + start;
      std::fill_n(v + j * size, j, 0.0);
      v[j * size + j] = 1;
      std::copy(column + j + 1, column + size, v + j * size + j + 1);
    }
    dlarft_("F", "C", &m, &k, v, &m, factors + first, t, &b);
    for (Size c = 0; c < count; ++c) std::fill(t + c * block + c + 1, t + c * block + count, 0.0);
    // Below the corner that stays: F21 - V T (V' F21), kept as its transpose F12 too by the mirror at the end.
    double* const below = f + start;
    std::vector<double> across = room(count * start), turned = room(count * start);
    dgemm_("T", "N", &k, &before, &m, &one, v, &m, below, &n, &zero, across.data(), &k);
    dgemm_("N", "N", &k, &before, &k, &one, t, &b, across.data(), &k, &zero, turned.data(), &k);
    dgemm_("N", "N", &m, &before, &k, &minus_one, v, &m, turned.data(), &k, &one, below, &n);
    // The block itself: F22 - V W' - W V' with Y = F22 V T', W = Y - V (T V' Y) / 2.
    double* const corner = f + start * dim + start;
    dsymm_("L", "L", &m, &k, &one, corner, &n, v, &m, &zero, w, &m);
    std::vector<double> y = room(count * size);
    dgemm_("N", "T", &m, &k, &k, &one, w, &m, t, &b, &zero, y.data(), &m);
    dgemm_("T", "N", &k, &k, &m, &one, v, &m, y.data(), &m, &zero, s, &b);
    dgemm_("N", "N", &k, &k, &k, &one, t, &b, s, &b, &zero, u, &b);
    dgemm_("N", "N", &m, &k, &k, &minus_half, v, &m, u, &b, &one, y.data(), &m);
    dsyr2k_("L", "N", &m, &k, &minus_one, v, &m, y.data(), &m, &one, corner, &n);
  }
  // So far in Fortran's lower triangle, which is our upper one.
  for (Size r = 0; r < dim; r += panel)
    for (Size c = r; c < dim; c += panel)
      for (Size row = r; row < std::min(r + panel, dim); ++row)
        for (Size column = std::max(c, row + 1); column < std::min(c + panel, dim); ++column)
          f[column * dim + row] = f[row * dim + column];
}

void mirror(double* matrix, Size dim) {
  for (Size r = 0; r < dim; r += panel)
    for (Size c = 0; c <= r; c += panel)
      for (Size row = r; row < std::min(r + panel, dim); ++row)
        for (Size column = c; column < std::min(c + panel, row); ++column)
          matrix[column * dim + row] = matrix[row * dim + column];
}

}  // namespace dsk::detail::lapack

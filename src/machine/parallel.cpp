#include "machine/parallel.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>

namespace dsk::detail {
namespace {

/// Beside its stack, a thread has variables of its own and what the run time keeps of it.
constexpr std::size_t besides_stack = std::size_t{1} << 20;

bool is_free(std::size_t size) {
  void* const memory = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED && ::munmap(memory, size) == 0;
}

std::size_t stack_size() {
  pthread_attr_t attributes;
  std::size_t size = 0;
  if (::pthread_attr_init(&attributes) != 0) return 0;
  ::pthread_attr_getstacksize(&attributes, &size);
  ::pthread_attr_destroy(&attributes);
  return size;
}

}  // namespace

int startable_threads(int wanted) {
  rlimit limit{};
  if (wanted < 2 || ::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  const std::size_t each = stack_size() + besides_stack;
  while (wanted > 1 && !is_free(static_cast<std::size_t>(wanted - 1) * each)) wanted /= 2;
  return wanted;
}

}  // namespace dsk::detail

#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace dsk::detail {

/// Asks for large pages for memory that nobody has written to yet. Where a factor takes tens of megabytes, the first
/// touch of that many small pages takes a good part of its time. Does nothing for less memory, or where there are none.
inline void use_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t small_page = 4096, smallest_worth = 4 << 20;
  if (bytes < smallest_worth) return;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + small_page - 1) / small_page * small_page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / small_page * small_page;
  // It is a hint: an error changes nothing.
  static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
#endif
}

}  // namespace dsk::detail

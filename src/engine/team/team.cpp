#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <cmath>

namespace dsk {

void together(const Team* team, const std::function<void()>& work) {
  if (team == nullptr) return work();
  // A first byte tells a complaint, which may be empty, from none.
  std::string complaint;
  try {
    work();
  } catch (const InvalidInput& error) {
    complaint = std::string("!") + error.what();
  }
  for (const std::string& one : team->gather(complaint))
    if (!one.empty()) throw InvalidInput(one.substr(1));
}

void at_first(const Team* team, const std::function<void()>& work) {
  together(team, [&] {
    if (team == nullptr || team->rank() == 0) work();
  });
}

RowRange share_of_rows(Index rows, int rank, int ranks) {
  const auto end = [&](int k) { return (rows * k + ranks - 1) / ranks; };
  return {end(rank), end(rank + 1)};
}

RowRange share_of_triangle(Index rows, int rank, int ranks) {
  // Behind the first r rows of n there are (n - r)^2 / 2 pairs left.
  const auto end = [&](int k) {
    const double left = static_cast<double>(ranks - k) / ranks;
    return k == ranks ? rows : rows - static_cast<Index>(std::llround(std::sqrt(left) * static_cast<double>(rows)));
  };
  return {end(rank), end(rank + 1)};
}

}  // namespace dsk

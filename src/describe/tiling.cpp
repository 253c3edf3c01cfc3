#include <dsk/describe.hpp>

#include <fmt/format.h>

#include <charconv>

namespace dsk {
namespace {

bool read_number(std::string_view text, Index& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 1;
}

}  // namespace

Size Size::parse(std::string_view text, std::string_view what) {
  constexpr Index largest = 1 << 20;
  Size size;
  const auto cross = text.find('x');
  if (cross == std::string_view::npos || !read_number(text.substr(0, cross), size.width) ||
      !read_number(text.substr(cross + 1), size.height) || size.width > largest || size.height > largest)
    throw InvalidInput(fmt::format("{} '{}' is not a size such as 8x8, columns x rows", what, text));
  return size;
}

std::vector<Region> tile_regions(const Size& picture, const Size& tiles) {
  if (tiles.width < 1 || tiles.height < 1 || tiles.width > picture.width || tiles.height > picture.height)
    throw InvalidInput(fmt::format("a picture of {} x {} pixels cannot be cut into {} x {} tiles", picture.width,
                                   picture.height, tiles.width, tiles.height));
  std::vector<Region> regions;
  for (Index row = 0; row < tiles.height; ++row)
    for (Index column = 0; column < tiles.width; ++column) {
      const Index x = column * picture.width / tiles.width, y = row * picture.height / tiles.height;
      regions.push_back(
          {x, y, (column + 1) * picture.width / tiles.width - x, (row + 1) * picture.height / tiles.height - y});
    }
  return regions;
}

std::vector<Region> window_regions(const Size& picture, const Size& window, Index step) {
  if (step < 1) throw InvalidInput(fmt::format("a step of {} pixels is below 1", step));
  if (window.width < 1 || window.height < 1 || window.width > picture.width || window.height > picture.height)
    throw InvalidInput(fmt::format("a window of {} x {} pixels does not fit into a picture of {} x {}", window.width,
                                   window.height, picture.width, picture.height));
  std::vector<Region> regions;
  for (Index y = 0; y + window.height <= picture.height; y += step)
    for (Index x = 0; x + window.width <= picture.width; x += step)
      regions.push_back({x, y, window.width, window.height});
  return regions;
}

}  // namespace dsk

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace dsk::report {

/// Red, green, blue and opacity.
using Palette = std::array<std::array<std::uint8_t, 4>, 256>;

/// A picture of width x height entries of the palette (row-major), as the address of itself: data:image/png;base64,...
std::string png_address(const std::vector<std::uint8_t>& pixels, std::uint32_t width, std::uint32_t height,
                        const Palette& palette);

}  // namespace dsk::report

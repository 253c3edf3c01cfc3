#pragma once

#include <dsk/describe.hpp>

#include <cstdint>
#include <span>

namespace dsk::detail {

inline constexpr Index most_pixels = Index{1} << 27;

/// What the header of a picture says, read without a decoder: those ask for the memory a header claims to need.
/// Throws InvalidInput (without the file's name) for what is no png, jpg, bmp, tif or pgm/ppm, is cut off or damaged
/// where that shows, or claims more pixels than so many bytes can hold.
Size picture_size(std::span<const std::uint8_t> bytes);

/// The value of white as OpenCV decodes a pgm or ppm, which need not be the largest of its type; 0 for other pictures.
double white_of(std::span<const std::uint8_t> bytes);

}  // namespace dsk::detail

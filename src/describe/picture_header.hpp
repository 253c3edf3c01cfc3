#pragma once

#include <dsk/describe.hpp>

#include <cstdint>
#include <span>

namespace dsk::detail {

inline constexpr Index most_pixels = Index{1} << 27;

/// The size of a picture according to its header. Does not use a decoder, because decoders allocate as much memory as
/// an invalid header claims to need. Throws InvalidInput (without the file name) if this is not a png, jpg, bmp, tif or
/// pgm/ppm picture, is visibly truncated or corrupted, or if the size is impossible for so few bytes.
Size picture_size(std::span<const std::uint8_t> bytes);

/// The value of white after OpenCV has decoded a pgm or ppm picture, which can be smaller than the largest value of its
/// type; 0 for other pictures.
double white_of(std::span<const std::uint8_t> bytes);

}  // namespace dsk::detail

#pragma once

#include <fmt/format.h>

#include <set>

#include "experiment/scores.hpp"
#include "support/made_pictures.hpp"

namespace dsk::test {

/// The numbers of the textures in the paper's pairs.
inline std::set<int> paired_textures() {
  std::set<int> numbers;
  for (const paper::TexturePair& pair : paper::texture_pairs) numbers.insert({pair.first, pair.second});
  return numbers;
}

inline std::string texture_name(int number) {
  return fmt::format("D{}", number);
}

/// 256 x 256 pixels in 0..1, as brodatz/D1.png and so on.
inline void write_brodatz(const std::filesystem::path& data, int number, const Matrix& values) {
  std::filesystem::create_directories(data / "brodatz");
  write_picture(data / "brodatz" / (texture_name(number) + ".png"), as_pixels(values));
}

/// Textures with the same pattern and different noise for every number, which differ by contrast only.
inline Matrix texture_of_contrast(int number, double contrast) {
  const Matrix values = made_texture(256, 256, 7 * static_cast<std::uint64_t>(number));
  return 0.5 + contrast * (values.array() - 0.5);
}

}  // namespace dsk::test

#include "files/extension.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <utility>

#include "files/file_error.hpp"

namespace dsk::files {

FileFormat format_of(const std::filesystem::path& path) {
  constexpr std::array formats{std::pair{".npy", FileFormat::npy}, std::pair{".npz", FileFormat::npz},
                               std::pair{".mat", FileFormat::mat}, std::pair{".csv", FileFormat::csv}};
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [known, format] : formats) {
    if (extension == known) return format;
  }
  throw file_error(path, fmt::format("has extension {}, not .npy, .npz, .mat or .csv", in_quotes(extension)));
}

}  // namespace dsk::files

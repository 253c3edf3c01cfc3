#include <dsk/describe.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dsk {
namespace {

namespace fs = std::filesystem;

bool is_picture(const fs::path& path) {
  constexpr std::array<std::string_view, 10> extensions = {".png",  ".jpg", ".jpeg", ".bmp", ".tif",
                                                           ".tiff", ".pgm", ".ppm",  ".pbm", ".pnm"};
  std::string extension = path.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

/// Hidden files, such as those that macOS creates next to others.
bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with('.');
}

std::vector<fs::path> sorted_pictures(const auto& listing) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : listing)
    if (entry.is_regular_file() && is_picture(entry.path()) && !is_hidden(entry.path())) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<fs::path> sorted_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && !is_hidden(entry.path())) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

PictureFolder find_pictures(const fs::path& folder) try {
  if (fs::is_regular_file(folder)) return {{{folder, folder.stem().string(), folder.filename().string()}}, false};
  if (!fs::is_directory(folder)) throw InvalidInput(fmt::format("{}: no such folder", folder.string()));
  PictureFolder found;
  for (const fs::path& path : sorted_pictures(fs::directory_iterator(folder)))
    found.files.push_back({path, path.stem().string(), path.filename().string()});
  const std::size_t flat = found.files.size();
  for (const fs::path& inner : sorted_folders(folder))
    for (const fs::path& path : sorted_pictures(fs::recursive_directory_iterator(inner)))
      found.files.push_back({path, inner.filename().string(), path.lexically_relative(folder).generic_string()});
  found.class_per_folder = flat == 0;
  if (found.files.empty())
    throw InvalidInput(fmt::format("{}: contains no pictures (png, jpg, bmp, tif, pgm, ppm)", folder.string()));
  if (flat > 0 && found.files.size() > flat)
    throw InvalidInput(fmt::format(
        "{}: contains both pictures and folders of pictures, such as {}; move all pictures into folders, one per class",
        folder.string(), found.files[flat].path.string()));
  for (std::size_t k = 1; k < flat; ++k)
    if (found.files[k].label == found.files[k - 1].label)
      throw InvalidInput(fmt::format("{} and {} have the same class name, but without folders each picture is a class",
                                     found.files[k - 1].path.string(), found.files[k].path.filename().string()));
  return found;
} catch (const fs::filesystem_error& error) {
  throw InvalidInput(fmt::format("{}: {}", folder.string(), error.code().message()));
}

}  // namespace dsk

#include <dsk/describe.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>

#include "describe/pictures.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

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

/// The result of one picture: its regions, or why it cannot be read.
struct Outcome {
  std::vector<detail::RegionEstimate> regions;
  std::string unreadable;
};

std::vector<Region> regions_of(const Image& image, const PictureOptions& options) {
  const Size size = {image.width(), image.height()};
  if (options.windows) return window_regions(size, *options.windows, options.step);
  return tile_regions(size, options.tiles.value_or(Size{1, 1}));
}

Outcome describe(const std::filesystem::path& path, const PictureOptions& options, std::uint64_t position,
                 int threads) {
  Outcome outcome;
  try {
    const Image image = read_image(path, options.reading);
    outcome.regions = detail::region_estimates(options.features, image, regions_of(image, options), options.regions,
                                               position, threads);
  } catch (const InvalidInput& error) {
    outcome.unreadable = error.what();
    // If reading failed, the message already starts with the file name.
    const std::string named = path.string() + ": ";
    if (outcome.unreadable.starts_with(named)) outcome.unreadable.erase(0, named.size());
  }
  return outcome;
}

/// Whether a picture is described by all threads together, so that only one such picture is in memory at a time.
bool needs_all_threads(const fs::path& path, const PictureOptions& options) {
  if (!detail::uses_threads(options.features, std::numeric_limits<Index>::max())) return false;
  const Index pixels = options.reading.resize ? options.reading.resize->width * options.reading.resize->height
                                              : detail::claimed_pixels(path);
  return detail::uses_threads(options.features, pixels);
}

void check(const PictureOptions& options) {
  detail::check(options.regions);
  if (options.tiles && options.windows) throw InvalidInput("give tiles or windows, not both");
}

std::vector<PictureResult::Bad> bad_pictures(const PictureFolder& pictures, const std::vector<Outcome>& outcomes) {
  std::vector<PictureResult::Bad> bad;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto& path = pictures.files[i].path;
    if (!outcomes[i].unreadable.empty()) bad.push_back({path, {}, outcomes[i].unreadable});
    for (std::size_t r = 0; r < outcomes[i].regions.size(); ++r)
      if (const auto& region = outcomes[i].regions[r]; !region.good())
        bad.push_back({path, outcomes[i].regions.size() > 1 ? std::optional(static_cast<Index>(r)) : std::nullopt,
                       region.problem});
  }
  return bad;
}

std::string text(const PictureResult::Bad& bad) {
  return bad.region ? fmt::format("{}, region {}: {}", bad.path.string(), *bad.region, bad.problem)
                    : fmt::format("{}: {}", bad.path.string(), bad.problem);
}

[[noreturn]] void refuse(const std::vector<PictureResult::Bad>& bad, const std::vector<Outcome>& outcomes) {
  const auto unreadable =
      std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return !o.unreadable.empty(); });
  if (unreadable == 0) {
    const bool of_rank = std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& o) {
      return std::any_of(o.regions.begin(), o.regions.end(), [](const auto& region) { return region.rank_deficient; });
    });
    if (of_rank) throw RankDeficient(text(bad.front()));
    throw BadPictures(text(bad.front()));
  }
  constexpr std::size_t most_named = 3;
  std::string message = fmt::format("{} of {} pictures cannot be used: ", unreadable, outcomes.size());
  std::size_t named = 0;
  for (const PictureResult::Bad& one : bad)
    if (!one.region && named < most_named) message += fmt::format("{}{}", named++ > 0 ? "; " : "", text(one));
  if (static_cast<std::size_t>(unreadable) > named) message += "; ...";
  throw BadPictures(message);
}

Dataset collected(const PictureFolder& pictures, const PictureOptions& options, std::vector<Outcome>& outcomes) {
  const auto dim = static_cast<Index>(options.features.names.size());
  MatrixStack stack{0, dim, {}};
  std::vector<std::string> labels, groups;
  bool several = false;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    several |= outcomes[i].regions.size() > 1;
    for (detail::RegionEstimate& region : outcomes[i].regions) {
      if (!region.good()) continue;
      ++stack.count;
      stack.values.insert(stack.values.end(), region.matrix.data(), region.matrix.data() + dim * dim);
      labels.push_back(pictures.files[i].label);
      groups.push_back(pictures.files[i].name);
    }
    outcomes[i].regions.clear();
  }
  if (stack.count == 0) throw InvalidInput(fmt::format("none of {} pictures could be described", outcomes.size()));
  const bool grouped = several && pictures.class_per_folder;
  return Dataset(detail::trust(std::move(stack)), Labels(labels),
                 grouped ? std::optional(Labels(groups)) : std::nullopt);
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

PictureResult describe_pictures(const PictureFolder& pictures, const PictureOptions& options) {
  check(options);
  const detail::QuietOpenCv quiet;
  const auto count = static_cast<Index>(pictures.files.size());
  std::vector<Outcome> outcomes(pictures.files.size());
  std::mutex mutex;
  Index done = 0;
  const auto describe_one = [&](Index i, int threads) {
    const auto k = static_cast<std::size_t>(i);
    outcomes[k] = describe(pictures.files[k].path, options, static_cast<std::uint64_t>(i), threads);
    if (!options.on_progress) return;
    const std::scoped_lock lock(mutex);
    options.on_progress(++done, count);
  };
  std::vector<char> waiting(pictures.files.size());
  constexpr double nanoseconds_each = 1e6;
  detail::for_ranges(count, options.threads, nanoseconds_each, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const auto k = static_cast<std::size_t>(i);
      waiting[k] = needs_all_threads(pictures.files[k].path, options) ? 1 : 0;
      if (waiting[k] == 0) describe_one(i, 1);
    }
  });
  for (Index i = 0; i < count; ++i)
    if (waiting[static_cast<std::size_t>(i)] != 0) describe_one(i, options.threads);
  std::vector<PictureResult::Bad> bad = bad_pictures(pictures, outcomes);
  if (!bad.empty() && !options.skip_bad) refuse(bad, outcomes);
  return {collected(pictures, options, outcomes), std::move(bad)};
}

PicturePreview preview_of(const PictureFolder& pictures, const PictureOptions& options, const PictureResult& result) {
  const auto is_bad = [&](const std::filesystem::path& path, std::optional<Index> region) {
    return std::any_of(result.bad.begin(), result.bad.end(), [&](const PictureResult::Bad& bad) {
      return bad.path == path && (!bad.region || bad.region == region);
    });
  };
  for (std::size_t i = 0; i < pictures.files.size(); ++i) {
    const std::filesystem::path& path = pictures.files[i].path;
    if (is_bad(path, std::nullopt)) continue;
    PicturePreview preview{.title = path.filename().string(), .image = read_image(path, options.reading)};
    preview.regions = regions_of(preview.image, options);
    Index shown = 0;
    while (shown < static_cast<Index>(preview.regions.size()) && is_bad(path, shown)) ++shown;
    if (shown == static_cast<Index>(preview.regions.size())) continue;
    std::rotate(preview.regions.begin(), preview.regions.begin() + shown, preview.regions.end());
    preview.names = options.features.names;
    preview.maps = detail::small_maps(options.features, preview.image);
    preview.covariance = detail::region_estimates(options.features, preview.image, std::span(preview.regions).first(1),
                                                  options.regions, i, options.threads)[0]
                             .matrix;
    return preview;
  }
  throw InvalidInput("no picture could be described, so there is no preview");
}

}  // namespace dsk

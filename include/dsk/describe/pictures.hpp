#pragma once

#include <dsk/describe/preview.hpp>
#include <dsk/describe/regions.hpp>
#include <dsk/spd/dataset.hpp>

namespace dsk {

struct PictureFile {
  std::filesystem::path path;
  std::string label;
  std::string name;  ///< within the folder
};

/// Pictures by class: the pictures in each folder of `folder` (and in folders of those) are of the class that the
/// folder names; where pictures lie in `folder` itself, or it is a picture, each is a class of its own. Sorted by name;
/// files that are no pictures by their extension are passed over. Throws InvalidInput if there are none, or of both
/// kinds.
struct PictureFolder {
  std::vector<PictureFile> files;
  bool class_per_folder = false;
};
PictureFolder find_pictures(const std::filesystem::path& folder);

struct PictureOptions {
  FeatureSet features = texture_features();
  ReadOptions reading = {};
  std::optional<Size> tiles = {};    ///< columns x rows
  std::optional<Size> windows = {};  ///< overlapping windows of this size, in place of tiles
  Index step = 0;                    ///< of the windows
  RegionOptions regions = {};
  bool skip_bad = false;  ///< leave out what cannot be described, and say so
  int threads = 0;
  /// After each picture, from any thread, one call at a time; throw to stop.
  std::function<void(Index done, Index all)> on_progress = {};
};

/// A picture, or a region of one, that could not be described.
struct BadPicture {
  std::filesystem::path path;
  std::optional<Index> region;
  std::string problem;
};

struct PictureResult {
  Dataset data;  ///< labelled; grouped by picture if a class has several pictures and a picture several matrices
  std::vector<BadPicture> bad;
};

/// Pictures that cannot be read, or do not vary: all of them counted, some named.
class BadPictures : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// Describes pictures, several at a time, holding no more of them in memory; the same bits for any number of threads.
/// Throws BadPictures or RankDeficient unless what is bad is to be skipped.
PictureResult describe_pictures(const PictureFolder& pictures, const PictureOptions& options);

/// The first picture that could be described, with its first good region in front, for looking at; throws InvalidInput
/// if there is none.
PicturePreview preview_of(const PictureFolder& pictures, const PictureOptions& options, const PictureResult& result);

}  // namespace dsk

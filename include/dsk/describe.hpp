#pragma once

#include <dsk/covariance.hpp>
#include <dsk/matrices.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

/// Intensities of a picture, one matrix row per line of pixels.
struct Image {
  Matrix grey;
  std::vector<Matrix> colours = {};  ///< red, green and blue; empty for a grey picture

  Index width() const { return grey.cols(); }
  Index height() const { return grey.rows(); }
};

struct Size {
  Index width = 0;
  Index height = 0;

  /// Parses "256x256". Throws InvalidInput for other text; `what` is its name in the message.
  static Size parse(std::string_view text, std::string_view what);
};

/// A rectangle of pixels.
struct Region {
  Index x = 0;
  Index y = 0;
  Index width = 0;
  Index height = 0;
};

/// Cuts the picture into `tiles.width` columns and `tiles.height` rows of tiles, ordered row by row. Their sizes differ
/// by at most one pixel. Throws InvalidInput if there are more columns or rows than pixels.
std::vector<Region> tile_regions(const Size& picture, const Size& tiles);

/// All windows of the given size at multiples of `step` pixels, ordered row by row. Throws InvalidInput if none fits.
std::vector<Region> window_regions(const Size& picture, const Size& window, Index step);

struct ReadOptions {
  double range = 1;                 ///< value of white; pixels are scaled to 0 to `range`
  std::optional<Size> resize = {};  ///< new size; by area averages if it is smaller, by linear interpolation otherwise
  /// Spread the grey values evenly over 0 to `range`, by their histogram of 256 levels; after resizing. Colours are
  /// kept.
  bool equalise = false;
};

/// Reads a png, jpg, bmp, tif or pgm/ppm file of 8, 16 or 32 bits. Transparency is ignored. The grey value of a
/// coloured pixel is 0.299 red + 0.587 green + 0.114 blue. Throws InvalidInput with the file name and the problem. The
/// size in the header is compared with the size of the file before memory is allocated.
Image read_image(const std::filesystem::path& path, const ReadOptions& options = {});

/// Features that are computed at every pixel.
struct FeatureSet {
  std::vector<std::string> names;
  /// Computes one map per name, each of the size of the picture. Must be thread-safe.
  std::function<std::vector<Matrix>(const Image& image)> maps;
  /// Optional: computes the same values, up to rounding, for the pixels of a region only, row by row, into one array
  /// per name. Avoids maps of the whole picture. Must be thread-safe.
  std::function<void(const Image& image, const Region& region, std::span<double* const> out)> pixels = {};
};

/// The features for textures in the paper: intensity, abs-dx, abs-dy, abs-dxx, abs-dyy.
FeatureSet texture_features();

/// Magnitudes of Gabor wavelets at `scales` x `orientations`: the picture, without its constant part, is convolved with
/// |k|^2/s^2 exp(-|k|^2 |z|^2 / (2 s^2)) exp(i k.z), s = 2 pi, where z is the position in pixels and the wave vector k
/// has length (pi/2) / sqrt(2)^u and angle pi v / orientations for scale u and orientation v. Edge pixels are repeated
/// beyond the edges for three standard deviations of the widest filter; the result is then repeated periodically.
FeatureSet gabor_wavelets(Index scales, Index orientations);

/// The features for faces in the paper: intensity, x, y and Gabor wavelets at 5 scales x 8 orientations.
FeatureSet gabor_features();

/// Parses a list such as "intensity,x,y,abs-dx,gabor:5x8". Throws InvalidInput if a name is unknown (the message lists
/// all names) or occurs twice.
FeatureSet parse_features(std::string_view list);

/// The names that parse_features accepts, and their meaning.
struct NamedFeature {
  std::string_view name;
  std::string_view meaning;
};
std::span<const NamedFeature> named_features();

/// The feature maps of a picture. Throws InvalidInput if their number or size is wrong.
std::vector<Matrix> feature_maps(const FeatureSet& features, const Image& image);

struct RegionOptions {
  Estimator estimator = Estimator::sample;
  double sample = 1;  ///< share of the pixels of a region to use, drawn without replacement
  std::uint64_t seed = 0;
};

/// One covariance matrix of the feature values per region. Uses RegionSums if the regions overlap a lot, the estimator
/// allows it and it is accurate enough. Throws RankDeficient or InvalidInput, naming the region.
SpdBatch region_covariance(std::span<const Matrix> maps, std::span<const Region> regions,
                           const RegionOptions& options = {});

/// The same for the features of a picture.
SpdBatch region_covariance(const FeatureSet& features, const Image& image, std::span<const Region> regions,
                           const RegionOptions& options = {});

/// Integral images of values and products, which give the covariance of a rectangle in a time that does not depend on
/// its size. They take d + d(d+1)/2 numbers per pixel.
class RegionSums {
 public:
  explicit RegionSums(std::span<const Matrix> maps);

  /// Sum of (x - mean)(x - mean)' over the pixels of the region. Throws InvalidInput if it is not inside the picture.
  Matrix scatter(const Region& region) const;
  /// Whether `scatter` is accurate to about eight digits. Differences of sums lose digits if the region varies much
  /// less than the picture.
  bool keeps_digits(const Region& region, const Matrix& scatter) const;
  /// For any estimator but ledoit_wolf, which needs the samples.
  Matrix covariance(const Region& region, Estimator estimator = Estimator::sample) const;

  Index dim() const { return dim_; }

 private:
  const double* at(Index x, Index y) const { return sums_.data() + (y * (width_ + 1) + x) * entries_; }

  Index dim_ = 0, width_ = 0, height_ = 0, entries_ = 0;
  std::vector<double> sums_;
};

/// Pictures and their classes, sorted by name. Each subfolder of `folder` is a class and contains its pictures,
/// possibly in further subfolders. If the pictures are in `folder` itself, or it is a picture, each picture is a class
/// of its own. Files with other extensions are ignored. Throws InvalidInput if there are no pictures, or pictures in
/// both places.
struct PictureFolder {
  struct File {
    std::filesystem::path path;
    std::string label;
    std::string name;  ///< path relative to the folder
  };

  std::vector<File> files;
  bool class_per_folder = false;
};
PictureFolder find_pictures(const std::filesystem::path& folder);

struct PictureOptions {
  FeatureSet features = texture_features();
  ReadOptions reading = {};
  std::optional<Size> tiles = {};    ///< columns x rows of tiles
  std::optional<Size> windows = {};  ///< size of overlapping windows, instead of tiles
  Index step = 0;                    ///< distance of the windows, in pixels
  RegionOptions regions = {};
  bool skip_bad = false;  ///< skip pictures and regions that cannot be described, and list them in the result
  int threads = 0;
  /// Called after each picture, from any thread, but never concurrently. Throw to stop.
  std::function<void(Index done, Index all)> on_progress = {};
};

struct PictureResult {
  /// A picture, or a region of one, that could not be described.
  struct Bad {
    std::filesystem::path path;
    std::optional<Index> region;
    std::string problem;
  };

  Dataset data;  ///< labelled; grouped by picture if classes are folders and pictures have several matrices
  std::vector<Bad> bad;
};

/// Some pictures cannot be read or are constant. The message gives their number and some names.
class BadPictures : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// Computes the covariance matrices of pictures, one picture per thread in memory at a time. Pictures of more than 4
/// megapixels come last with Gabor wavelets, one after another: all threads share the blocks of such a picture. The
/// result does not depend on the number of threads. Throws BadPictures or RankDeficient unless `skip_bad` is set.
PictureResult describe_pictures(const PictureFolder& pictures, const PictureOptions& options);

/// The bytes of a png file that shows the first picture that could be described: the picture with its regions, its
/// feature maps, and the covariance of its first valid region as a heat map. Throws InvalidInput if there is none.
std::string preview_png(const PictureFolder& pictures, const PictureOptions& options, const PictureResult& result);

/// A frequency band, in Hz if the sampling rate is in Hz.
struct Band {
  double low = 0;
  double high = 0;

  /// Parses a list such as "8-12,12-30". Throws InvalidInput.
  static std::vector<Band> parse_list(std::string_view text);
};

/// Applies a Butterworth band-pass filter to every row, forwards and backwards, so that there is no delay. The ends are
/// extended by odd reflection. Equivalent to SciPy's sosfiltfilt(butter(order, band, "bandpass")). Throws InvalidInput
/// unless 0 < low < high < rate / 2.
Matrix band_pass(const Eigen::Ref<const Matrix>& signals, const Band& band, double rate, int order = 4);

struct SeriesOptions {
  Estimator estimator = Estimator::sample;
  /// A filter bank: each trial has the channels of the first band, then those of the second, and so on.
  std::vector<Band> bands = {};
  double rate = 0;  ///< sampling rate, in samples per second; needed for bands
  int order = 4;    ///< order of the filters
  bool skip_bad = false;
  int threads = 0;
};

/// The signals of a trial whose covariance is computed: its channels, or the channels of all bands.
Matrix filter_bank(const MatrixView& trial, const SeriesOptions& options);

struct SeriesResult {
  struct Bad {
    Index trial = 0;
    std::string problem;
  };

  SpdBatch matrices;
  std::vector<Index> kept;  ///< index of the trial of each matrix
  std::vector<Bad> bad;
};

/// One covariance matrix per trial (channels x samples). Trials may differ in length. The result does not depend on the
/// number of threads. Throws RankDeficient or InvalidInput, with the number of invalid trials and the first of them,
/// unless `skip_bad` is set.
SeriesResult describe_series(std::span<const MatrixView> trials, const SeriesOptions& options = {});

/// The bytes of a png file that shows the signals of the first trial that could be described and their covariance.
std::string preview_png(std::span<const MatrixView> trials, const SeriesOptions& options, const SeriesResult& result);

}  // namespace dsk

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

/// Intensities, one row per line of pixels.
struct Image {
  Matrix grey;
  std::vector<Matrix> colours = {};  ///< red, green, blue; empty for a grey picture

  Index width() const { return grey.cols(); }
  Index height() const { return grey.rows(); }
};

struct Size {
  Index width = 0;
  Index height = 0;

  /// Reads "256x256"; `what` names it if it is no such thing.
  static Size parse(std::string_view text, std::string_view what);
};

/// A rectangle of pixels.
struct Region {
  Index x = 0;
  Index y = 0;
  Index width = 0;
  Index height = 0;
};

/// The picture cut into `tiles.width` columns and `tiles.height` rows, row by row. What does not divide evenly gives
/// tiles that differ by a pixel. Throws InvalidInput if there are more tiles than pixels in a direction.
std::vector<Region> tile_regions(const Size& picture, const Size& tiles);

/// All windows of a size whose corners are `step` pixels apart, row by row. Throws InvalidInput if none fits.
std::vector<Region> window_regions(const Size& picture, const Size& window, Index step);

struct ReadOptions {
  double range = 1;                 ///< what the brightest pixel that the file could hold becomes
  std::optional<Size> resize = {};  ///< by area averages if smaller, else linear
};

/// Reads a png, jpg, bmp, tif or pgm/ppm file of 8, 16 or 32 bits; transparency is left out, and grey of a coloured
/// picture is 0.299 red + 0.587 green + 0.114 blue. Throws InvalidInput with the file's name and what is wrong with it.
/// Memory is asked for only if the file could hold the pixels that its header claims.
Image read_image(const std::filesystem::path& path, const ReadOptions& options = {});

/// What is measured at every pixel.
struct FeatureSet {
  std::vector<std::string> names;
  /// One map per name, each of the picture's size. Called from several threads at once.
  std::function<std::vector<Matrix>(const Image& image)> maps;
  /// The same for the pixels of a region alone, row by row, written to one place per name. May be left out; with it,
  /// pictures of many regions are described without maps of the whole.
  std::function<void(const Image& image, const Region& region, std::span<double* const> out)> pixels = {};
};

/// The features of the paper's texture descriptors: intensity, abs-dx, abs-dy, abs-dxx, abs-dyy.
FeatureSet texture_features();

/// |Gabor| at scales x orientations: with z a position in pixels and wave vectors k of length (pi/2) / sqrt(2)^u and
/// angle pi v / orientations, the magnitude of the picture convolved with
/// |k|^2/s^2 exp(-|k|^2 |z|^2 / (2 s^2)) exp(i k.z), s = 2 pi, its constant part left out. The picture goes on beyond
/// its edges as the edge is, for three deviations of the widest filter, and then repeats.
FeatureSet gabor_wavelets(Index scales, Index orientations);

/// The features of the paper's face descriptors: intensity, x, y and Gabor wavelets at 5 scales x 8 orientations.
FeatureSet gabor_features();

/// Reads a list such as "intensity,x,y,abs-dx,gabor:5x8". Throws InvalidInput, with all names, for one that is not
/// known, and for one that stands twice.
FeatureSet parse_features(std::string_view list);

/// The names that parse_features knows, with what they mean.
struct NamedFeature {
  std::string_view name;
  std::string_view meaning;
};
std::span<const NamedFeature> named_features();

/// The maps of one picture. Throws InvalidInput if the set gives another number of maps than names, or another size.
std::vector<Matrix> feature_maps(const FeatureSet& features, const Image& image);

struct RegionOptions {
  Estimator estimator = Estimator::sample;
  double sample = 1;  ///< share of a region's pixels to use, drawn without repetition
  std::uint64_t seed = 0;
};

/// One covariance matrix of the maps' values per region. Where regions overlap much and the estimator can do with sums,
/// through RegionSums, as far as that keeps their digits. Throws RankDeficient or InvalidInput, naming the region.
SpdBatch region_covariance(std::span<const Matrix> maps, std::span<const Region> regions,
                           const RegionOptions& options = {});

/// The same, of features of a picture.
SpdBatch region_covariance(const FeatureSet& features, const Image& image, std::span<const Region> regions,
                           const RegionOptions& options = {});

/// Sums of values and products up to every pixel (integral images): the covariance of any rectangle in the same short
/// time, whatever its size. Memory: (d + d(d+1)/2) numbers per pixel.
class RegionSums {
 public:
  explicit RegionSums(std::span<const Matrix> maps);

  /// Sum of (x - mean)(x - mean)' over the pixels of the region; throws InvalidInput if it leaves the picture.
  Matrix scatter(const Region& region) const;
  /// Whether that `scatter` has about eight digits or more. Differences of sums lose those of a region that hardly
  /// varies beside a picture that varies much.
  bool keeps_digits(const Region& region, const Matrix& scatter) const;
  /// Any estimator but ledoit_wolf, which needs more than sums.
  Matrix covariance(const Region& region, Estimator estimator = Estimator::sample) const;

  Index dim() const { return dim_; }

 private:
  const double* at(Index x, Index y) const { return sums_.data() + (y * (width_ + 1) + x) * entries_; }

  Index dim_ = 0, width_ = 0, height_ = 0, entries_ = 0;
  std::vector<double> sums_;
};

/// What is shown of one picture.
struct PicturePreview {
  std::string title = {};
  Image image = {};
  std::vector<std::string> names = {};
  std::vector<Matrix> maps = {};
  std::vector<Region> regions = {};  ///< drawn into the picture, the first in colour
  Matrix covariance = {};            ///< of the first region
};

/// A png file, as bytes: the picture with its regions, its feature maps, and the covariance as a heat map.
std::string preview_png(const PicturePreview& preview);

/// What is shown of one trial: the signals that its covariance was estimated from, a row each.
struct SeriesPreview {
  std::string title = {};
  Matrix signals = {};
  Matrix covariance = {};
};

std::string preview_png(const SeriesPreview& preview);

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

/// Frequencies that pass, in Hz if the rate is in Hz.
struct Band {
  double low = 0;
  double high = 0;

  /// Reads a list such as "8-12,12-30"; throws InvalidInput.
  static std::vector<Band> parse_list(std::string_view text);
};

/// Every row through a Butterworth band-pass filter, once forwards and once backwards, so that nothing is delayed; the
/// ends are continued point-symmetrically. The same as SciPy's sosfiltfilt(butter(order, band, "bandpass")). Throws
/// InvalidInput unless 0 < low < high < rate / 2.
Matrix band_pass(const Eigen::Ref<const Matrix>& signals, const Band& band, double rate, int order = 4);

struct SeriesOptions {
  Estimator estimator = Estimator::sample;
  /// A filter bank: the channels once for every band, the first band's first, as rows of one large trial.
  std::vector<Band> bands = {};
  double rate = 0;  ///< samples per second; needed for bands
  int order = 4;    ///< of the filters
  bool skip_bad = false;
  int threads = 0;
};

/// The rows that the covariance of a trial is of: its channels, or those of all bands.
Matrix filter_bank(const MatrixView& trial, const SeriesOptions& options);

struct BadTrial {
  Index trial = 0;
  std::string problem;
};

struct SeriesResult {
  SpdBatch matrices;
  std::vector<Index> kept;  ///< which trial each matrix is of
  std::vector<BadTrial> bad;
};

/// One covariance matrix per trial (channels x samples); trials may differ in length. The same bits for any number of
/// threads. Throws RankDeficient or InvalidInput, naming and counting bad trials, unless these are to be skipped.
SeriesResult describe_series(std::span<const MatrixView> trials, const SeriesOptions& options = {});

}  // namespace dsk

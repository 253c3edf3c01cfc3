#include <dsk/describe.hpp>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

/// Red, green and blue, or grey alone: (height, width, 1 or 3).
using PictureArgument = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

Image as_image(const PictureArgument& picture) {
  const auto height = static_cast<Index>(picture.shape(0)), width = static_cast<Index>(picture.shape(1));
  const auto colours = static_cast<Index>(picture.shape(2));
  std::vector<Matrix> planes(static_cast<std::size_t>(colours), Matrix(height, width));
  for (Index i = 0; i < height * width; ++i)
    for (Index c = 0; c < colours; ++c) planes[static_cast<std::size_t>(c)].data()[i] = picture.data()[i * colours + c];
  if (colours == 1) return {.grey = std::move(planes[0])};
  if (colours != 3) throw InvalidInput("a picture has 1 or 3 colours");
  return {.grey = 0.299 * planes[0] + 0.587 * planes[1] + 0.114 * planes[2], .colours = std::move(planes)};
}

std::vector<Region> regions_of(const Image& image, const std::optional<std::pair<Index, Index>>& tiles,
                               const std::optional<std::pair<Index, Index>>& windows, Index step) {
  const Size size{image.width(), image.height()};
  if (windows) return window_regions(size, {windows->first, windows->second}, step);
  return tile_regions(size, tiles ? Size{tiles->first, tiles->second} : Size{1, 1});
}

/// One matrix for each tile or window, row by row; columns come first in their numbers.
MatricesResult describe_picture(const PictureArgument& picture, const std::string& features,
                                const std::optional<std::pair<Index, Index>>& tiles,
                                const std::optional<std::pair<Index, Index>>& windows, Index step,
                                const std::string& estimator) {
  const RegionOptions options{.estimator = parse_estimator(estimator)};
  return as_array(compute([&] {
    const Image image = as_image(picture);
    return region_covariance(parse_features(features), image, regions_of(image, tiles, windows, step), options);
  }));
}

}  // namespace

void bind_pictures(nb::module_& module) {
  module.def("describe_picture", &describe_picture, "picture"_a, "features"_a, "tiles"_a.none(), "windows"_a.none(),
             "step"_a, "estimator"_a);
  module.def(
      "feature_names", [](const std::string& features) { return parse_features(features).names; }, "features"_a);
}

}  // namespace dsk::python

#pragma once

#include <string>

#include "report/axis.hpp"
#include "report/report.hpp"

namespace dsk::drawing {

/// Many colours distinguish values better; one colour, more opaque for larger values, suits light and dark backgrounds.
enum class Colours { many, one };

/// The range of the values, for the colour scale.
Range value_range(const HeatMap& map);
/// The image without a caption.
std::string heat_map_svg(const HeatMap& map, const Range& range, Colours colours);
/// The colour scale.
std::string colour_ramp(const Range& range, Colours colours, bool has_missing);
bool has_missing_values(const HeatMap& map);
bool is_thinned(const HeatMap& map);

}  // namespace dsk::drawing

#pragma once

#include <dsk/report.hpp>

#include <string>

#include "report/axis.hpp"

namespace dsk::report {

/// Many colours tell values apart; one, the stronger the larger the value, sits quietly on light and dark paper.
enum class Colours { many, one };

/// The values that colours have to tell apart.
Range value_range(const HeatMap& map);
/// The picture alone.
std::string heat_map_svg(const HeatMap& map, const Range& range, Colours colours);
/// The bar that says which colour means what.
std::string colour_ramp(const Range& range, Colours colours, bool has_missing);
bool has_missing_values(const HeatMap& map);
bool is_thinned(const HeatMap& map);

}  // namespace dsk::report

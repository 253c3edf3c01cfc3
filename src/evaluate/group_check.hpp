#pragma once

#include <dsk/train.hpp>

#include <string>
#include <vector>

namespace dsk::detail {

/// Classes whose matrices all belong to one group cannot be both learned and tested while groups are kept together.
/// Returns a sentence about them, or nothing if there are none or the data have no groups. Throws ClassesInOneGroup
/// where there is no other class.
std::vector<std::string> group_warnings(const Dataset& data);

}  // namespace dsk::detail

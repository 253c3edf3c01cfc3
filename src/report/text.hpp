#pragma once

#include <string>

namespace dsk::report {

/// Any bytes as text for HTML and XML: markup is escaped; what is not UTF-8, not printable or turns the direction of
/// writing becomes the replacement character.
std::string escaped(const std::string& text);

/// About how wide a sans-serif face sets the text; rather too wide than too narrow.
double text_width(const std::string& text, double font_size);
/// The text, or as much of its beginning as fits, and an ellipsis. Not escaped.
std::string shortened(const std::string& text, double font_size, double width);

/// For people: a true minus sign, powers of ten where digits would be many, "n/a" for what is not a number.
std::string number(double value, int decimals);
/// 10 to the power of `exponent`, as a number if it is short.
std::string power_of_ten(int exponent);
/// With about three digits.
std::string short_number(double value);

/// A coordinate: one decimal, as short as can be.
std::string at(double coordinate);

}  // namespace dsk::report

#pragma once

#include <string>

namespace dsk::drawing {

/// Converts any bytes to text for HTML and XML. Markup is escaped; invalid UTF-8, unprintable characters and characters
/// that change the writing direction become the replacement character.
std::string escaped(const std::string& text);

/// Approximate width of the text in a sans-serif font; errs on the wide side.
double text_width(const std::string& text, double font_size);
/// The text, or as much of its beginning as fits with an ellipsis. Not escaped.
std::string shortened(const std::string& text, double font_size, double width);

/// Formats a number for display: with a minus sign, powers of ten for very large and small values, and "n/a" for NaN.
std::string number(double value, int decimals);
/// 10 with a superscript exponent.
std::string power_of_ten(int exponent);
/// Formats a number with about three digits.
std::string short_number(double value);

/// Formats a coordinate with at most one decimal.
std::string at(double coordinate);

}  // namespace dsk::drawing

#include "report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace dsk::drawing {
namespace {

constexpr char32_t replacement = 0xFFFD;

bool is_printable(char32_t c) {
  if (c < 0x20) return c == '\n' || c == '\t';
  const bool control = c >= 0x7F && c < 0xA0, surrogate = c >= 0xD800 && c < 0xE000;
  const bool direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F;
  const bool not_a_character = (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF);
  return !control && !surrogate && !direction && !not_a_character && c <= 0x10FFFF;
}

/// Removes and returns the first character of `rest`; removes one byte if it is not valid UTF-8.
char32_t take(std::string_view& rest) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(rest[k]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 && first < 0xF8 ? 4 : first >= 0xE0 ? 3 : 2;
  char32_t c = length == 1 ? first : first & (0xFFU >> (length + 1));
  bool valid = length <= rest.size() && (first < 0x80 || (first >= 0xC2 && first <= 0xF4));
  for (std::size_t k = 1; valid && k < length; ++k) {
    valid = (byte(k) & 0xC0U) == 0x80U;
    c = (c << 6U) | (byte(k) & 0x3FU);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  valid = valid && c >= smallest[length];
  rest.remove_prefix(valid ? length : 1);
  return valid && is_printable(c) ? c : replacement;
}

std::u32string characters(std::string_view text) {
  std::u32string result;
  while (!text.empty()) result += take(text);
  return result;
}

void append(std::string& text, char32_t c) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | (c >> 6U));
  } else {
    if (c < 0x10000) {
      add(0xE0 | (c >> 12U));
    } else {
      add(0xF0 | (c >> 18U));
      add(0x80 | ((c >> 12U) & 0x3F));
    }
    add(0x80 | ((c >> 6U) & 0x3F));
  }
  add(0x80 | (c & 0x3F));
}

/// Relative to the font size, for the widest of the common fonts.
double width_of(char32_t c) {
  if (c >= 0x1100) return c >= 0x2000 && c < 0x2E80 ? 0.8 : 1.05;
  if (c > 0x7E) return 0.72;
  constexpr std::pair<std::string_view, double> groups[] = {
      {" !',.:;Iijl|", 0.34}, {"[\\]/frt()-", 0.42}, {"cksvxyz", 0.59}, {"w&+<=>~#", 0.84}, {"%@MWm", 1.0}};
  for (const auto& [members, width] : groups)
    if (members.find(static_cast<char>(c)) != std::string_view::npos) return width;
  return c >= 'A' && c <= 'Z' ? 0.72 : 0.64;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char32_t c : characters(text)) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (c == '\'')
      result += "&#39;";
    else
      append(result, c);
  }
  return result;
}

double text_width(const std::string& text, double size) {
  double width = 0;
  for (const char32_t c : characters(text)) width += width_of(c);
  return width * size;
}

std::string shortened(const std::string& text, double size, double width) {
  if (text_width(text, size) <= width + 1e-6) return text;
  std::string result;
  double used = 1;
  for (const char32_t c : characters(text)) {
    used += width_of(c);
    if (used * size > width) break;
    append(result, c);
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result + "…";
}

std::string number(double value, int decimals) {
  if (std::isnan(value)) return "n/a";
  const std::string sign = value < 0 ? "−" : "";
  const double size = std::abs(value);
  if (std::isinf(size)) return sign + "∞";
  const int shown = size < 1e6 ? std::max(decimals, 0) : decimals;
  if (size < 0.5 * std::pow(10, -shown)) return shown > 4 ? "0" : fmt::format("{:.{}f}", 0.0, std::max(shown, 0));
  if (size < 1e6 && shown <= 4) return sign + fmt::format("{:.{}f}", size, shown);
  int exponent = static_cast<int>(std::floor(std::log10(size)));
  const int digits = std::clamp(exponent + decimals, 0, 12);
  if (exponent >= -3 && exponent < 6) return sign + fmt::format("{:.{}f}", size, std::clamp(decimals, 0, 12));
  std::string mantissa = fmt::format("{:.{}e}", size, digits);
  const auto e = mantissa.find('e');
  exponent = std::stoi(mantissa.substr(e + 1));
  mantissa.resize(e);
  return sign + (mantissa == "1" ? "" : mantissa + "×") + "10" + power_of_ten(exponent).substr(2);
}

std::string power_of_ten(int exponent) {
  constexpr std::string_view digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) result += digits[digit - '0'];
  return result;
}

std::string short_number(double value) {
  if (value == 0 || !std::isfinite(value)) return number(value, 0);
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  std::string text = number(value, 2 - exponent);
  if (exponent < -3 || exponent >= 6 || text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string at(double coordinate) {
  std::string text = fmt::format("{:.1f}", coordinate);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

}  // namespace dsk::drawing

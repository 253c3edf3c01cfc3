#include <dsk/report/page.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dsk {
namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --rule: #c9ced6; --soft: #59636e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --paper: #14171b; --rule: #3a424c; --soft: #98a2ae; } }
body { font: 17px/1.55 Georgia, "Times New Roman", serif; color: var(--ink); background: var(--paper);
       max-width: 46rem; margin: 2.5rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; border-top: 1.5px solid var(--ink); border-bottom: 1.5px solid var(--ink); }
th, td { padding: .3rem .9rem .3rem 0; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th { border-bottom: 1px solid var(--rule); font-weight: 600; } th:first-child, td:first-child { text-align: left; }
figure { margin: 1.6rem 0; } figure svg { width: 100%; max-width: 26rem; height: auto; display: block; }
figcaption { color: var(--soft); font-size: .92rem; margin-top: .5rem; max-width: 34rem; }
)";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// From pale yellow over green to dark blue: even steps of lightness, readable in grey.
std::string colour(double share) {
  constexpr double stops[][3] = {{253, 231, 160}, {122, 209, 140}, {34, 144, 140}, {59, 82, 139}, {58, 14, 84}};
  const double position = std::clamp(share, 0.0, 1.0) * 4;
  const int below = std::min(static_cast<int>(position), 3);
  const double rest = position - below;
  int mixed[3];
  for (int k = 0; k < 3; ++k)
    mixed[k] = static_cast<int>(std::lround(stops[below][k] * (1 - rest) + stops[below + 1][k] * rest));
  return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

}  // namespace

Page::Page(const std::string& title) : title_(escaped(title)) {}

void Page::add_heading(const std::string& text) {
  body_ += fmt::format("<h2>{}</h2>\n", escaped(text));
}

void Page::add_text(const std::string& text) {
  body_ += fmt::format("<p>{}</p>\n", escaped(text));
}

void Page::add_table(const std::vector<std::vector<std::string>>& rows) {
  body_ += "<div class=\"scroll\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    body_ += "<tr>";
    for (const std::string& cell : rows[r]) body_ += fmt::format("<{0}>{1}</{0}>", r == 0 ? "th" : "td", escaped(cell));
    body_ += "</tr>\n";
  }
  body_ += "</table></div>\n";
}

void Page::add_heat_map(const std::string& caption, const std::vector<double>& values, long size,
                        const std::vector<long>& marks) {
  constexpr long most_cells = 100;
  const long step = std::max<long>(1, (size + most_cells - 1) / most_cells);
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  const double range = *largest > *smallest ? *largest - *smallest : 1;
  body_ += fmt::format(
      "<figure><svg viewBox=\"0 0 {0} {0}\" role=\"img\" shape-rendering=\"crispEdges\"><title>{1}</title>\n", size,
      escaped(caption));
  for (long r = 0; r < size; r += step)
    for (long c = 0; c < size; c += step) {
      const double value = values[static_cast<std::size_t>(r * size + c)];
      body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>", c, r,
                           std::min(step, size - c), std::min(step, size - r), colour((value - *smallest) / range));
    }
  for (const long mark : marks)
    body_ += fmt::format("<path d=\"M{0} 0V{1}M0 {0}H{1}\" stroke=\"#fff\" stroke-width=\"{2}\"/>", mark, size,
                         static_cast<double>(size) / 200);
  body_ += fmt::format("</svg><figcaption>{}</figcaption></figure>\n", escaped(caption));
}

std::string Page::html() const {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>{0}</title>\n<style>{1}</style>\n"
      "</head><body>\n<h1>{0}</h1>\n{2}</body></html>\n",
      title_, style, body_);
}

}  // namespace dsk

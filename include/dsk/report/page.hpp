#pragma once

#include <string>
#include <vector>

namespace dsk {

/// A page for people to look at: one self-contained HTML file with figures drawn as SVG, for light and dark screens,
/// without scripts and without anything from the network.
class Page {
 public:
  explicit Page(const std::string& title);

  void add_heading(const std::string& text);
  void add_text(const std::string& text);
  /// The first row is the header; the first column holds names, the others numbers.
  void add_table(const std::vector<std::vector<std::string>>& rows);
  /// A square picture of `size` x `size` values (row-major), dark where they are large; `marks` are the positions of
  /// lines between classes. Large ones are thinned out to what a screen can show.
  void add_heat_map(const std::string& caption, const std::vector<double>& values, long size,
                    const std::vector<long>& marks = {});

  std::string html() const;

 private:
  std::string title_;
  std::string body_;
};

}  // namespace dsk

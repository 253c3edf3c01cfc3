#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "files/atomic_file.hpp"
#include "files/csv_line.hpp"
#include "files/file_error.hpp"
#include "files/writers.hpp"

namespace dsk::files {
namespace {

std::vector<std::string> label_fields(const Labels& labels, const std::filesystem::path& path) {
  std::vector<std::string> fields;
  for (const std::string& name : labels.names()) {
    if (name.find_first_of("\r\n") != std::string::npos) {
      throw file_error(path, fmt::format("cannot be written: label {} has a line end in it", in_quotes(name)));
    }
    fields.push_back(labels.integral() ? name : quoted_label(name));
  }
  return fields;
}

}  // namespace

void write_csv_file(const FileContent& content, const std::filesystem::path& path) {
  const auto names = content.labels != nullptr ? label_fields(*content.labels, path) : std::vector<std::string>{};
  const auto rows = static_cast<std::size_t>(content.numbers.shape[0]);
  const std::size_t columns = rows == 0 ? 0 : content.numbers.values.size() / rows;
  constexpr std::size_t flush_at = 1 << 20;
  AtomicFile file(path);
  fmt::memory_buffer text;
  const auto end = std::back_inserter(text);
  for (std::size_t row = 0; row < rows; ++row) {
    if (content.labels != nullptr) {
      const auto code = static_cast<std::size_t>((*content.labels)[static_cast<Index>(row)]);
      fmt::format_to(end, "{},", names[code]);
    }
    const auto values = content.numbers.values.subspan(row * columns, columns);
    for (std::size_t i = 0; i < columns; ++i) fmt::format_to(end, "{}{}", values[i], i + 1 < columns ? "," : "");
    text.push_back('\n');
    if (text.size() >= flush_at || row + 1 == rows) {
      file.write(std::string_view(text.data(), text.size()));
      text.clear();
    }
  }
  file.commit();
}

}  // namespace dsk::files

#include <dsk/files.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "files/file_errors.hpp"
#include "files/formats.hpp"
#include "files/raw_data.hpp"
#include "files/zip.hpp"

namespace dsk {
namespace {

namespace fs = std::filesystem;

struct NamedArray {
  std::string name;  ///< for messages; empty if the file contains a single array
  files::RawArray array;
};

std::vector<double> as_numbers(files::RawArray&& array, const fs::path& path, const std::string& what) {
  if (auto* const values = std::get_if<std::vector<double>>(&array.values)) return std::move(*values);
  if (const auto* const values = std::get_if<std::vector<long long>>(&array.values))
    return {values->begin(), values->end()};
  throw files::file_error(path, fmt::format("{} contains text, not numbers", what));
}

/// Splits arrays of two or three dimensions into trials.
class SignalBuilder {
 public:
  explicit SignalBuilder(SignalOptions::Layout layout) : layout_(layout) {}

  void add(NamedArray&& named, const fs::path& path) {
    const std::string what = named.name.empty() ? "the array" : named.name;
    const std::vector<Index>& shape = named.array.shape;
    if (shape.size() != 2 && shape.size() != 3)
      throw files::file_error(
          path, fmt::format("{} has shape {}, not (trials, channels, samples) or (samples, channels)", what,
                            files::describe_shape(shape)));
    const std::vector<double> values = as_numbers(std::move(named.array), path, what);
    const std::size_t axis = shape.size() - 2;
    const bool samples_first =
        layout_ == SignalOptions::Layout::automatic ? axis == 0 : layout_ == SignalOptions::Layout::samples_first;
    const Index rows = shape[axis], columns = shape[axis + 1];
    const Index channels = samples_first ? columns : rows, trials = axis == 1 ? shape[0] : 1;
    if (values.empty())
      throw files::file_error(path, fmt::format("{} has shape {}: it is empty", what, files::describe_shape(shape)));
    if (signals_.channels != 0 && signals_.channels != channels)
      throw files::file_error(
          path, fmt::format("{} has {} channels, but the trials before it have {}", what, channels, signals_.channels));
    signals_.channels = channels;
    signals_.lengths.insert(signals_.lengths.end(), static_cast<std::size_t>(trials), samples_first ? rows : columns);
    if (!samples_first && signals_.values.empty()) {
      signals_.values = values;
    } else if (!samples_first) {
      signals_.values.insert(signals_.values.end(), values.begin(), values.end());
    } else {
      for (Index trial = 0; trial < trials; ++trial) {
        const MatrixView from(values.data() + trial * rows * columns, rows, columns);
        for (Index c = 0; c < columns; ++c)
          for (Index r = 0; r < rows; ++r) signals_.values.push_back(from(r, c));
      }
    }
  }

  Signals& signals() { return signals_; }

 private:
  SignalOptions::Layout layout_;
  Signals signals_;
};

files::RawArray read_table(const fs::path& path) {
  files::FileSource source(path);
  const std::string text = files::read_text(source);
  files::CsvLines lines(text);
  std::vector<files::CsvField> fields;
  std::vector<double> values;
  Index rows = 0, columns = 0;
  while (const auto line = lines.next()) {
    if (!files::split_csv_line(*line, fields))
      throw files::file_error(path, fmt::format("line {} has a misplaced quotation mark", lines.number()));
    // Skip a header line.
    if (rows == 0 && columns == 0) {
      columns = static_cast<Index>(fields.size());
      if (std::none_of(fields.begin(), fields.end(), [](const auto& field) { return files::parse_number(field); }))
        continue;
    }
    if (static_cast<Index>(fields.size()) != columns)
      throw files::file_error(path, fmt::format("line {} has {} fields, but the first line has {}", lines.number(),
                                                fields.size(), columns));
    for (const files::CsvField& field : fields) {
      const auto number = files::parse_number(field);
      if (!number)
        throw files::file_error(
            path, fmt::format("line {} has {}, not a number", lines.number(), files::in_quotes(field.text)));
      values.push_back(*number);
    }
    ++rows;
  }
  return {{rows, columns}, std::move(values)};
}

files::RawArray read_array(const fs::path& path) {
  if (files::format_of(path) == files::FileFormat::csv) return read_table(path);
  files::FileSource source(path);
  return files::read_npy(source);
}

files::RawArray read_member(const files::ZipReader& archive, const std::string& name) {
  files::ZipMember member = archive.open(name);
  files::RawArray array = files::read_npy(member);
  member.finish();
  return array;
}

void check_count(const Labels& labels, std::size_t trials, const fs::path& path, std::string_view what) {
  if (static_cast<std::size_t>(labels.size()) != trials)
    throw files::file_error(
        path, fmt::format("{} {} for {} trials; there must be one per trial", labels.size(), what, trials));
}

void read_archive(const fs::path& path, SignalBuilder& builder) {
  const files::ZipReader archive(path);
  const auto is_array = [](const std::string& name) {
    return name.ends_with(".npy") && name != "y.npy" && name != "groups.npy" && name != "description.npy";
  };
  const auto short_name = [](const std::string& name) { return name.substr(0, name.size() - 4); };
  if (archive.contains("X.npy")) {
    builder.add({"X", read_member(archive, "X.npy")}, path);
  } else {
    for (const std::string& name : archive.names())
      if (is_array(name)) builder.add({short_name(name), read_member(archive, name)}, path);
  }
  Signals& signals = builder.signals();
  if (archive.contains("y.npy")) signals.labels = files::as_labels(read_member(archive, "y.npy"), path, "labels");
  if (archive.contains("groups.npy"))
    signals.groups = files::as_labels(read_member(archive, "groups.npy"), path, "groups");
}

std::vector<fs::path> sorted_entries(const fs::path& folder, bool folders) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    const bool wanted =
        folders ? entry.is_directory() : entry.is_regular_file() && (extension == ".npy" || extension == ".csv");
    if (wanted && !entry.path().filename().string().starts_with('.')) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void read_folder(const fs::path& path, SignalBuilder& builder) try {
  for (const fs::path& file : sorted_entries(path, false)) builder.add({"", read_array(file)}, file);
  const bool flat = !builder.signals().lengths.empty();
  std::vector<std::string> labels;
  for (const fs::path& folder : sorted_entries(path, true))
    for (const fs::path& file : sorted_entries(folder, false)) {
      if (flat)
        throw files::file_error(
            path,
            "contains both recordings and folders of recordings; move all recordings into folders, one per class");
      builder.add({"", read_array(file)}, file);
      labels.resize(builder.signals().lengths.size(), folder.filename().string());
    }
  if (!labels.empty()) builder.signals().labels = Labels(labels);
} catch (const fs::filesystem_error& error) {
  throw files::file_error(path, error.code().message());
}

}  // namespace

std::vector<MatrixView> Signals::trials() const {
  std::vector<MatrixView> views;
  const double* at = values.data();
  for (const Index length : lengths) {
    views.emplace_back(at, channels, length);
    at += channels * length;
  }
  return views;
}

Signals load_signals(const fs::path& path, const SignalOptions& options) try {
  SignalBuilder builder(options.layout);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    read_folder(path, builder);
  } else if (files::format_of(path) == files::FileFormat::npz) {
    read_archive(path, builder);
  } else if (files::format_of(path) == files::FileFormat::mat) {
    throw files::file_error(path, "recordings can only be read from .npy, .npz and .csv files and folders of them");
  } else {
    builder.add({"", read_array(path)}, path);
  }
  Signals signals = std::move(builder.signals());
  if (signals.lengths.empty()) throw files::file_error(path, "contains no recordings");
  if (!options.labels.empty())
    signals.labels = files::as_labels(files::read_labels(options.labels), options.labels, "labels");
  const fs::path& labelled = options.labels.empty() ? path : options.labels;
  if (signals.labels) check_count(*signals.labels, signals.lengths.size(), labelled, "labels");
  if (signals.groups) check_count(*signals.groups, signals.lengths.size(), path, "groups");
  return signals;
} catch (const std::bad_alloc&) {
  throw files::file_error(path, "needs more memory than is available");
}

Matrix load_matrix(const fs::path& path) try {
  const files::FileFormat format = files::format_of(path);
  if (format == files::FileFormat::mat)
    throw files::file_error(path, "a matrix can only be read from .npy, .npz and .csv files");
  files::RawArray array =
      format == files::FileFormat::npz ? read_member(files::ZipReader(path), "X.npy") : read_array(path);
  if (array.shape.size() != 2)
    throw files::file_error(
        path, fmt::format("the array has shape {}, not that of a matrix", files::describe_shape(array.shape)));
  const Index rows = array.shape[0], columns = array.shape[1];
  return MatrixView(as_numbers(std::move(array), path, "the array").data(), rows, columns);
} catch (const std::bad_alloc&) {
  throw files::file_error(path, "needs more memory than is available");
}

}  // namespace dsk

#include <dsk/describe.hpp>
#include <dsk/dsk.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "describe/pictures.hpp"
#include "reading.hpp"

namespace {

/// A file in memory, with names of every extension that lead to it.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("input", 0)) {
    std::string pattern = "/tmp/dsk-fuzz-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    for (const std::string_view extension : {".npy", ".npz", ".mat", ".csv", ".dsk", ".json", ".png"}) {
      std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(descriptor_), path(extension));
    }
  }
  ~MemoryFile() { std::filesystem::remove_all(folder_); }

  bool fill(const std::uint8_t* data, std::size_t size) const {
    return ::ftruncate(descriptor_, 0) == 0 && ::pwrite(descriptor_, data, size, 0) == static_cast<ssize_t>(size);
  }

  std::filesystem::path path(std::string_view extension) const { return folder_ / ("input" + std::string(extension)); }

 private:
  int descriptor_;
  std::filesystem::path folder_;
};

/// Labels in place of those of a data set of one matrix.
void load_as_labels(const MemoryFile& file, std::string_view extension) {
  static const std::filesystem::path one_matrix = [&] {
    dsk::save(dsk::Dataset(dsk::SpdBatch(std::array{1.0}, 1, 1)), file.path(".one.npy"));
    return file.path(".one.npy");
  }();
  dsk::load(one_matrix, {.labels = file.path(extension), .repair = {}, .part = {}});
}

std::ptrdiff_t lines_in(std::string_view text) {
  return 1 + std::count(text.begin(), text.end(), '\n');
}

/// Everything that users write as text, in one line, which messages quote: what one refuses, the next may take.
void parse_names(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const auto each = [](const auto&... parses) {
    const auto attempt = [](const auto& parse) {
      try {
        parse();
      } catch (const dsk::InvalidInput& error) {
        if (lines_in(error.what()) > 1) std::abort();
      }
    };
    (attempt(parses), ...);
  };
  each([&] { dsk::Method::parse_list(text); }, [&] { dsk::Protocol::parse(text); }, [&] { dsk::Repair::parse(text); },
       [&] { dsk::Scale::parse(text); }, [&] { dsk::Projecting::parse(text); }, [&] { dsk::parse_nystrom(text); },
       [&] { dsk::parse_landmarks(text); }, [&] { dsk::parse_estimator(text); }, [&] { dsk::parse_metric(text); },
       [&] { dsk::parse_criterion(text); }, [&] { dsk::parse_adjustment(text); }, [&] { dsk::parse_classifier(text); },
       [&] { dsk::parse_margin(text); }, [&] { dsk::parse_theta_range(text); }, [&] { dsk::parse_recentring(text); },
       [&] { dsk::parse_cluster_method(text); }, [&] { dsk::parse_device(text); },
       [&] { dsk::MatrixFunction::parse(text); }, [&] { dsk::Size::parse(text, "size"); },
       [&] { dsk::Band::parse_list(text); }, [&] { dsk::parse_features(text); });
}

/// What OpenCV decodes is not ours, so that small pictures suffice of it.
void read_picture(const MemoryFile& file, std::string_view bytes) {
  constexpr dsk::Index most_decoded = 1 << 12;
  const dsk::Size size = dsk::detail::picture_size({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  if (size.width * size.height <= most_decoded) dsk::read_image(file.path(".png"));
}

void read(dsk::fuzz::Reading reading, const MemoryFile& file, std::string_view text) {
  using enum dsk::fuzz::Reading;
  switch (reading) {
    case npy:
    case npz:
    case mat:
    case csv: {
      static constexpr std::array<std::string_view, 4> extensions{".npy", ".npz", ".mat", ".csv"};
      dsk::LoadOptions options;
      options.on_complex = [] {};
      dsk::load(file.path(extensions[static_cast<std::size_t>(reading)]), options);
      return;
    }
    case mat_test:
      dsk::load(file.path(".mat"), {.part = dsk::LoadOptions::Part::test});
      return;
    case npy_labels:
      return load_as_labels(file, ".npy");
    case csv_labels:
      return load_as_labels(file, ".csv");
    case kernel:
      dsk::load_kernel(file.path(".dsk"));
      return;
    case model:
      dsk::load_model(file.path(".dsk"), 1);
      return;
    case transform:
      dsk::load_transform(file.path(".dsk"));
      return;
    case evaluation:
      dsk::load_evaluation(file.path(".json"), dsk::fuzz::evaluated_data());
      return;
    case given_protocol:
      dsk::Protocol::given(dsk::load_labels(file.path(".csv")));
      return;
    case npy_signals:
      dsk::load_signals(file.path(".npy"));
      return;
    case npz_signals:
      dsk::load_signals(file.path(".npz"));
      return;
    case csv_signals:
      dsk::load_signals(file.path(".csv"));
      return;
    case npy_matrix:
      dsk::load_matrix(file.path(".npy"));
      return;
    case csv_matrix:
      dsk::load_matrix(file.path(".csv"));
      return;
    case picture:
      return read_picture(file, text);
    case names:
      return parse_names(std::string(text));
    case count:
      return;
  }
}

}  // namespace

/// The first byte chooses the reader; the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  if (size == 0 || !file.fill(data + 1, size - 1)) return 0;
  const auto reading = static_cast<dsk::fuzz::Reading>(data[0] % static_cast<int>(dsk::fuzz::Reading::count));
  try {
    read(reading, file, {reinterpret_cast<const char*>(data + 1), size - 1});
  } catch (const dsk::InvalidInput& error) {
    if (lines_in(error.what()) > 1) std::abort();
  }
  return 0;
}

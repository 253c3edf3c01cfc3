#include <dsk/files.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

/// A file in memory, with names of every extension that lead to it.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("input", 0)) {
    std::string pattern = "/tmp/dsk-fuzz-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    for (const std::string_view extension : {".npy", ".npz", ".mat", ".csv", ".dsk"}) {
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

}  // namespace

/// The first byte chooses the reader; the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  if (size == 0 || !file.fill(data + 1, size - 1)) return 0;
  constexpr std::array<std::string_view, 8> extensions{".npy", ".npz", ".mat", ".csv", ".npy", ".csv", ".dsk", ".dsk"};
  constexpr std::size_t models = 7;
  const std::size_t choice = data[0] % extensions.size();
  try {
    if (choice < 4) {
      dsk::load(file.path(extensions[choice]));
    } else if (choice == models) {
      dsk::load_model(file.path(".dsk"), 1);
    } else if (extensions[choice] == ".dsk") {
      dsk::load_kernel(file.path(".dsk"));
    } else {
      static const std::filesystem::path one_matrix = [] {
        dsk::save(dsk::Dataset(dsk::SpdBatch(std::array{1.0}, 1, 1)), file.path(".one.npy"));
        return file.path(".one.npy");
      }();
      dsk::load(one_matrix, {.labels = file.path(extensions[choice]), .repair = {}, .part = {}});
    }
  } catch (const dsk::InvalidInput& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}

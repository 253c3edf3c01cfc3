#include <dsk/files.hpp>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "files/files.hpp"
#include "files/raw_data.hpp"

namespace dsk::files {
namespace {

constexpr int gzip_window = 15 + 16;

bool is_compressed(const std::filesystem::path& file) {
  return file.extension() == ".gz";
}

/// The same bytes for the same text.
std::string compressed(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string result;
  std::array<char, 1 << 16> buffer;
  // zlib counts in 32 bits, and reads its input only.
  constexpr std::size_t most_at_once = 1 << 30;
  for (int code = Z_OK; code != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      const std::string_view next = text.substr(0, most_at_once);
      text.remove_prefix(next.size());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next.data()));
      stream.avail_in = static_cast<uInt>(next.size());
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    code = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
    result.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return result;
}

/// All stores of this process.
struct OpenStores {
  std::mutex mutex;
  std::vector<ResultsStore*> stores;
};

OpenStores& open_stores() {
  // Never destroyed: a thread that takes signals may outlive static objects.
  static OpenStores& all = *new OpenStores;
  return all;
}

}  // namespace

std::string read_results(const std::filesystem::path& file) {
  FileSource source(file);
  if (!is_compressed(file)) return read_text(source);
  InflateSource unpacked(source);
  std::string text;
  std::array<std::byte, 1 << 16> buffer;
  for (std::size_t count = unpacked.read(buffer); count > 0; count = unpacked.read(buffer))
    text.append(reinterpret_cast<const char*>(buffer.data()), count);
  return text;
}

void save_results(std::string_view text, const std::filesystem::path& file) {
  if (is_compressed(file)) return save_text(compressed(text), file);
  save_text(text, file);
}

ResultsStore::ResultsStore(std::filesystem::path file, std::function<std::string()> text)
    : file_(std::move(file)), text_(std::move(text)), lock_(file_) {
  const std::scoped_lock lock(open_stores().mutex);
  open_stores().stores.push_back(this);
}

ResultsStore::~ResultsStore() {
  {
    const std::scoped_lock lock(open_stores().mutex);
    std::erase(open_stores().stores, this);
  }
  close();
}

void ResultsStore::save() {
  if (closed_) return;
  const auto start = std::chrono::steady_clock::now();
  save_results(text_(), file_);
  pending_ = false;
  const auto end = std::chrono::steady_clock::now();
  next_save_ = end + 10 * (end - start);
}

void ResultsStore::change(const std::function<void()>& change) {
  const std::scoped_lock lock(mutex_);
  change();
  pending_ = true;
  if (std::chrono::steady_clock::now() >= next_save_) save();
}

void ResultsStore::change_and_save(const std::function<void()>& change) {
  const std::scoped_lock lock(mutex_);
  change();
  save();
}

bool ResultsStore::close() noexcept {
  const std::scoped_lock lock(mutex_);
  bool saved = true;
  try {
    if (pending_) save();
  } catch (const std::exception&) {
    saved = false;
  }
  closed_ = true;
  lock_.release();
  return saved;
}

}  // namespace dsk::files

namespace dsk {

bool close_results() noexcept {
  const std::scoped_lock lock(files::open_stores().mutex);
  bool saved = true;
  for (files::ResultsStore* const store : files::open_stores().stores) saved = store->close() && saved;
  return saved;
}

}  // namespace dsk

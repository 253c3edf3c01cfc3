#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mutations.hpp"
#include "reading.hpp"

/// libFuzzer's own mutation of bytes.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

// Mutations that keep the outer form of a file (lengths, checksums, compression), so that the readers of its content
// are reached too.
namespace dsk::fuzz {

std::size_t below(Random& random, std::size_t count) {
  return count == 0 ? 0 : random() % count;
}

std::string mutate_bytes(std::string bytes) {
  const std::size_t size = bytes.size();
  bytes.resize(size + 64);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
  return bytes;
}

std::string mutate_text(std::string text, Random& random) {
  static constexpr std::array<std::string_view, 24> notable{"0",
                                                            "1",
                                                            "-1",
                                                            "2",
                                                            "3",
                                                            "1e308",
                                                            "1e-320",
                                                            "nan",
                                                            "inf",
                                                            "-inf",
                                                            "4294967296",
                                                            "1000000000000000000",
                                                            "99999999999999999999",
                                                            "true",
                                                            "false",
                                                            "null",
                                                            "[]",
                                                            "{}",
                                                            "\"\"",
                                                            "None",
                                                            "'<f8'",
                                                            "'|S1'",
                                                            "'>c16'",
                                                            "0.5"};
  static constexpr std::string_view separators = ",:[]{}()\"' \n\t";
  std::vector<std::pair<std::size_t, std::size_t>> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = text.find_first_not_of(separators, at);
    if (first == std::string::npos) break;
    at = std::min(text.find_first_of(separators, first), text.size());
    words.emplace_back(first, at - first);
  }
  if (words.empty()) return mutate_bytes(std::move(text));
  const auto [place, length] = words[below(random, words.size())];
  const auto [other, other_length] = words[below(random, words.size())];
  switch (below(random, 6)) {
    case 0:
    case 1:
      return text.replace(place, length, notable[below(random, notable.size())]);
    case 2:
      return text.replace(place, length, text.substr(other, other_length));
    case 3: {  // from one word to another: once more
      const std::size_t begin = std::min(place, other), end = std::max(place, other);
      return text.insert(begin, text.substr(begin, end - begin));
    }
    case 4: {  // or not at all
      const std::size_t begin = std::min(place, other), end = std::max(place, other);
      return text.erase(begin, end - begin);
    }
    default:
      return text.replace(place, length, mutate_bytes(text.substr(place, length)));
  }
}

namespace {

std::uint32_t word_at(const std::string& bytes, std::size_t place) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + place, sizeof word);
  return word;
}

void set_word(std::string& bytes, std::size_t place, std::uint32_t word) {
  std::memcpy(bytes.data() + place, &word, sizeof word);
}

/// An array whose header says how long it is.
Mutated mutate_npy(const std::string& bytes, Random& random) {
  if (bytes.size() < 10 || !bytes.starts_with("\x93NUMPY")) return {};
  const std::size_t begin = bytes[6] == 1 ? 10 : 12;
  const auto low = static_cast<unsigned char>(bytes[8]), high = static_cast<unsigned char>(bytes[9]);
  const std::size_t length = low + std::size_t{256} * high;
  if (begin + length > bytes.size()) return {};
  std::string header = bytes.substr(begin, length), data = bytes.substr(begin + length);
  if (below(random, 2) == 0) {
    header = mutate_text(std::move(header), random);
  } else {
    data = mutate_bytes(std::move(data));
  }
  std::string result = bytes.substr(0, begin);
  result[8] = static_cast<char>(header.size() % 256);
  result[9] = static_cast<char>(header.size() / 256 % 256);
  return result + header + data;
}

Mutated inflated(const std::string& packed) {
  std::string result(std::min<std::size_t>(32 * packed.size() + 64, 1 << 16), '\0');
  uLongf size = result.size();
  if (::uncompress(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                   packed.size()) != Z_OK)
    return {};
  result.resize(size);
  return result;
}

std::string deflated(const std::string& bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::string result(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
             bytes.size());
  result.resize(size);
  return result;
}

/// Words of four bytes, which types, sizes and flags are.
std::string mutate_words(std::string bytes, std::size_t from, Random& random) {
  static constexpr std::array<std::uint32_t, 16> notable{0, 1,  2,  4,  5,  6,          7,          8,
                                                         9, 14, 15, 16, 64, 0x7fffffff, 0x80000000, 0xffffffff};
  const std::size_t count = (bytes.size() - std::min(from, bytes.size())) / 4;
  if (count == 0 || below(random, 4) == 0) return mutate_bytes(std::move(bytes));
  set_word(bytes, from + 4 * below(random, count), notable[below(random, notable.size())]);
  return bytes;
}

/// A MAT-file of version 5: a header of 128 bytes, then elements, which may be compressed.
Mutated mutate_mat(const std::string& bytes, Random& random) {
  constexpr std::uint32_t compressed = 15;
  if (bytes.size() < 136) return {};
  const std::uint32_t size = word_at(bytes, 132);
  if (word_at(bytes, 128) == compressed && size <= bytes.size() - 136) {
    const Mutated inside = inflated(bytes.substr(136, size));
    if (!inside) return {};
    const std::string packed = deflated(mutate_words(*inside, 0, random));
    std::string result = bytes.substr(0, 136) + packed + bytes.substr(136 + size);
    set_word(result, 132, static_cast<std::uint32_t>(packed.size()));
    return result;
  }
  return mutate_words(bytes, 128, random);
}

using Members = std::vector<std::pair<std::string, std::string>>;

std::optional<Members> members_of(const std::string& bytes) {
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr);
  zip_t* const archive = zip_open_from_source(source, ZIP_RDONLY, nullptr);
  if (archive == nullptr) {
    zip_source_free(source);
    return {};
  }
  Members members;
  for (zip_int64_t k = 0; k < zip_get_num_entries(archive, 0); ++k) {
    const char* const name = zip_get_name(archive, static_cast<zip_uint64_t>(k), 0);
    zip_file_t* const file = zip_fopen_index(archive, static_cast<zip_uint64_t>(k), 0);
    if (name != nullptr && file != nullptr) {
      std::string content(1 << 14, '\0');
      const auto got = zip_fread(file, content.data(), content.size());
      content.resize(static_cast<std::size_t>(std::max<zip_int64_t>(got, 0)));
      members.emplace_back(name, std::move(content));
    }
    if (file != nullptr) zip_fclose(file);
  }
  zip_discard(archive);
  if (members.empty()) return {};
  return members;
}

std::string zip_of(const Members& members, bool packed) {
  zip_source_t* const whole = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  zip_source_keep(whole);
  zip_t* const archive = zip_open_from_source(whole, ZIP_TRUNCATE, nullptr);
  for (const auto& [name, content] : members) {
    zip_source_t* const source = zip_source_buffer(archive, content.data(), content.size(), 0);
    const auto index = zip_file_add(archive, name.c_str(), source, ZIP_FL_OVERWRITE);
    if (index < 0) {
      zip_source_free(source);
    } else {
      zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), packed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    }
  }
  std::string result;
  if (zip_close(archive) != 0) {
    zip_discard(archive);
  } else if (zip_source_open(whole) == 0) {
    zip_source_seek(whole, 0, SEEK_END);
    result.resize(static_cast<std::size_t>(std::max<zip_int64_t>(zip_source_tell(whole), 0)));
    zip_source_seek(whole, 0, SEEK_SET);
    zip_source_read(whole, result.data(), result.size());
    zip_source_close(whole);
  }
  zip_source_free(whole);
  return result;
}

/// The checksums in meta.json are those of the arrays again.
void correct_checksums(Members& members) {
  const auto meta =
      std::find_if(members.begin(), members.end(), [](const auto& member) { return member.first == "meta.json"; });
  if (meta == members.end()) return;
  for (const auto& [name, content] : members) {
    const std::size_t place = meta->second.find("\"" + name + "\"");
    if (place == std::string::npos) continue;
    const std::size_t begin = meta->second.find('"', place + name.size() + 2);
    if (begin == std::string::npos || begin + 9 > meta->second.size()) continue;
    std::array<char, 9> digits{};
    const auto checksum = ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    std::snprintf(digits.data(), digits.size(), "%08lx", checksum);
    meta->second.replace(begin + 1, 8, digits.data());
  }
}

/// One member of an archive is changed, removed, or takes the place of another.
Mutated mutate_zip(const std::string& bytes, Random& random) {
  std::optional<Members> members = members_of(bytes);
  if (!members) return {};
  const std::size_t chosen = below(random, members->size()), other = below(random, members->size());
  auto& [name, content] = (*members)[chosen];
  switch (below(random, 12)) {
    case 0:
      members->erase(members->begin() + static_cast<std::ptrdiff_t>(chosen));
      break;
    case 1:
      content = (*members)[other].second;
      break;
    case 2:
      name = mutate_text(name, random);
      break;
    default:
      if (name.ends_with(".npy")) {
        content = mutate_npy(content, random).value_or(content);
      } else {
        content = mutate_text(content, random);
      }
  }
  if (below(random, 8) != 0) correct_checksums(*members);
  std::string result = zip_of(*members, below(random, 4) == 0);
  if (result.empty()) return {};
  return result;
}

Mutated mutate_form(Reading reading, const std::string& bytes, Random& random) {
  using enum Reading;
  switch (reading) {
    case npy:
    case npy_labels:
    case npy_signals:
    case npy_matrix:
      return mutate_npy(bytes, random);
    case npz:
    case kernel:
    case model:
    case transform:
    case npz_signals:
      return mutate_zip(bytes, random);
    case mat:
    case mat_test:
      return mutate_mat(bytes, random);
    case picture:
      return mutate_picture(bytes, random);
    default:
      return mutate_text(bytes, random);
  }
}

}  // namespace
}  // namespace dsk::fuzz

/// Three in four mutations keep the form of the file.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  using namespace dsk::fuzz;
  Random random(seed);
  if (size > 1 && below(random, 4) != 0) {
    const auto reading = static_cast<Reading>(data[0] % static_cast<int>(Reading::count));
    const Mutated mutated = mutate_form(reading, {reinterpret_cast<const char*>(data + 1), size - 1}, random);
    if (mutated && mutated->size() < max_size) {
      std::copy(mutated->begin(), mutated->end(), data + 1);
      return mutated->size() + 1;
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

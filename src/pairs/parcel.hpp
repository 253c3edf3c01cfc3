#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dsk::engine {

/// Values on their way to other ranks, which run the same program on like machines.
class Parcel {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> Parcel& put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  template <class T>
  Parcel& put_all(std::span<const T> values) {
    put(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes values out in the order in which they were put in.
class OpenParcel {
 public:
  explicit OpenParcel(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T take() {
    T value;
    copy_to(&value, sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> take_all() {
    std::vector<T> values(take<std::size_t>());
    copy_to(values.data(), values.size() * sizeof(T));
    return values;
  }
  std::string take_text() {
    const std::vector<char> text = take_all<char>();
    return {text.begin(), text.end()};
  }

 private:
  void copy_to(void* target, std::size_t size) {
    if (size > 0) std::memcpy(target, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  std::string_view rest_;
};

}  // namespace dsk::engine

#include <charconv>

#include "files/writers.hpp"

namespace dsk::files {

std::vector<long long> integers(const Labels& labels) {
  std::vector<long long> by_class;
  for (const std::string& name : labels.names()) {
    long long value = 0;
    std::from_chars(name.data(), name.data() + name.size(), value);
    by_class.push_back(value);
  }
  std::vector<long long> result;
  for (const int code : labels.codes()) result.push_back(by_class[static_cast<std::size_t>(code)]);
  return result;
}

std::vector<std::string> texts(const Labels& labels) {
  std::vector<std::string> result;
  for (const int code : labels.codes()) result.push_back(labels.names()[static_cast<std::size_t>(code)]);
  return result;
}

}  // namespace dsk::files

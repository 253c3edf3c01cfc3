#include "files/archive_section.hpp"

#include <algorithm>

namespace dsk::files {

void ArchiveContent::add(std::string name, std::vector<Index> shape, std::vector<double> values) {
  kept_.push_back(std::move(values));
  arrays_.push_back({std::move(name), std::move(shape), kept_.back()});
}

void ArchiveContent::add_arrays(ArchiveContent&& part, const std::string& prefix) {
  version = std::max(version, part.version);
  // The numbers of a moved vector stay where they are, and views of them valid.
  for (std::vector<double>& values : part.kept_) kept_.push_back(std::move(values));
  for (NamedArray& array : part.arrays_) arrays_.push_back({prefix + array.name, std::move(array.shape), array.values});
}

}  // namespace dsk::files

#pragma once

#include <dsk/classify.hpp>

#include "files/classifier_fields.hpp"

namespace dsk::files {

ArchiveContent content(const NystromKnn& knn);

/// Throws InvalidInput, with the file's name, if the archive's fields and arrays make no such classifier.
NystromKnn read_nystrom_knn(const ArchiveReader& archive, const std::filesystem::path& file, int threads);

}  // namespace dsk::files

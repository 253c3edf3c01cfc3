#pragma once

#include <dsk/evaluate.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <vector>

namespace dsk::detail {

using Json = nlohmann::ordered_json;

/// What an evaluation depends on, for telling whether earlier results belong to it.
Json settings_json(const Dataset& data, const EvaluationOptions& options);

/// The one form in which results of a split are written to files and sent to other ranks.
Json to_json(const SplitResult& result);
/// Throws nlohmann's exceptions where something is missing or of another type.
SplitResult split_result_from(const Json& json);
Json to_json(const std::vector<SplitResult>& results);
std::vector<SplitResult> split_results_from(const Json& json);

/// The parsed file, or nothing if there is none. Throws InvalidInput, "FILE: exists but is not an `what` file ...", if
/// it cannot be read or parsed.
std::optional<Json> existing_json(const std::filesystem::path& file, std::string_view what);
/// That a file exists but does not hold what it should.
InvalidInput not_such_a_file(const std::filesystem::path& file, std::string_view what);

}  // namespace dsk::detail

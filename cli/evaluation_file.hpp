#pragma once

#include <dsk/evaluate.hpp>
#include <dsk/report.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>

namespace dsk::cli {

/// What an evaluation depends on, for telling whether results of an earlier run belong to it.
nlohmann::ordered_json evaluation_settings(const Dataset& data, const EvaluationOptions& options,
                                           const std::string& repair);

/// Results of an earlier, perhaps unfinished run with the same settings; none if there is no such file. Throws
/// InvalidInput if the file is something else or belongs to other settings.
std::vector<SplitResult> finished_results(const std::filesystem::path& file, const nlohmann::ordered_json& settings);

/// The settings as a page shows them.
std::vector<Setting> as_list(const nlohmann::ordered_json& settings);

nlohmann::ordered_json as_json(const SplitResult& result);
/// Throws nlohmann's exceptions where something is missing or of another type.
SplitResult result_from(const nlohmann::ordered_json& json);
nlohmann::ordered_json as_json(const MethodResult& result, const std::string& baseline);

}  // namespace dsk::cli

#pragma once

#include <dsk/select/evaluate.hpp>

#include <nlohmann/json.hpp>
#include <string>

namespace dsk::cli {

/// The outcome in one sentence.
std::string answer(const Evaluation& evaluation);

/// A page with everything, as HTML.
std::string evaluation_report(const Dataset& data, const Evaluation& evaluation, const EvaluationOptions& options,
                              const nlohmann::ordered_json& settings);

}  // namespace dsk::cli

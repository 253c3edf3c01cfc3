#pragma once

#include <dsk/report/page.hpp>
#include <dsk/select/evaluate.hpp>

#include <string>
#include <vector>

namespace dsk {

/// The outcome in one sentence.
std::string answer(const Evaluation& evaluation);

/// A page with everything that came out of evaluate(data, options), as HTML: accuracies, differences, what is taken for
/// what, a learned kernel, and the settings, which the caller lists.
std::string evaluation_page(const Dataset& data, const Evaluation& evaluation, const EvaluationOptions& options,
                            const std::vector<Setting>& settings);

}  // namespace dsk

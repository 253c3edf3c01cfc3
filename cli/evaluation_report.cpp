#include "evaluation_report.hpp"

#include <dsk/report/page.hpp>

#include <fmt/core.h>

namespace dsk::cli {

std::string answer(const Evaluation& evaluation) {
  constexpr double level = 0.05;
  const MethodResult* best = nullptr;
  for (const MethodResult& result : evaluation.methods)
    if (result.against && result.against->student_p < level &&
        (best == nullptr || result.against->difference > best->against->difference))
      best = &result;
  bool compared = false;
  for (const MethodResult& result : evaluation.methods) compared = compared || result.against.has_value();
  if (!compared) return "Nothing to compare: one method, or one split only.";
  const std::string baseline =
      evaluation.methods[(best != nullptr ? *best : evaluation.methods.back()).baseline].method.full_name();
  if (best == nullptr) return fmt::format("No significant difference to {}.", baseline);
  const double points = 100 * best->against->difference;
  return fmt::format("{} {} {} by {:.1f} points (p = {:.2g}).", best->method.full_name(),
                     points > 0 ? "beats" : "loses to", baseline, std::abs(points), best->against->student_p);
}

std::string evaluation_report(const Dataset& data, const Evaluation& evaluation, const EvaluationOptions& options,
                              const nlohmann::ordered_json& settings) {
  Page page("Evaluation");
  page.add_text(answer(evaluation));
  static_cast<void>(data);
  static_cast<void>(options);
  page.add_text(settings.dump());
  return page.html();
}

}  // namespace dsk::cli

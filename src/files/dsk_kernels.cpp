#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "files/dsk_content.hpp"

namespace dsk::files {
namespace {

constexpr std::string_view projection_name = "projection";
constexpr std::string_view adjustment_name = "adjustment";
const std::string kernel_step_prefix = "kernel_step";
constexpr long long combined_version = 4;

bool is_control(char c) {
  constexpr unsigned char space = 0x20, erase = 0x7f;
  const auto code = static_cast<unsigned char>(c);
  return code < space || code == erase;
}

std::string part_prefix(std::size_t part) {
  return fmt::format("part{}_", part);
}

void add_adjustment(ArchiveContent& content, const EigenvalueAdjustment& adjustment, const std::string& prefix) {
  const std::vector<Index> shape{adjustment.dim()};
  content.add({prefix + "alpha", shape, numbers(adjustment.alpha)});
  content.add({prefix + "beta", shape, numbers(adjustment.beta)});
  content.add({prefix + "centre", shape, numbers(adjustment.centre)});
}

EigenvalueAdjustment read_adjustment(const Section& section, const Fields& fields, const std::string& prefix) {
  const Index dim = fields.count("dim");
  const std::string kind = fields.text("adjustment");
  EigenvalueAdjustment adjustment;
  adjustment.alpha = section.read_vector(prefix + "alpha", dim);
  adjustment.beta = section.read_vector(prefix + "beta", dim);
  adjustment.centre = section.read_vector(prefix + "centre", dim);
  adjustment.scale = fields.number("scale");
  adjustment.kind = checked(section.file, [&] { return parse_adjustment(kind); });
  return adjustment;
}

nlohmann::ordered_json add_step(ArchiveContent& content, const EigenvalueAdjustment& adjustment,
                                const std::string& prefix) {
  add_adjustment(content, adjustment, prefix);
  return {{"step", adjustment_name},
          {"dim", adjustment.dim()},
          {"adjustment", name(adjustment.kind)},
          {"scale", adjustment.scale}};
}

nlohmann::ordered_json add_step(ArchiveContent& content, const Projection& projection, const std::string& prefix) {
  content.add({prefix + "w", {projection.dim(), projection.result_dim()}, numbers(projection.w)});
  return {{"step", projection_name}, {"dim", projection.dim()}, {"result_dim", projection.result_dim()}};
}

Projection read_projection(const Section& section, const Fields& fields, const std::string& prefix) {
  return {section.read_matrix(prefix + "w", fields.count("dim"), fields.count("result_dim"))};
}

Transform::Step read_step(const Section& section, const Fields& fields, const std::string& prefix) {
  const std::string kind = fields.text("step");
  if (kind == adjustment_name) return read_adjustment(section, fields, prefix);
  if (kind == projection_name) return read_projection(section, fields, prefix);
  throw file_error(section.file, fmt::format("step {} of a transform is unknown", in_quotes(kind)));
}

std::string step_prefix(const std::string& prefix, std::size_t step) {
  return fmt::format("{}{}_", prefix, step);
}

}  // namespace

nlohmann::ordered_json add_steps(ArchiveContent& content, std::span<const Transform::Step> steps,
                                 const std::string& prefix) {
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < steps.size(); ++k)
    result.push_back(
        std::visit([&](const auto& step) { return add_step(content, step, step_prefix(prefix, k)); }, steps[k]));
  return result;
}

Transform read_steps(const Section& section, const std::vector<Fields>& steps, const std::string& prefix) {
  Transform result;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    Transform::Step next = read_step(section, steps[k], step_prefix(prefix, k));
    result = checked(section.file, [&] { return result.then(Transform(std::move(next))); });
  }
  return result;
}

nlohmann::ordered_json add_kernel(ArchiveContent& content, const LearnedKernel& kernel) {
  const EigenvalueAdjustment& adjustment = kernel.adjustment();
  add_adjustment(content, adjustment, "");
  nlohmann::ordered_json fields{{"dim", adjustment.dim()},
                                {"adjustment", name(adjustment.kind)},
                                {"theta", kernel.theta()},
                                {"scale", adjustment.scale}};
  const std::span<const Transform::Step> steps = kernel.transform().steps();
  if (kernel.metric() != Metric::stein) {
    // Programs that know only version 2 would take it for a Stein kernel.
    content.version = 3;
    fields["metric"] = name(kernel.metric());
    if (kernel.metric() == Metric::powereuclidean) fields["zeta"] = kernel.zeta();
  }
  if (steps.size() > 1) fields["before"] = add_steps(content, steps.first(steps.size() - 1), kernel_step_prefix);
  return fields;
}

LearnedKernel read_kernel(const Section& section, const Fields& fields) {
  EigenvalueAdjustment adjustment = read_adjustment(section, fields, "");
  const double theta = fields.number("theta");
  Transform before;
  if (fields.contains("before")) before = read_steps(section, fields.objects("before"), kernel_step_prefix);
  const std::string metric = fields.contains("metric") ? fields.text("metric") : std::string(name(Metric::stein));
  const double zeta = fields.contains("zeta") ? fields.number("zeta") : KernelOptions().zeta;
  return checked(section.file,
                 [&] { return LearnedKernel(before, std::move(adjustment), theta, parse_metric(metric), zeta); });
}

void add_comparison(ArchiveContent& content, const Comparison& comparison) {
  content.fields["metric"] = name(comparison.metric);
  content.fields["learned"] = comparison.learned.has_value();
  if (comparison.metric == Metric::powereuclidean) content.fields["zeta"] = comparison.zeta;
  if (comparison.learned) content.fields["kernel"] = add_kernel(content, *comparison.learned);
}

Comparison read_comparison(const Section& section) {
  Comparison result;
  result.metric = checked(section.file, [&] { return parse_metric(section.fields.text("metric")); });
  if (result.metric == Metric::powereuclidean) result.zeta = section.fields.number("zeta");
  if (section.fields.flag("learned")) result.learned = read_kernel(section, section.fields.object("kernel"));
  return result;
}

nlohmann::ordered_json add_combined(ArchiveContent& content, const CombinedKernel& kernel) {
  content.version = std::max(content.version, combined_version);
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (std::size_t p = 0; p < kernel.parts().size(); ++p) {
    const auto& [comparison, widths] = kernel.parts()[p];
    ArchiveContent part;
    add_comparison(part, comparison);
    std::vector<double> numbers;
    std::vector<std::string> names;
    for (const CombinedKernel::Width& width : widths) {
      numbers.insert(numbers.end(), {width.theta, width.weight, width.variance});
      names.push_back(width.name);
    }
    part.fields["names"] = names;
    part.add("widths", {std::ssize(widths), 3}, std::move(numbers));
    parts.push_back(std::move(part.fields));
    content.add_arrays(std::move(part), part_prefix(p));
  }
  return parts;
}

CombinedKernel read_combined(const Section& section, const std::vector<Fields>& parts) {
  if (const long long version = section.archive.fields().count("version"); version < combined_version)
    throw file_error(section.file,
                     fmt::format("has a combined kernel, which format version {} does not have", version));
  std::vector<CombinedKernel::Part> result;
  for (const Fields& fields : parts) {
    const Section own{section.archive, fields, section.file, section.threads,
                      section.prefix + part_prefix(result.size())};
    const std::vector<std::string> names = fields.texts("names");
    for (const std::string& name : names)
      if (std::any_of(name.begin(), name.end(), is_control))
        throw file_error(section.file, fmt::format("the kernel name {} has control characters", in_quotes(name)));
    const std::vector<double> numbers = own.read("widths", {std::ssize(names), 3});
    CombinedKernel::Part part{read_comparison(own), {}};
    for (std::size_t k = 0; k < names.size(); ++k)
      part.widths.push_back({numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2], names[k]});
    result.push_back(std::move(part));
  }
  return checked(section.file, [&] { return CombinedKernel(std::move(result)); });
}

}  // namespace dsk::files

#include "files/kernel_fields.hpp"

#include "files/file_error.hpp"

namespace dsk::files {
namespace {

std::span<const double> as_span(const Eigen::VectorXd& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

Eigen::VectorXd as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()));
}

}  // namespace

nlohmann::ordered_json kernel_fields(const LearnedKernel& kernel) {
  const EigenvalueAdjustment& adjustment = kernel.adjustment();
  return {{"dim", adjustment.dim()},
          {"adjustment", name(adjustment.kind)},
          {"theta", kernel.theta()},
          {"scale", adjustment.scale}};
}

std::vector<NamedArray> kernel_arrays(const LearnedKernel& kernel) {
  const EigenvalueAdjustment& adjustment = kernel.adjustment();
  const std::vector<Index> shape{adjustment.dim()};
  return {{"alpha", shape, as_span(adjustment.alpha)},
          {"beta", shape, as_span(adjustment.beta)},
          {"centre", shape, as_span(adjustment.centre)}};
}

LearnedKernel read_kernel(const ArchiveReader& archive, const Fields& fields, const std::filesystem::path& file) {
  const std::vector<Index> shape{fields.count("dim")};
  const std::string adjustment_name = fields.text("adjustment");
  EigenvalueAdjustment adjustment;
  adjustment.alpha = as_vector(archive.read("alpha", shape));
  adjustment.beta = as_vector(archive.read("beta", shape));
  adjustment.centre = as_vector(archive.read("centre", shape));
  adjustment.scale = fields.number("scale");
  const double theta = fields.number("theta");
  try {
    adjustment.kind = parse_adjustment(adjustment_name);
    return {std::move(adjustment), theta};
  } catch (const InvalidInput& error) {
    throw files::file_error(file, error.what());
  }
}

}  // namespace dsk::files

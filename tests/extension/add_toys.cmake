# Does to copies of the library's files what CONTRIBUTING.md says about adding a metric and a criterion (one value, one
# declaration and one row each) and a transform. The code is in toy_metric.cpp, toy_criterion.cpp and toy_transform.cpp.

foreach(file ${FILES})
  configure_file(${SOURCE}/${file} ${TO}/${file} COPYONLY)
endforeach()

function(add_line file before line)
  file(READ ${TO}/${file} text)
  string(FIND "${text}" "${before}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${file} has no '${before}'")
  endif()
  string(REPLACE "${before}" "${line}${before}" text "${text}")
  file(WRITE ${TO}/${file} "${text}")
endfunction()

# A comma follows the last value, and the new one comes behind it.
function(add_value file last value)
  file(READ ${TO}/${file} text)
  string(REGEX REPLACE "(\n  ${last})( [^\n]*)\n};" "\\1,\\2\n  ${value}\n};" changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR "${file} has no last value ${last}")
  endif()
  file(WRITE ${TO}/${file} "${changed}")
endfunction()

add_value(include/dsk/metric.hpp wasserstein toy)
add_line(src/metric/metric.hpp "/// Memory for the coordinates of one matrix after the other."
         "Matrix toy(const SpdBatch& batch, const DistanceOptions& options);
Matrix from_toy(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);

")
add_line(src/metric/metric.cpp "};

std::span<const MetricRow> rows() {"
         "    {Metric::toy, \"toy\", \"diagonal\", \"TOY\", ThetaRule::any, detail::toy, detail::from_toy},
")

add_value(include/dsk/learn.hpp neighbour contrast)
add_line(src/learn/objective.hpp "/// A criterion of matrices with weights, from the kernel matrix"
         "std::unique_ptr<Objective> contrast(const Classes& classes, const PairOptions& options);

")
add_line(src/learn/criterion.cpp "};

std::span<const detail::CriterionRow> rows() {"
         "    {Criterion::contrast, \"contrast\", \"ct\", \"CT\", \"mean kernel values compared\", true, false,
     detail::contrast, nullptr},
")

add_line(include/dsk/transform.hpp "/// How matrices are moved so that"
         "/// Z = X + ridge I.
struct Ridge {
  double ridge = 0;
  Index size = 1;

  void check() const;
  Index dim() const { return size; }
  Index result_dim() const { return size; }
  bool is_none() const { return ridge == 0; }
};

")
add_line(include/dsk/transform.hpp ">;

  /// Leaves matrices as they are." ", Ridge")
add_line(src/transform/step.hpp "}  // namespace dsk

namespace dsk::detail {"
         "SpdBatch apply_step(const Ridge& step, const SpdBatch& x, int threads);
Eigen::VectorXd step_parameters(const Ridge& step);
PulledBack pull_back_step(const Ridge& step, const SpdBatch& x, const MatrixStack& by_result, int threads);
std::unique_ptr<detail::MatrixTransform::Step> make_step(const Ridge& step);

")
add_line(src/files/dsk_kernels.cpp "Transform::Step read_step(const Section& section"
         "nlohmann::ordered_json add_step(ArchiveContent&, const Ridge& step, const std::string&) {
  return {{\"step\", \"ridge\"}, {\"dim\", step.size}, {\"ridge\", step.ridge}};
}

")
add_line(src/files/dsk_kernels.cpp "  throw file_error(section.file, fmt::format(\"step {} of a transform is unknown\""
         "  if (kind == \"ridge\") return Ridge{fields.number(\"ridge\"), static_cast<Index>(fields.count(\"dim\"))};
")

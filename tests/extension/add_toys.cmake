# Does to copies of the library's files what CONTRIBUTING.md says about adding a metric and a criterion: one value, one
# declaration and one row each. The code is in toy_metric.cpp and toy_criterion.cpp.

function(add_line file before line)
  file(READ ${SOURCE}/${file} text)
  string(FIND "${text}" "${before}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${file} has no '${before}'")
  endif()
  string(REPLACE "${before}" "${line}${before}" text "${text}")
  file(WRITE ${TO}/${file} "${text}")
endfunction()

# A comma follows the last value, and the new one comes behind it.
function(add_value file last value)
  file(READ ${SOURCE}/${file} text)
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

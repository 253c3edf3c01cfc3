#pragma once

#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>

#include <string>

namespace dsk::test {

inline Dataset page_classes() {
  return wishart_classes({.classes = 2, .per_class = 14, .dim = 3, .degrees = 12, .tau = 1, .seed = 5});
}

inline EvaluationOptions page_options(const std::string& methods) {
  EvaluationOptions options;
  options.methods = Method::parse_list(methods);
  options.protocol = Protocol::parse("halves:2");
  return options;
}

}  // namespace dsk::test

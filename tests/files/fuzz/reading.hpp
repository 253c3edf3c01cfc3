#pragma once

#include <dsk/matrices.hpp>

#include <array>
#include <string>
#include <vector>

namespace dsk::fuzz {

/// What the fuzzer reads an input as: its first byte.
enum class Reading {
  npy,
  npz,
  mat,
  csv,
  mat_test,
  npy_labels,
  csv_labels,
  kernel,
  model,
  transform,
  evaluation,
  given_protocol,
  npy_signals,
  npz_signals,
  csv_signals,
  npy_matrix,
  csv_matrix,
  picture,
  names,
  count
};

/// The data that results files of evaluations are about.
inline const Dataset& evaluated_data() {
  static const Dataset data(SpdBatch(std::array{2.0, 3.0, 4.0, 5.0, 20.0, 30.0, 40.0, 50.0}, 8, 1),
                            Labels(std::vector<std::string>{"a", "a", "a", "a", "b", "b", "b", "b"}));
  return data;
}

}  // namespace dsk::fuzz

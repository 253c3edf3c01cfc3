#pragma once

#include <dsk/kernel/learned_kernel.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace dsk {

/// How a kernel was learned: kept with it for readers, not needed for using it. No number may be NaN.
struct KernelOrigin {
  std::string criterion = {};  ///< its name; empty: the kernel was not learned
  double value = 0;            ///< of the criterion, for this kernel
  double c = 0;                ///< of the margin criteria, 0 otherwise
  double penalty = 0;          ///< may be infinite
  Index iterations = 0;
  std::string stop = {};                  ///< why learning stopped
  std::vector<double> history = {};       ///< objective before and after each iteration
  Index samples = 0;                      ///< in the training set
  std::vector<std::string> classes = {};  ///< their names, in UTF-8

  bool operator==(const KernelOrigin&) const = default;
};

struct SavedKernel {
  LearnedKernel kernel;
  KernelOrigin origin = {};
};

/// Writes a .dsk file: a zip of meta.json and .npy arrays, the same bytes for the same kernel. It appears whole or not
/// at all. Throws InvalidInput, with the file's name and the reason, if it cannot be written.
void save(const SavedKernel& saved, const std::filesystem::path& file);

/// Reads what `save` wrote, every number to the bit. Throws InvalidInput: one line with the file's name and what is
/// wrong with it. A file with a changed bit is refused, or gives the same kernel.
SavedKernel load_kernel(const std::filesystem::path& file);

/// Throws InvalidInput unless the name ends in .dsk. For asking before a long computation.
void check_model_name(const std::filesystem::path& file);

}  // namespace dsk

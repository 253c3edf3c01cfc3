#pragma once

#include <dsk/spd/dataset.hpp>
#include <dsk/spd/repair.hpp>

#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

namespace dsk {

/// Which half to read of a .mat file that holds both `train_data` and `test_data`.
enum class Part { train, test };

struct LoadOptions {
  std::filesystem::path labels = {};  ///< .npy or .csv (one per line), in place of the data file's own
  Repair repair = {};                 ///< applied to every matrix before the check
  Part part = Part::train;
  /// Which matrices to load, first <= i < last, given how many there are; without: all. Of an .npy file no others are
  /// read.
  std::function<std::pair<Index, Index>(Index count)> rows = {};
};

/// Reads a data set from .npz (X, optional y and groups), .npy, .mat or .csv. Throws InvalidInput: one line with the
/// file's name and what is wrong with it, also for rows outside the file or none. Memory is asked for only after the
/// file's size was seen to cover it.
Dataset load(const std::filesystem::path& path, const LoadOptions& options = {});

/// Reads names or integers from .npy or .csv, one per line; throws InvalidInput as `load` does.
Labels load_labels(const std::filesystem::path& path);

/// Writes by the extension: .npz, .npy (matrices alone), .mat or .csv (matrices and labels). The file appears whole or
/// not at all. Throws InvalidInput, with the file's name and the reason, if it cannot be written.
/// `description`, if there is any, says how the matrices were made; .npz files keep it, as a text of that name.
void save(const Dataset& dataset, const std::filesystem::path& path, std::string_view description = {});

/// A result such as a distance matrix, as .npy, .npz (name X), .mat or .csv. The file appears whole or not at all.
void save(const Matrix& matrix, const std::filesystem::path& path);

/// Any text under any name. The file appears whole or not at all.
void save_text(std::string_view text, const std::filesystem::path& path);

/// For signal handlers, which must not end a program while it writes: whether a file is being written, and the wish
/// that the writer give up. It then throws and removes what it had written.
bool is_writing() noexcept;
void abandon_writing() noexcept;

/// Throws InvalidInput if `path` has no extension that `save` knows. For asking before a long computation.
void check_output_name(const std::filesystem::path& path);

}  // namespace dsk

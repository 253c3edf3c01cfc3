#pragma once

#include <dsk/classify.hpp>
#include <dsk/learn.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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

/// Recordings before they are described: one matrix per trial, one row per channel, one column per sample. Trials may
/// differ in length.
struct Signals {
  std::vector<double> values;  ///< all trials, one behind the other
  std::vector<Index> lengths;  ///< samples of each trial
  Index channels = 0;
  std::optional<Labels> labels = {};
  std::optional<Labels> groups = {};

  std::vector<MatrixView> trials() const;
};

/// What the axes of an array mean. `automatic`: (trials, channels, samples) in three dimensions, (samples, channels) in
/// two, as each is usual.
enum class SignalLayout { automatic, channels_first, samples_first };

struct SignalOptions {
  std::filesystem::path labels = {};  ///< .npy or .csv (one per line), in place of the file's own
  SignalLayout layout = SignalLayout::automatic;
};

/// Reads recordings: .npy (an array of three dimensions, or of two: one trial); .npz (X of three dimensions, or arrays
/// of two, one per trial in the order of the file; y and groups as in data sets); .csv (one trial, one line per
/// sample); or a folder of .npy and .csv files of two dimensions, one per trial, sorted by name, or of folders of them,
/// one per class. Throws InvalidInput: one line with the file's name and what is wrong with it.
Signals load_signals(const std::filesystem::path& path, const SignalOptions& options = {});

/// Writes a .dsk file: a zip of meta.json and .npy arrays, the same bytes for the same kernel. It appears whole or not
/// at all. Throws InvalidInput, with the file's name and the reason, if it cannot be written.
void save(const SavedKernel& saved, const std::filesystem::path& file);

/// Reads what `save` wrote, every number to the bit. Throws InvalidInput: one line with the file's name and what is
/// wrong with it. A file with a changed bit is refused, or gives the same kernel.
SavedKernel load_kernel(const std::filesystem::path& file);

/// Throws InvalidInput unless the name ends in .dsk. For asking before a long computation.
void check_model_name(const std::filesystem::path& file);

/// Writes a .dsk file: a zip of meta.json and .npy arrays, the same bytes for the same model. It appears whole or not
/// at all. Throws InvalidInput, with the file's name and the reason, if it cannot be written.
void save(const SavedModel& saved, const std::filesystem::path& file);
void save(const Model& model, const std::filesystem::path& file);

/// Reads what `save` wrote: a model that predicts the same to the bit. Throws InvalidInput: one line with the file's
/// name and what is wrong with it.
SavedModel load_model(const std::filesystem::path& file, int threads = 0);

}  // namespace dsk

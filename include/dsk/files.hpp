#pragma once

#include <dsk/learn.hpp>
#include <dsk/model.hpp>

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

struct LoadOptions {
  /// Which part to read of a .mat file that contains both `train_data` and `test_data`.
  enum class Part { train, test };

  std::filesystem::path labels = {};  ///< .npy or .csv (one per line); replaces the labels in the data file
  Repair repair = {};                 ///< applied to the matrices before they are checked
  Part part = Part::train;
  /// Given the number of matrices in the file, returns the range [first, last) of those to load. Empty: all. From an
  /// .npy file only the chosen matrices are read.
  std::function<std::pair<Index, Index>(Index count)> rows = {};
  int threads = 0;  ///< for repairing and checking the matrices; 0: all cores
  std::function<void(const Repair::Summary&)> on_repair = {};  ///< called with what `repair` changed, if it is one
  /// Called if the matrices are complex; they are then embedded (dsk/metric.hpp). Without it they are refused.
  std::function<void()> on_complex = {};
};

/// Reads a data set from .npz (X, optional y and groups), .npy, .mat or .csv; complex Hermitian matrices from the first
/// two. Throws InvalidInput, with a one-line
/// message that starts with the file name, if the file or the chosen range of rows is invalid. The size a file claims
/// is compared with its actual size before memory is allocated.
Dataset load(const std::filesystem::path& path, const LoadOptions& options = {});

/// Some of the matrices of a file, as one rank of a team has them.
struct DataShare {
  Dataset data;              ///< never empty: where a rank has no rows, it holds a matrix that is another's
  RowRange rows;             ///< where in the file they are
  bool are_complex = false;  ///< embedded
};

/// Reads the rows of this rank of a team, or all without a team (null), real or complex. `rows` and `on_complex` of the
/// options are set by this; `on_repair` is called with the sum over the ranks. Throws InvalidInput as `load` does, on
/// all ranks.
DataShare load_share(const std::filesystem::path& path, const LoadOptions& options, const Team* team);

/// Whether `load` reads MAT-files of version 7.3, for which dsk is built with HDF5. Older versions it always reads.
bool reads_matlab73();

/// Reads labels (text or integers) from .npy or .csv, one per line. Throws InvalidInput as `load` does.
Labels load_labels(const std::filesystem::path& path);

/// Writes a data set; the extension decides the format: .npz, .npy (matrices only), .mat or .csv (matrices and labels).
/// The file is written atomically. Throws InvalidInput, with the file name and the reason, if it cannot be written.
/// `description` says how the matrices were made; .npz files store it under that name.
void save(const Dataset& dataset, const std::filesystem::path& path, std::string_view description = {});

/// The same for matrices without labels.
void save(const SpdBatch& matrices, const std::filesystem::path& path);

/// Writes labels as .npy or .csv, one per line, atomically: what `load_labels` reads.
void save(const Labels& labels, const std::filesystem::path& path);

/// Writes a result such as a mean or a distance matrix as .npy, .npz (name X), .mat or .csv, atomically.
void save(const Matrix& matrix, const std::filesystem::path& path);

/// Reads such a result from .npy, .npz (name X) or .csv. Throws InvalidInput as `load` does.
Matrix load_matrix(const std::filesystem::path& path);

/// Writes text to a file of any name, atomically.
void save_text(std::string_view text, const std::filesystem::path& path);

/// For programs that are about to end, on a signal for example, while other threads compute. close_results: writes what
/// evaluations and experiments hold back for their results files, and closes these; false if writing failed. Not for
/// signal handlers: a thread that waits for signals may call it. abandon_writing: makes all writers, now and later,
/// throw and remove their incomplete files. is_writing: whether one has not done so yet.
bool close_results() noexcept;
void abandon_writing() noexcept;
bool is_writing() noexcept;

/// Throws InvalidInput if `save` does not support the extension of `path`. Call it before a long computation.
void check_output_name(const std::filesystem::path& path);

/// Throws InvalidInput, with the reason, if no file can be written there: makes a temporary file and removes it. Call
/// it before a long computation.
void check_writable(const std::filesystem::path& path);

/// Recorded signals: one matrix per trial, one row per channel, one column per sample. Trials may differ in length.
struct Signals {
  std::vector<double> values;  ///< all trials, stored contiguously
  std::vector<Index> lengths;  ///< number of samples of each trial
  Index channels = 0;
  std::optional<Labels> labels = {};
  std::optional<Labels> groups = {};

  std::vector<MatrixView> trials() const;
};

struct SignalOptions {
  /// What the axes of an array mean. `automatic`: (trials, channels, samples) for three dimensions, (samples, channels)
  /// for two.
  enum class Layout { automatic, channels_first, samples_first };

  std::filesystem::path labels = {};  ///< .npy or .csv (one per line); replaces the labels in the file
  Layout layout = Layout::automatic;
};

/// Reads recorded signals from
///  - .npy: a three-dimensional array, or a two-dimensional array for a single trial;
///  - .npz: a three-dimensional array X, or a two-dimensional array per trial; y and groups as in data sets;
///  - .csv: one trial, one line per sample;
///  - a folder of two-dimensional .npy and .csv files, one per trial, sorted by name;
///  - a folder of such folders, one per class.
/// Throws InvalidInput, with a one-line message that starts with the file name.
Signals load_signals(const std::filesystem::path& path, const SignalOptions& options = {});

/// Writes a .dsk file: a zip archive of meta.json and .npy arrays. The same kernel gives the same bytes. The file is
/// written atomically. Throws InvalidInput, with the file name and the reason, if it cannot be written.
void save(const SavedKernel& saved, const std::filesystem::path& file);

void save(const LearnedKernel& kernel, const std::filesystem::path& file);

/// Reads a kernel that `save` wrote; all numbers are restored exactly. Throws InvalidInput, with a one-line message
/// that starts with the file name. Checksums detect a corrupted file.
SavedKernel load_kernel(const std::filesystem::path& file);

/// The same for a transform.
void save(const Transform& transform, const std::filesystem::path& file);
Transform load_transform(const std::filesystem::path& file);

/// Throws InvalidInput unless the name ends in .dsk. Call it before a long computation.
void check_model_name(const std::filesystem::path& file);

/// Writes a .dsk file: a zip archive of meta.json and .npy arrays. The same model gives the same bytes. The file is
/// written atomically. Throws InvalidInput, with the file name and the reason, if it cannot be written.
void save(const SavedModel& saved, const std::filesystem::path& file);
void save(const Model& model, const std::filesystem::path& file);

/// Reads a model that `save` wrote; its predictions are exactly those of the saved model. Throws InvalidInput, with a
/// one-line message that starts with the file name. `threads` = 0 uses all cores.
SavedModel load_model(const std::filesystem::path& file, int threads = 0);

}  // namespace dsk

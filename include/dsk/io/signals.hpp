#pragma once

#include <dsk/spd/dataset.hpp>

#include <filesystem>

namespace dsk {

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

}  // namespace dsk

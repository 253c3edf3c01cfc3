#pragma once

#include <dsk/cluster.hpp>
#include <dsk/evaluate.hpp>

#include <filesystem>
#include <string>

namespace dsk {

/// Where results came from, for its page. Empty entries are left out.
struct ReportSource {
  std::string data = {};     ///< the file, or what else the matrices are
  std::string command = {};  ///< that computes them again
  std::string date = {};
};

/// A self-contained HTML page that shows an evaluation: accuracies, differences from the baseline, the confusion
/// matrix, what was chosen, the first learned subspace and kernel, where it came from, and the settings. It uses no
/// scripts and nothing from the network.
std::string evaluation_page(const Evaluation& evaluation, const ReportSource& source = {});

/// Writes that page. The file is written completely or not at all; throws InvalidInput, with its name, if it cannot be
/// written.
void report(const Evaluation& evaluation, const std::filesystem::path& file, const ReportSource& source = {});

/// The same for clusters: their sizes and silhouettes, a picture of the matrices, what speaks for their number, what
/// was learned, and how they agree with labels.
std::string clustering_page(const Clustering& clustering, const ReportSource& source = {});
void report(const Clustering& clustering, const std::filesystem::path& file, const ReportSource& source = {});

}  // namespace dsk

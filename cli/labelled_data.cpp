#include "labelled_data.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "command.hpp"

namespace dsk::cli {

void LabelledData::add_to(CLI::App& command) {
  command.add_option("X", x, "Matrices (n, d, d) with labels: .npz, .npy, .mat or .csv")->required();
  command.add_option("--labels", labels, "Labels, .npy or .csv, in place of the data file's own");
  command.add_option("--repair", repair, "Mend broken matrices first: shrink, ridge or clip, with :AMOUNT");
  command.add_option("--part", part, "Of .mat files with both: train or test");
}

void LabelledData::check() const {
  Repair::parse(repair);
  parse_part(part);
}

Dataset LabelledData::load() const {
  return dsk::load(x, {.labels = labels, .repair = Repair::parse(repair), .part = parse_part(part)});
}

Dataset LabelledData::load_labelled() const {
  Dataset data = load();
  if (!data.has_labels()) throw InvalidInput(fmt::format("{}: has no labels to learn from; give --labels", x));
  try {
    nlohmann::json(data.labels().names()).dump();
  } catch (const nlohmann::json::exception&) {
    throw InvalidInput(fmt::format("{}: has a class name that is not UTF-8", labels.empty() ? x : labels));
  }
  return data;
}

}  // namespace dsk::cli

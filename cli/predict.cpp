#include <dsk/engine.hpp>
#include <dsk/files.hpp>
#include <dsk/train.hpp>

#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <optional>

#include "command.hpp"
#include "labelled_data.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "usage.hpp"

namespace dsk::cli {
namespace {

/// A field of a .csv file, in quotes where it needs them.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

struct Predict {
  std::string model;
  LabelledData data;
  bool scores = false;
  int threads = 0;
  std::string device = "cpu";
  std::filesystem::path output;
  std::filesystem::path json;
  const CLI::App* flags = nullptr;

  void run() const {
    check_threads(threads);
    device_of(device);
    data.check(*flags);
    check_files({model, data.x, data.labels}, {output, json});
    check_extension(output, "labels", {".csv", ".txt"});
    const auto start = std::chrono::steady_clock::now();
    const Model loaded = load_model(model, threads).model;
    const DataShare share = data.load_share(threads);
    if (share.data.dim() != dim(loaded))
      throw InvalidInput(fmt::format("{}: holds matrices of size {}, but the model is for size {}", data.x,
                                     share.data.dim(), dim(loaded)));
    Progress progress("predicting");
    const std::optional<Prediction> predicted =
        dsk::predict(loaded, share, {.threads = threads, .device = device_of(device), .team = team()});
    progress.end();
    on_rank_zero(team(), [&] { print(*predicted, std::string(kind(loaded)), start); });
  }

 private:
  void print(const Prediction& predicted, const std::string& classifier,
             std::chrono::steady_clock::time_point start) const {
    const std::string table = as_csv(predicted);
    if (output.empty())
      fmt::print("{}", table);
    else
      save_text(table, output);
    Facts facts;
    facts.add("n", predicted.labels.size());
    facts.add("classifier", classifier);
    if (predicted.accuracy) facts.add("accuracy", *predicted.accuracy);
    facts.add_repairs(data.repair);
    facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (!output.empty()) facts.add("output", output.string());
    facts.write(json);
    if (!output.empty()) facts.print();
  }

  std::string as_csv(const Prediction& prediction) const {
    const std::vector<std::string>& names = prediction.labels.names();
    std::string text;
    if (scores) {
      text = "label";
      for (const std::string& name : names) text += "," + field(name);
      text += "\n";
    }
    for (Index i = 0; i < prediction.labels.size(); ++i) {
      text += field(names[static_cast<std::size_t>(prediction.labels[i])]);
      if (scores)
        for (Index c = 0; c < prediction.scores.cols(); ++c) text += fmt::format(",{}", prediction.scores(i, c));
      text += "\n";
    }
    return text;
  }
};

}  // namespace

void add_predict(CLI::App& program) {
  auto* const command = program.add_subcommand("predict", "Classify matrices with a trained model");
  const auto task = std::make_shared<Predict>();
  command->add_option("model", task->model, "A model saved by dsk train, .dsk")->required();
  task->flags = command;
  task->data.add_to(*command, "Matrices (n, d, d): .npz, .npy, .mat or .csv; labels are not needed",
                    "True labels, .npy or .csv, to compute the accuracy with; they replace those of the data file");
  command->add_option("-o,--output", task->output,
                      "Where to write the predicted labels, one per line: .csv or .txt; default: standard output");
  command->add_flag("--scores", task->scores, "Also write the scores of all classes, with a header line");
  command->add_option("--threads", task->threads, threads_help);
  command->add_option("--device", task->device, device_help)->capture_default_str();
  command->add_option("--json", task->json, json_help);
  command->footer("Example: dsk predict model.dsk test.npz -o labels.csv --scores");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

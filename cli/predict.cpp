#include <dsk/model/model_file.hpp>
#include <dsk/pairs/device.hpp>

#include <fmt/core.h>

#include <chrono>
#include <memory>

#include "command.hpp"
#include "files.hpp"
#include "labelled_data.hpp"
#include "progress.hpp"

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

  void run() const {
    if (threads < 0) throw InvalidInput("--threads must be 0 or more");
    const PairOptions pairs{.threads = threads, .device = parse_device(device)};
    data.check();
    check_files({model, data.x, data.labels}, {output, json});
    if (!output.empty() && output.extension() != ".csv" && output.extension() != ".txt")
      throw InvalidInput(fmt::format("{}: labels are written as .csv or .txt", output.string()));
    const auto start = std::chrono::steady_clock::now();
    const Model loaded = load_model(model, threads).model;
    const Dataset x = data.load();
    if (x.dim() != dim(loaded))
      throw InvalidInput(
          fmt::format("{}: holds matrices of size {}, but the model is for size {}", data.x, x.dim(), dim(loaded)));
    Progress progress("predicting");
    const Prediction prediction = dsk::predict(loaded, x.matrices(), pairs);
    progress.end();
    const std::string table = as_csv(prediction);
    if (output.empty())
      fmt::print("{}", table);
    else
      save_text(table, output);
    Facts facts;
    facts.add("n", x.size());
    facts.add("classifier", std::string(kind(loaded)));
    if (x.has_labels()) facts.add("accuracy", accuracy(prediction.labels, x.labels()));
    facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (!output.empty()) facts.add("output", output.string());
    facts.write(json);
    if (!output.empty()) facts.print();
  }

 private:
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
  command->add_option("model", task->model, "What dsk train saved, .dsk")->required();
  task->data.add_to(*command);
  command->add_option("-o,--output", task->output, "One label per line, .csv; without it, on standard output");
  command->add_flag("--scores", task->scores, "Beside each label the scores of all classes, with a header line");
  command->add_option("--threads", task->threads, "Threads to use; 0: all cores");
  command->add_option("--device", task->device, device_help)->capture_default_str();
  command->add_option("--json", task->json, "Also write the facts to this file");
  command->footer("Example: dsk predict model.dsk test.npz -o labels.csv --scores");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

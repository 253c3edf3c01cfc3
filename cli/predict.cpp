#include <dsk/engine.hpp>
#include <dsk/files.hpp>

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "command.hpp"
#include "files.hpp"
#include "labelled_data.hpp"
#include "progress.hpp"
#include "ranks.hpp"

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
    device_of(device);
    data.check();
    check_files({model, data.x, data.labels}, {output, json});
    if (!output.empty() && output.extension() != ".csv" && output.extension() != ".txt")
      throw InvalidInput(fmt::format("{}: labels are written as .csv or .txt", output.string()));
    const auto start = std::chrono::steady_clock::now();
    const Model loaded = load_model(model, threads).model;
    const auto [x, rows] = data.load_share(threads);
    if (x.dim() != dim(loaded))
      throw InvalidInput(
          fmt::format("{}: holds matrices of size {}, but the model is for size {}", data.x, x.dim(), dim(loaded)));
    Progress progress("predicting");
    const Found found = team() == nullptr ? found_alone(loaded, x) : found_by_ranks(loaded, x, rows);
    progress.end();
    at_first(team(), [&] { tell(found, std::string(kind(loaded)), start); });
  }

 private:
  /// On rank 0, of all matrices.
  struct Found {
    std::optional<Prediction> prediction;
    std::optional<double> accuracy;
  };

  Found found_alone(const Model& loaded, const Dataset& x) const {
    Found found{dsk::predict(loaded, x.matrices(), {.threads = threads, .device = device_of(device)}), {}};
    if (x.has_labels()) found.accuracy = accuracy(found.prediction->labels, x.labels());
    return found;
  }

  /// `x` are this rank's matrices, `rows` of all.
  Found found_by_ranks(const Model& loaded, const Dataset& x, const RowRange& rows) const {
    std::optional<Prediction> mine;
    std::vector<double> numbers;       // class and scores of each matrix
    std::vector<double> counts{0, 0};  // matrices that are right, and all
    together(team(), [&] {
      if (rows.first == rows.last) return;
      try {
        mine = dsk::predict(loaded, x.matrices(), {.threads = threads, .device = device_of(device)});
      } catch (const PairFailure& failure) {
        throw PairFailure(failure.row() + rows.first, failure.column());
      }
      for (Index i = 0; i < x.size(); ++i) {
        numbers.push_back(mine->labels[i]);
        for (const double score : mine->scores.row(i)) numbers.push_back(score);
      }
      counts[1] = static_cast<double>(x.size());
      if (x.has_labels()) counts[0] = std::round(accuracy(mine->labels, x.labels()) * counts[1]);
    });
    team()->sum(counts);
    std::vector<double> all;
    team()->collect(numbers,
                    [&](int, std::span<const double> part) { all.insert(all.end(), part.begin(), part.end()); });
    if (!is_first()) return {};
    const auto n = static_cast<Index>(counts[1]);
    const Eigen::Map<const Matrix> table(all.data(), n, static_cast<Index>(all.size()) / n);
    std::vector<int> codes;
    for (Index i = 0; i < n; ++i) codes.push_back(static_cast<int>(table(i, 0)));
    Found found{Prediction{Labels(mine->labels.names(), std::move(codes), mine->labels.integral()),
                           table.rightCols(table.cols() - 1)},
                {}};
    if (x.has_labels()) found.accuracy = counts[0] / counts[1];
    return found;
  }

  void tell(const Found& found, const std::string& classifier, std::chrono::steady_clock::time_point start) const {
    const std::string table = as_csv(*found.prediction);
    if (output.empty())
      fmt::print("{}", table);
    else
      save_text(table, output);
    Facts facts;
    facts.add("n", found.prediction->labels.size());
    facts.add("classifier", classifier);
    if (found.accuracy) facts.add("accuracy", *found.accuracy);
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

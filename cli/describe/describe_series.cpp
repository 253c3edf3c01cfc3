#include <dsk/describe.hpp>
#include <dsk/files.hpp>

#include <fmt/core.h>

#include <chrono>
#include <memory>

#include "describe.hpp"
#include "progress.hpp"
#include "usage.hpp"

namespace dsk::cli {
namespace {

SignalOptions::Layout parse_layout(const std::string& text) {
  if (text == "auto") return SignalOptions::Layout::automatic;
  if (text == "channels-first") return SignalOptions::Layout::channels_first;
  if (text == "samples-first") return SignalOptions::Layout::samples_first;
  throw UsageError(fmt::format("--layout '{}' must be auto, channels-first or samples-first", text));
}

struct DescribeSeries {
  DescribeCommand common;
  std::string labels;
  std::string layout = "auto";
  std::string bands;
  double rate = 0;
  int order = 4;
  const CLI::App* flags = nullptr;

  void run() const {
    const SeriesOptions options = checked_options();
    const auto start = std::chrono::steady_clock::now();
    const Signals signals = load_signals(common.input, {.labels = labels, .layout = parse_layout(layout)});
    const std::vector<MatrixView> trials = signals.trials();
    Progress progress("describing");
    const SeriesResult result = described(trials, options);
    const auto chosen = [&](const std::optional<Labels>& all) {
      return all ? std::optional(all->select(result.kept)) : std::nullopt;
    };
    const Dataset data(result.matrices, chosen(signals.labels), chosen(signals.groups));
    const nlohmann::ordered_json how = description(options);
    save(data, common.output, how.dump());
    if (!common.preview.empty()) save_text(preview_png(trials, options, result), common.preview);
    Facts facts;
    facts.add("trials", trials.size());
    facts.add("channels", signals.channels);
    progress.end();
    common.report_result(facts, data, how, left_out(result), start);
  }

 private:
  SeriesOptions checked_options() const {
    common.check();
    check_files({common.input, labels}, {common.output, common.preview, common.json});
    parse_layout(layout);
    SeriesOptions options;
    options.estimator = parse_estimator(common.estimator);
    if (!bands.empty()) options.bands = read_flag("--bands", [&] { return Band::parse_list(bands); });
    if (!bands.empty() && !(rate > 0)) throw UsageError("--bands needs --rate, in samples per second");
    refuse_idle_flags(*flags, {{{"--rate", "--order"}, !bands.empty(), "without --bands"}});
    options.rate = rate;
    options.order = order;
    options.skip_bad = common.skip_bad;
    options.threads = common.threads;
    return options;
  }

  static SeriesResult described(std::span<const MatrixView> trials, const SeriesOptions& options) try {
    return describe_series(trials, options);
  } catch (const RankDeficient& error) {
    throw in_flags(error);
  }

  nlohmann::ordered_json description(const SeriesOptions& options) const {
    nlohmann::ordered_json how;
    how["kind"] = "series";
    how["estimator"] = std::string(name(options.estimator));
    if (!bands.empty()) {
      how["bands"] = bands;
      how["rate"] = rate;
      how["order"] = order;
    }
    return how;
  }

  static nlohmann::ordered_json left_out(const SeriesResult& result) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const SeriesResult::Bad& bad : result.bad) list.push_back({{"trial", bad.trial}, {"problem", bad.problem}});
    return list;
  }
};

}  // namespace

void add_describe_series(CLI::App& describe) {
  auto* const command =
      describe.add_subcommand("series", "Describe recordings by the covariance or correlation of their channels");
  const auto task = std::make_shared<DescribeSeries>();
  task->flags = command;
  task->common.add_to(
      *command,
      "An array (trials, channels, samples): .npy, .npz; arrays (samples, channels), one per trial: .npz "
      "or a folder of .npy and .csv files, or of folders of them, one per class");
  command->add_option("--labels", task->labels,
                      "File of labels of the trials, .npy or .csv, in place of those in the input");
  command
      ->add_option("--layout", task->layout,
                   "Order of the axes of an array: auto (as above), channels-first or samples-first")
      ->capture_default_str();
  command->add_option("--bands", task->bands,
                      "Filter bank, in Hz: 8-12,12-30 stacks the channels of both bands before the covariance");
  command->add_option("--rate", task->rate, "Samples per second, for --bands");
  command->add_option("--order", task->order, "Order of the band-pass filters (Butterworth, both ways)")
      ->capture_default_str();
  command->footer(
      "Example: dsk describe series epochs.npz --bands 8-12,12-30 --rate 256 -o X.npz\n"
      "         dsk describe series subjects/ --estimator correlation -o X.npz");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

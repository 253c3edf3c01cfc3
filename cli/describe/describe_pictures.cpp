#include <dsk/describe.hpp>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <memory>

#include "describe.hpp"
#include "progress.hpp"
#include "usage.hpp"

namespace dsk::cli {
namespace {

/// The decoders of pictures write about what they do not like to stderr, line by line; we name the pictures ourselves.
class SilentDecoders {
 public:
  SilentDecoders() : kept_(::dup(STDERR_FILENO)) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere < 0) return;
    ::dup2(nowhere, STDERR_FILENO);
    ::close(nowhere);
  }
  ~SilentDecoders() {
    if (kept_ < 0) return;
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
  }
  SilentDecoders(const SilentDecoders&) = delete;
  SilentDecoders& operator=(const SilentDecoders&) = delete;

 private:
  int kept_;
};

struct DescribePictures {
  std::string kind;
  DescribeCommand common;
  std::string features;
  std::string tiles;
  std::string windows;
  std::string resize;
  bool equalise = false;
  double range = 1;
  double sample = 1;
  std::uint64_t seed = 0;
  const CLI::App* flags = nullptr;

  void run() const {
    PictureOptions options = checked_options();
    const auto start = std::chrono::steady_clock::now();
    const PictureFolder pictures = find_pictures(common.input);
    Progress progress("describing");
    options.on_progress = [&](Index done, Index all) {
      progress.report_progress(fmt::format("{} of {} pictures", done, all),
                               static_cast<double>(done) / static_cast<double>(all));
    };
    const PictureResult result = described(pictures, options);
    const nlohmann::ordered_json how = description(options);
    save(result.data, common.output, how.dump());
    if (!common.preview.empty()) {
      const SilentDecoders silent;
      save_text(preview_png(pictures, options, result), common.preview);
    }
    Facts facts;
    facts.add("pictures", pictures.files.size());
    progress.end();
    common.report_result(facts, result.data, how, left_out(result), start);
  }

 private:
  PictureOptions checked_options() const {
    common.check();
    refuse_idle_flags(*flags, {{{"--seed"}, sample < 1, "without --sample"}});
    PictureOptions options;
    options.features = !features.empty() ? parse_features(features)
                       : kind == "gabor" ? gabor_features()
                                         : texture_features();
    options.reading.range = range;
    options.reading.equalise = equalise;
    if (!(range > 0)) throw UsageError(fmt::format("--range {} must be above 0", range));
    if (!(sample > 0 && sample <= 1))
      throw UsageError(fmt::format("--sample {} must be above 0 and at most 1", sample));
    if (!resize.empty()) options.reading.resize = Size::parse(resize, "--resize");
    if (!tiles.empty()) options.tiles = Size::parse(tiles, "--tiles");
    if (!windows.empty()) {
      const std::size_t colon = windows.find(':');
      const std::string step = colon == std::string::npos ? "" : windows.substr(colon + 1);
      const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), options.step);
      if (error != std::errc() || end != step.data() + step.size() || options.step < 1)
        throw UsageError(fmt::format("--windows '{}' is not a size and a step such as 32x32:8", windows));
      options.windows = Size::parse(windows.substr(0, colon), "--windows");
    }
    options.regions = {.estimator = parse_estimator(common.estimator), .sample = sample, .seed = seed};
    options.skip_bad = common.skip_bad;
    options.threads = common.threads;
    return options;
  }

  static PictureResult described(const PictureFolder& pictures, const PictureOptions& options) try {
    const SilentDecoders silent;
    return describe_pictures(pictures, options);
  } catch (const RankDeficient& error) {
    throw in_flags(error);
  } catch (const BadPictures& error) {
    throw InvalidInput(fmt::format("{} (--skip-bad skips them)", error.what()));
  }

  nlohmann::ordered_json description(const PictureOptions& options) const {
    nlohmann::ordered_json how;
    how["kind"] = kind;
    how["features"] = options.features.names;
    how["range"] = range;
    if (!resize.empty()) how["resize"] = resize;
    if (equalise) how["equalise"] = true;
    if (!tiles.empty()) how["tiles"] = tiles;
    if (!windows.empty()) how["windows"] = windows;
    if (sample < 1) {
      how["sample"] = sample;
      how["seed"] = seed;
    }
    how["estimator"] = std::string(name(options.regions.estimator));
    return how;
  }

  static nlohmann::ordered_json left_out(const PictureResult& result) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const PictureResult::Bad& bad : result.bad) {
      nlohmann::ordered_json one = {{"file", bad.path.string()}};
      if (bad.region) one["region"] = *bad.region;
      one["problem"] = bad.problem;
      list.push_back(one);
    }
    return list;
  }
};

void add_kind(CLI::App& describe, const std::string& kind, const std::string& what, const std::string& example) {
  auto* const command = describe.add_subcommand(kind, what);
  const auto task = std::make_shared<DescribePictures>();
  task->kind = kind;
  task->flags = command;
  task->common.add_to(*command,
                      "Folder with one subfolder of pictures per class, or with pictures only, each its own class");
  command->add_option("--features", task->features,
                      "Comma-separated features of each pixel, listed below; default: those of the kind");
  command->add_option("--tiles", task->tiles, "Cut every picture into COLUMNSxROWS tiles, one matrix each");
  command->add_option("--windows", task->windows, "Overlapping windows instead of tiles: WIDTHxHEIGHT:STEP, in pixels");
  command->add_option("--resize", task->resize, "Resize every picture to WIDTHxHEIGHT first");
  command->add_flag("--equalise", task->equalise, "Equalise the histogram of grey values, after resizing");
  command->add_option("--range", task->range, "Intensity of white; 255 for grey levels")->capture_default_str();
  command->add_option("--sample", task->sample, "Share of the pixels to use, sampled at random")->capture_default_str();
  command->add_option("--seed", task->seed, "Seed of --sample")->capture_default_str();
  std::string footer = "Features:\n";
  for (const NamedFeature& known : named_features()) footer += fmt::format("  {:<12} {}\n", known.name, known.meaning);
  command->footer(footer + "\nExample: " + example);
  command->callback([task] { task->run(); });
}

}  // namespace

void add_describe_pictures(CLI::App& describe) {
  add_kind(describe, "texture", "Describe pictures by intensity and derivatives: 5 features, matrices of size 5",
           "dsk describe texture brodatz/ --resize 256x256 --equalise --tiles 8x8 -o X.npz");
  add_kind(describe, "gabor",
           "Describe pictures by intensity, position and Gabor wavelets: 43 features, matrices of size 43",
           "dsk describe gabor faces/ --preview look.png -o X.npz");
}

}  // namespace dsk::cli

#include <dsk/cluster.hpp>
#include <dsk/files.hpp>
#include <dsk/report.hpp>

#include <fmt/core.h>

#include <cctype>
#include <charconv>
#include <chrono>
#include <memory>
#include <string>

#include "command.hpp"
#include "labelled_data.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "usage.hpp"

namespace dsk::cli {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const Clustering::Structure& test) {
  Json rows = Json::array();
  for (std::size_t k = 0; k < test.clusters.size(); ++k)
    rows.push_back({{"clusters", test.clusters[k]},
                    {"explained", test.explained[k]},
                    {"compared_with", test.null_clusters[k]},
                    {"by_chance", test.null_mean[k]},
                    {"deviation", test.null_deviation[k]},
                    {"strength", test.strength[k]}});
  return {{"structured", test.structured()}, {"found", test.found}, {"samples", test.samples}, {"tests", rows}};
}

Json as_json(const Clustering::Learning& learning) {
  return {{"adopted", learning.adopted},
          {"plain_stability", learning.plain_stability},
          {"learned_stability", learning.learned_stability},
          {"standard_error", learning.standard_error},
          {"splits", learning.splits},
          {"components", learning.components},
          {"rounds", learning.rounds},
          {"outcome", learning.outcome}};
}

Json as_json(const std::vector<Clustering::Count>& tried, bool spectral) {
  Json rows = Json::array();
  for (const Clustering::Count& count : tried) {
    rows.push_back({{"clusters", count.clusters}, {"inertia", count.inertia}, {"silhouette", count.silhouette}});
    if (spectral) rows.back()["eigengap"] = count.eigengap;
  }
  return rows;
}

std::string labels_as_text(const Clustering& clustering) {
  std::string text;
  for (const int label : clustering.labels) text += fmt::format("{}\n", label);
  return text;
}

struct Cluster {
  LabelledData data;
  std::string clusters = "auto";
  Index most_clusters = 10;
  std::string method = "kmeans";
  std::string metric;
  double zeta = 0.5;
  std::string theta = "auto";
  Index neighbours = 10;
  Index landmarks = 0;
  int restarts = 10;
  int max_iterations = 300;
  bool learn = false;
  std::uint64_t seed = 0;
  int threads = 0;
  std::filesystem::path output;
  std::filesystem::path page;
  std::filesystem::path json;
  const CLI::App* flags = nullptr;

  void run() const {
    ClusterOptions options = checked_options();
    const auto start = std::chrono::steady_clock::now();
    const Dataset set = data.load(threads);
    Progress progress("clustering");
    options.on_stage = [&](std::string_view stage) {
      progress.report_progress(std::string(stage));
      return true;
    };
    const Clustering found = dsk::cluster(set, options);
    progress.end();
    Facts facts = described(found, set);
    facts.add_repairs(data.repair);
    facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (!output.empty()) facts.add("output", output.string());
    on_rank_zero(team(), [&] {
      if (!output.empty()) save_text(labels_as_text(found), output);
      if (!page.empty()) report(found, page, source_of(data.x));
      facts.write(json);
    });
    if (output.empty())
      fmt::print("{}", labels_as_text(found));
    else
      print(found, facts);
    print_notes(found.notes);
    if (output.empty() && found.structure && !found.structure->structured())
      print_notes({"the matrices look like a single group: no clusters were found; --clusters K sets their number"});
  }

 private:
  ClusterOptions checked_options() const {
    ClusterOptions options;
    options.method = read_flag("--method", [&] { return parse_cluster_method(method); });
    options.clusters = count_or_auto();
    options.most_clusters = most_clusters;
    if (!metric.empty()) options.metric = read_flag("--metric", [&] { return parse_metric(metric); });
    options.zeta = zeta;
    options.theta = number_or_auto("--theta", theta);
    options.neighbours = neighbours;
    if (landmarks > 0) options.landmarks = landmarks;
    options.restarts = restarts;
    options.max_iterations = max_iterations;
    options.learn = learn;
    options.seed = seed;
    options.pairs = {.threads = threads};
    check_threads(threads);
    if (most_clusters < 2) throw UsageError(fmt::format("--most-clusters {} must be 2 or more", most_clusters));
    if (restarts < 1) throw UsageError(fmt::format("--restarts {} must be 1 or more", restarts));
    if (max_iterations < 1) throw UsageError(fmt::format("--max-iterations {} must be 1 or more", max_iterations));
    if (neighbours < 0) throw UsageError(fmt::format("--neighbours {} must be 0 or more", neighbours));
    if (landmarks < 0) throw UsageError(fmt::format("--landmarks {} must be 0 or more", landmarks));
    const bool spectral = options.method == ClusterMethod::spectral;
    refuse_idle_flags(
        *flags, {{{"--theta"}, options.method != ClusterMethod::kmeans, "on --method kmeans"},
                 {{"--neighbours"}, spectral, "except on --method spectral"},
                 {{"--landmarks"}, options.method == ClusterMethod::kernel_kmeans, "except on --method kernel-kmeans"},
                 {{"--most-clusters"}, !options.clusters, "with a given number of --clusters"},
                 {{"--zeta"}, options.metric == Metric::powereuclidean, "except on the power-Euclidean metric"}});
    data.check(*flags);
    check_files({data.x, data.labels}, {output, page, json});
    check_extension(output, "labels", {".csv", ".txt"});
    check_extension(page, "reports", {".html"});
    return options;
  }

  std::optional<Index> count_or_auto() const {
    if (clusters == "auto") return {};
    Index count = 0;
    const auto [end, error] = std::from_chars(clusters.data(), clusters.data() + clusters.size(), count);
    if (error != std::errc() || end != clusters.data() + clusters.size() || count < 1)
      throw UsageError(fmt::format("--clusters {} must be a number of clusters, 1 or more, or auto", clusters));
    return count;
  }

  static Facts described(const Clustering& found, const Dataset& set) {
    Facts facts;
    facts.add("n", set.size());
    facts.add("d", set.dim());
    facts.add("method", std::string(name(found.method)));
    facts.add("metric", std::string(name(found.metric)));
    if (found.theta) facts.add("theta", *found.theta);
    facts.add("seed", found.seed);
    facts.add("clusters", found.clusters());
    facts.add("sizes", found.sizes);
    facts.add("inertia", found.inertia);
    facts.add("iterations", found.iterations);
    facts.add("converged", found.converged);
    if (found.silhouette) facts.add("silhouette", *found.silhouette);
    if (!found.cluster_silhouettes.empty()) facts.add("cluster_silhouettes", found.cluster_silhouettes);
    if (found.features) {
      facts.add("features", found.features->map.size());
      facts.add("residual_share", found.features->residual_share);
    }
    if (!found.eigenvalues.empty()) facts.add("eigenvalues", found.eigenvalues);
    if (!found.tried.empty()) facts.add("tried", as_json(found.tried, found.method == ClusterMethod::spectral));
    if (found.structure) facts.add("structure", as_json(*found.structure));
    if (found.learning) facts.add("learning", as_json(*found.learning));
    if (found.scores) {
      facts.add("adjusted_rand", found.scores->adjusted_rand);
      facts.add("mutual_information", found.scores->mutual_information);
    }
    if (!found.notes.empty()) facts.add("notes", found.notes);
    return facts;
  }

  void print(const Clustering& found, const Facts& facts) const {
    const Json& known = facts.all();
    fmt::print("{} matrices of size {}, {} by the metric {}\n\n", known["n"].dump(), known["d"].dump(),
               known["method"].get<std::string>(), known["metric"].get<std::string>());
    fmt::print("{:<8} {:>8} {:>11}\n", "cluster", "size", "silhouette");
    for (std::size_t c = 0; c < found.sizes.size(); ++c)
      fmt::print("{:<8} {:>8} {:>11}\n", c, found.sizes[c],
                 c < found.cluster_silhouettes.size() ? fmt::format("{:.3f}", found.cluster_silhouettes[c]) : "-");
    if (found.structure && !found.structure->structured())
      fmt::print("\nThe matrices look like a single group: no clusters were found. --clusters K sets their number.\n");
    if (found.learning) {
      std::string outcome = found.learning->outcome;
      outcome.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(outcome.front())));
      fmt::print("\n{}.\n", outcome);
    }
    fmt::print("\ninertia    {:.6g}, {} after {}\n", found.inertia, found.converged ? "converged" : "stopped",
               counted(found.iterations, "iteration"));
    if (found.scores)
      fmt::print("labels     adjusted Rand index {:.3f}, normalised mutual information {:.3f}\n",
                 found.scores->adjusted_rand, found.scores->mutual_information);
    fmt::print("saved      {}\n", output.string());
    if (!page.empty()) fmt::print("report     {}\n", page.string());
  }
};

}  // namespace

void add_cluster(CLI::App& program) {
  auto* const command = program.add_subcommand("cluster", "Divide matrices into clusters, without labels");
  const auto task = std::make_shared<Cluster>();
  task->flags = command;
  task->data.add_to(*command, "Matrices (n, d, d): .npz, .npy, .mat or .csv; labels are only used for scores",
                    "True labels to score the clusters with, .npy or .csv; they replace those of the data file");
  command->add_option(
      "-o,--output", task->output,
      "Where to write the cluster of each matrix, one number per line: .csv or .txt; default: standard output");
  command
      ->add_option("--clusters", task->clusters,
                   "Number of clusters, or auto: as many as explain clearly more of the variance than fewer clusters "
                   "would (with "
                   "--method spectral: by the largest eigengap), and one if there is no sign of several")
      ->capture_default_str();
  command->add_option("--most-clusters", task->most_clusters, "Largest number of clusters that auto tries")
      ->capture_default_str();
  command->add_option("--method", task->method, "How to cluster: " + cluster_method_choices())->capture_default_str();
  command->add_option("--metric", task->metric,
                      "Metric: " + metric_choices() + "; default: airm for kmeans, stein for the others");
  command->add_option("--zeta", task->zeta, "Exponent of the power-Euclidean metric")->capture_default_str();
  command
      ->add_option(
          "--theta", task->theta,
          "With --method kernel-kmeans or spectral: theta in exp(-theta d^2), larger is narrower; or auto: from "
          "the distances")
      ->capture_default_str();
  command
      ->add_option("--neighbours", task->neighbours,
                   "Number of nearest matrices that spectral clustering connects each matrix to; 0: all others")
      ->capture_default_str();
  command->add_option("--landmarks", task->landmarks,
                      "With --method kernel-kmeans: largest number of features that stand for the kernel; default: "
                      "exact up to 2000 matrices, 1000 features beyond");
  command->add_option("--restarts", task->restarts, "Number of k-means++ starts, of which the best is kept")
      ->capture_default_str();
  command->add_option("--max-iterations", task->max_iterations, "Maximum number of iterations of k-means")
      ->capture_default_str();
  command->add_flag("--learn", task->learn,
                    "Learn a subspace and adjusted eigenvalues from the clusters, and use them if clusters become more "
                    "stable on held-out matrices");
  command->add_option("--seed", task->seed, "Seed of the starts and samples")->capture_default_str();
  command->add_option("--report", task->page, "Write a report to this file, .html");
  command->add_option("--threads", task->threads, threads_help);
  command->add_option("--json", task->json, json_help);
  command->footer("Example: dsk cluster X.npz --clusters auto --method spectral -o labels.csv --report r.html");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

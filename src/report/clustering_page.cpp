#include <dsk/files.hpp>
#include <dsk/report.hpp>

#include <fmt/format.h>

#include "report/report.hpp"

namespace dsk {
namespace {

constexpr std::size_t listed_clusters = 30;

std::string cluster_name(std::size_t cluster) {
  return fmt::format("cluster {}", cluster);
}

std::vector<std::string> cluster_names(const Clustering& clustering) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < clustering.sizes.size(); ++c) names.push_back(cluster_name(c));
  return names;
}

std::string answer(const Clustering& clustering) {
  if (clustering.structure && !clustering.structure->structured())
    return "The matrices look like a single group: no clusters were found.";
  std::string text = fmt::format("{} matrices in {} cluster{}", clustering.labels.size(), clustering.clusters(),
                                 clustering.clusters() == 1 ? "" : "s");
  if (clustering.silhouette) text += fmt::format(", mean silhouette {:.2f}", *clustering.silhouette);
  if (clustering.scores)
    text += fmt::format("; adjusted Rand index with the labels {:.2f}", clustering.scores->adjusted_rand);
  return text + ".";
}

void add_sizes(Page& page, const Clustering& clustering) {
  page.add_heading("Sizes of the clusters");
  std::vector<std::vector<std::string>> table{{"cluster", "matrices", "share, %", "mean silhouette"}};
  const auto all = static_cast<double>(clustering.labels.size());
  BarChart sizes{.caption = "Number of matrices in each cluster.", .x_axis = "cluster", .y_axis = "matrices"};
  for (std::size_t c = 0; c < clustering.sizes.size(); ++c) {
    const auto size = static_cast<double>(clustering.sizes[c]);
    sizes.values.push_back(size);
    sizes.names.push_back(std::to_string(c));
    if (c < listed_clusters)
      table.push_back(
          {cluster_name(c), std::to_string(clustering.sizes[c]), fmt::format("{:.1f}", 100 * size / all),
           c < clustering.cluster_silhouettes.size() ? fmt::format("{:.3f}", clustering.cluster_silhouettes[c]) : "–"});
  }
  page.add_bar_chart(sizes);
  page.add_table(table);
  if (clustering.sizes.size() > listed_clusters)
    page.add_text(fmt::format("The table lists the {} largest clusters.", listed_clusters));
  page.add_text(
      "The silhouette of a matrix compares its mean distance to its own cluster with that to the nearest other one: "
      "near "
      "1 it is far from other clusters, at 0 it lies between two, below 0 it is nearer to the other one.");
}

/// Two of the principal components; the second of a pair may be missing.
Scatter components(const Clustering& clustering, Index first, const std::vector<int>& classes) {
  Scatter cloud{.caption = fmt::format("Principal components {} and {}", first + 1, first + 2)};
  const Matrix& picture = clustering.picture;
  for (Index i = 0; i < picture.rows() && first < picture.cols(); ++i) {
    cloud.x.push_back(picture(i, first));
    cloud.y.push_back(first + 1 < picture.cols() ? picture(i, first + 1) : 0);
  }
  cloud.classes.assign(classes.begin(), classes.end());
  return cloud;
}

void add_picture(Page& page, const Clustering& clustering) {
  page.add_heading("The matrices in two dimensions");
  std::vector<int> shown;
  for (const Index i : clustering.pictured) shown.push_back(clustering.labels[static_cast<std::size_t>(i)]);
  const bool sampled = clustering.pictured.size() < clustering.labels.size();
  page.add_scatter_pair({.caption = fmt::format("The matrices, coloured by cluster{}.",
                                                sampled ? fmt::format("; a sample of {} matrices", shown.size()) : ""),
                         .names = cluster_names(clustering),
                         .left = components(clustering, 0, shown),
                         .right = components(clustering, 2, shown)});
  if (clustering.scores)
    page.add_scatter_pair({.caption = "The same matrices, coloured by their labels.",
                           .names = clustering.scores->class_names,
                           .left = components(clustering, 0, clustering.scores->pictured),
                           .right = components(clustering, 2, clustering.scores->pictured)});
}

void add_count(Page& page, const Clustering& clustering) {
  if (clustering.tried.empty()) return;
  page.add_heading("Number of clusters");
  const bool spectral = clustering.method == ClusterMethod::spectral;
  LineSeries criterion{spectral ? "eigengap" : "silhouette", {}, {}};
  for (const Clustering::Count& count : clustering.tried) {
    criterion.x.push_back(static_cast<double>(count.clusters));
    criterion.y.push_back(spectral ? count.eigengap : count.silhouette);
  }
  page.add_line_chart(
      {.caption =
           spectral
               ? "Eigengap: how much smaller the next eigenvalue of the graph is. The largest gap is chosen."
               : "Mean silhouette. It does not decide the number: it prefers few clusters where some are far apart.",
       .x_axis = "number of clusters",
       .y_axis = criterion.name,
       .series = {criterion}});
  if (!clustering.structure) return;
  const Clustering::Structure& test = *clustering.structure;
  LineSeries found{"these matrices", {}, {}}, chance{"normal distributions", {}, {}};
  for (std::size_t k = 0; k < test.clusters.size(); ++k) {
    const auto clusters = static_cast<double>(test.clusters[k]);
    found.x.push_back(clusters);
    found.y.push_back(100 * test.explained[k]);
    chance.x.push_back(clusters);
    chance.y.push_back(100 * test.null_mean[k]);
    chance.error.push_back(300 * test.null_deviation[k]);
  }
  page.add_text(
      test.structured()
          ? fmt::format("There is structure: {} clusters explain clearly more of the variance than they would if the "
                        "matrices came from fewer normal distributions, and both halves of the data give the same "
                        "clusters.",
                        test.found)
          : "There is no sign of structure: clusters explain no more of the variance than they would if the matrices "
            "came from a single normal distribution, or the halves of the data give different clusters. One cluster is "
            "reported.");
  page.add_line_chart(
      {.caption = fmt::format("Share of the variance between clusters, of {} matrices and of normally distributed "
                              "points (bars: three deviations): one normal distribution for each cluster that smaller "
                              "numbers of clusters had shown.",
                              test.samples),
       .x_axis = "number of clusters",
       .y_axis = "explained, %",
       .series = {found, chance}});
}

void add_learning(Page& page, const Clustering& clustering) {
  if (!clustering.learning) return;
  const Clustering::Learning& learning = *clustering.learning;
  page.add_heading("Learning without labels");
  page.add_text(fmt::format("Outcome: {}.", learning.outcome));
  if (learning.splits == 0) return;
  page.add_table({{"", "held-out stability"},
                  {"before learning", fmt::format("{:.3f}", learning.plain_stability)},
                  {"after learning", fmt::format("{:.3f}", learning.learned_stability)},
                  {"difference", fmt::format("{:+.3f} ± {:.3f}", learning.learned_stability - learning.plain_stability,
                                             learning.standard_error)}});
  page.add_text(fmt::format(
      "The stability is the adjusted Rand index between the clusters of one half of the matrices and those that the "
      "other half predicts for them, over {} random halves. Stable clusters need not be those that labels would show.",
      learning.splits));
}

void add_labels(Page& page, const Clustering& clustering) {
  if (!clustering.scores) return;
  const Clustering::Scores& scores = *clustering.scores;
  page.add_heading("Agreement with the labels");
  page.add_text(fmt::format(
      "Adjusted Rand index {:.3f}, normalised mutual information {:.3f}. The labels were not used for clustering.",
      scores.adjusted_rand, scores.mutual_information));
  std::vector<std::vector<std::string>> table{{"class"}};
  for (const std::string& name : cluster_names(clustering)) table[0].push_back(name);
  for (Index r = 0; r < scores.counts.rows(); ++r) {
    auto& row = table.emplace_back(std::vector{scores.class_names[static_cast<std::size_t>(r)]});
    for (Index c = 0; c < scores.counts.cols(); ++c) row.push_back(fmt::format("{:.0f}", scores.counts(r, c)));
  }
  page.add_table(table);
}

std::vector<Evaluation::Setting> settings_of(const Clustering& clustering, const ReportSource& source) {
  std::vector<Evaluation::Setting> list;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) list.push_back({name, value});
  };
  add("command", source.command);
  add("data file", source.data);
  add("date", source.date);
  add("method", std::string(name(clustering.method)));
  add("metric", std::string(name(clustering.metric)));
  if (clustering.theta) add("theta", fmt::format("{:.6g}", *clustering.theta));
  add("inertia", fmt::format("{:.6g}", clustering.inertia));
  add("seed", std::to_string(clustering.seed));
  return list;
}

}  // namespace

std::string clustering_page(const Clustering& clustering, const ReportSource& source) {
  Page page("Clusters");
  page.add_answer(answer(clustering));
  for (const std::string& note : clustering.notes) page.add_text("Note: " + note + ".");
  add_sizes(page, clustering);
  add_picture(page, clustering);
  add_count(page, clustering);
  add_learning(page, clustering);
  add_labels(page, clustering);
  page.add_heading("Reproduce this report");
  page.add_settings(settings_of(clustering, source));
  return page.html();
}

void report(const Clustering& clustering, const std::filesystem::path& file, const ReportSource& source) {
  save_text(clustering_page(clustering, source), file);
}

}  // namespace dsk

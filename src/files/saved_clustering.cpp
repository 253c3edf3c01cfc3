// Clusters in a .dsk file: their labels, and all that assigning new matrices to them takes.

#include <dsk/cluster.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "files/dsk_content.hpp"

namespace dsk {
namespace {

constexpr std::string_view clustering_name = "clustering";
const std::string learned_prefix = "learned_";

void add_stack(files::ArchiveContent& content, const std::string& name, const SpdBatch& matrices) {
  content.add({name, {matrices.size(), matrices.dim(), matrices.dim()}, matrices.values()});
}

SpdBatch read_stack(const files::Section& section, const std::string& name, Index count, Index dim) {
  MatrixStack stack{count, dim, section.read(name, {count, dim, dim})};
  return files::checked(section.file, [&] { return SpdBatch(std::move(stack), section.threads); });
}

void add_features(files::ArchiveContent& content, const Clustering::FeatureCentres& features) {
  const NystromMap& map = features.map;
  const Index landmarks = map.size();
  content.fields["features"] = {{"landmarks", landmarks},
                                {"dim", map.landmarks().matrices().dim()},
                                {"theta", map.theta()},
                                {"residual_share", files::number_field(features.residual_share)}};
  add_stack(content, "landmarks", map.landmarks().matrices());
  content.add({"factor", {landmarks, landmarks}, files::numbers(map.factor())});
  content.add({"rows", {features.rows.rows(), features.rows.cols()}, files::numbers(features.rows)});
}

Clustering::FeatureCentres read_features(const files::Section& section, const Comparison& comparison, Index clusters) {
  const files::Fields fields = section.fields.object("features");
  const Index landmarks = fields.count("landmarks"), dim = fields.count("dim");
  const double theta = fields.number("theta"), residual_share = fields.number("residual_share");
  const Dataset points(read_stack(section, "landmarks", landmarks, dim));
  Matrix factor = section.read_matrix("factor", landmarks, landmarks);
  Matrix rows = section.read_matrix("rows", clusters, landmarks);
  return files::checked(section.file, [&] {
    return Clustering::FeatureCentres{NystromMap(comparison, theta, points, std::move(factor)), std::move(rows),
                                      residual_share};
  });
}

/// Seeds are stored as text because many JSON readers lose digits of integers above 2^53.
std::uint64_t read_seed(const files::Section& section) {
  const std::string text = section.fields.text("seed");
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    throw files::file_error(section.file,
                            fmt::format("seed {} is not an integer from 0 to 2^64 - 1", files::in_quotes(text)));
  return seed;
}

void read_labels(const files::Section& section, Clustering& found) {
  const Index clusters = section.fields.count("clusters");
  found.labels = files::read_codes(section, "labels", section.fields.count("samples"));
  found.sizes.assign(static_cast<std::size_t>(clusters), 0);
  for (const int label : found.labels) {
    if (label >= clusters)
      throw files::file_error(section.file,
                              fmt::format("label {} is not below the number of clusters, {}", label, clusters));
    ++found.sizes[static_cast<std::size_t>(label)];
  }
}

void check_sizes(const Clustering& found, const std::filesystem::path& file) {
  const Index from = found.centres    ? found.centres->dim()
                     : found.features ? found.features->map.landmarks().matrices().dim()
                                      : 0;
  if (found.learned && from > 0 && found.learned->result_dim() != from)
    throw files::file_error(file, fmt::format("the learned kernel makes matrices of size {}, but the centres have {}",
                                              found.learned->result_dim(), from));
}

}  // namespace

void save(const Clustering& clustering, const std::filesystem::path& file) {
  files::ArchiveContent content;
  auto& fields = content.fields;
  fields = {{"method", name(clustering.method)},
            {"metric", name(clustering.metric)},
            {"zeta", clustering.zeta},
            {"seed", std::to_string(clustering.seed)},
            {"clusters", clustering.clusters()},
            {"samples", clustering.labels.size()},
            {"inertia", files::number_field(clustering.inertia)},
            {"iterations", clustering.iterations},
            {"converged", clustering.converged},
            {"notes", clustering.notes}};
  if (clustering.theta) fields["theta"] = *clustering.theta;
  if (clustering.silhouette) fields["silhouette"] = *clustering.silhouette;
  content.add("labels", {std::ssize(clustering.labels)}, files::as_doubles(clustering.labels));
  if (clustering.centres) {
    fields["dim"] = clustering.centres->dim();
    add_stack(content, "centres", *clustering.centres);
  }
  if (clustering.features) add_features(content, *clustering.features);
  if (clustering.learned) {
    files::ArchiveContent part;
    fields["learned"] = files::add_kernel(part, *clustering.learned);
    content.version = std::max(content.version, part.version);
    content.add_arrays(std::move(part), learned_prefix);
  }
  files::write_archive(file, clustering_name, fields, content.arrays(), content.version);
}

Clustering load_clustering(const std::filesystem::path& file, int threads) {
  const files::ArchiveReader archive(file);
  if (const std::string kind = archive.kind(); kind != clustering_name)
    throw files::file_error(file, fmt::format("contains a {}, not clusters", files::in_quotes(kind)));
  const files::Section section{archive, archive.fields(), file, threads};
  const files::Fields& fields = section.fields;
  Clustering found;
  files::checked(file, [&] {
    found.method = parse_cluster_method(fields.text("method"));
    found.metric = parse_metric(fields.text("metric"));
    return 0;
  });
  found.zeta = fields.number("zeta");
  found.seed = read_seed(section);
  found.inertia = fields.number("inertia");
  found.iterations = static_cast<int>(fields.count("iterations"));
  found.converged = fields.flag("converged");
  found.notes = fields.texts("notes");
  if (fields.contains("theta")) found.theta = fields.number("theta");
  if (fields.contains("silhouette")) found.silhouette = fields.number("silhouette");
  read_labels(section, found);
  if (fields.contains("dim")) found.centres = read_stack(section, "centres", found.clusters(), fields.count("dim"));
  if (fields.contains("features"))
    found.features = read_features(section, {.metric = found.metric, .zeta = found.zeta}, found.clusters());
  if (fields.contains("learned")) {
    const files::Fields learned = fields.object("learned");
    found.learned = files::read_kernel({archive, learned, file, threads, learned_prefix}, learned);
  }
  check_sizes(found, file);
  return found;
}

}  // namespace dsk

#include "files/nystrom_fields.hpp"

namespace dsk::files {
namespace {

std::span<const double> numbers(const Matrix& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

Matrix read_matrix(const ArchiveReader& archive, const std::string& name, Index rows, Index columns) {
  return Eigen::Map<const Matrix>(archive.read(name, {rows, columns}).data(), rows, columns);
}

}  // namespace

ArchiveContent content(const NystromKnn& knn) {
  const NystromMap& map = knn.map();
  const Index landmarks = map.size(), trained = knn.labels().size();
  ArchiveContent content = shared_content(map.comparison(), map.landmarks());
  content.fields["theta"] = map.theta();
  content.fields["neighbours"] = knn.neighbours();
  content.fields["trained"] = trained;
  content.add({"factor", {landmarks, landmarks}, numbers(map.factor())});
  content.add({"features", {trained, landmarks}, numbers(knn.features())});
  const std::vector<int>& codes = knn.labels().codes();
  content.add("feature_codes", {trained}, {codes.begin(), codes.end()});
  return content;
}

NystromKnn read_nystrom_knn(const ArchiveReader& archive, const std::filesystem::path& file, int threads) {
  const Fields fields = archive.fields();
  const Comparison comparison = read_comparison(archive, file);
  const Dataset landmarks = read_matrices(archive, file, threads);
  const double theta = fields.number("theta");
  const Index neighbours = fields.count("neighbours"), trained = fields.count("trained"), count = landmarks.size();
  Matrix factor = read_matrix(archive, "factor", count, count);
  std::vector<int> codes = read_codes(archive, "feature_codes", trained, file);
  Matrix features = read_matrix(archive, "features", trained, count);
  return checked(file, [&] {
    Labels labels(landmarks.labels().names(), std::move(codes), landmarks.labels().integral());
    return NystromKnn(NystromMap(comparison, theta, landmarks, std::move(factor), threads), std::move(features),
                      std::move(labels), neighbours);
  });
}

}  // namespace dsk::files

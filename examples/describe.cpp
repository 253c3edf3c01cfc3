#include <cmath>
#include <cstdlib>
#include <dsk/describe.hpp>
#include <dsk/dsk.hpp>
#include <iostream>

/// Stripes of a given wavelength with noise.
dsk::Image stripes(double wavelength, int seed) {
  dsk::Matrix grey = dsk::Matrix::Zero(64, 64);
  std::srand(static_cast<unsigned>(seed));
  for (dsk::Index y = 0; y < grey.rows(); ++y)
    for (dsk::Index x = 0; x < grey.cols(); ++x) {
      const double noise = static_cast<double>(std::rand()) / RAND_MAX;
      grey(y, x) = 0.5 + 0.2 * std::sin(6.28 * static_cast<double>(x) / wavelength) + 0.3 * (noise - 0.5);
    }
  return {grey};
}

int main() {
  // The five features of the paper and one more.
  const dsk::FeatureSet texture = dsk::texture_features();
  dsk::FeatureSet features = {texture.names, [texture](const dsk::Image& image) {
                                auto maps = feature_maps(texture, image);
                                maps.emplace_back(image.grey.cwiseAbs2());
                                return maps;
                              }};
  features.names.emplace_back("square");

  std::vector<double> values;
  std::vector<std::string> labels;
  const std::vector<dsk::Region> tiles = dsk::tile_regions({64, 64}, {4, 4});
  for (const double wavelength : {6.0, 10.0, 16.0}) {
    const dsk::SpdBatch matrices = dsk::region_covariance(features, stripes(wavelength, 1), tiles);
    values.insert(values.end(), matrices.values().begin(), matrices.values().end());
    labels.insert(labels.end(), tiles.size(), "wavelength " + std::to_string(static_cast<int>(wavelength)));
  }
  const dsk::Index count = static_cast<dsk::Index>(labels.size());
  const dsk::Dataset data(dsk::SpdBatch(values, count, 6), dsk::Labels(labels));
  const dsk::Matrix distances = dsk::pairwise_distances(data.matrices());
  std::cout << count << " tiles, each a matrix of size " << data.dim() << "; "
            << 100 * dsk::leave_one_out_accuracy(distances, data.labels())
            << " % have a nearest neighbour of the same class\n";

  const dsk::Matrix few = dsk::Matrix::Random(12, 43);
  try {
    dsk::covariance(few, {.estimator = dsk::Estimator::mestre});
  } catch (const dsk::RankDeficient& error) {
    std::cout << error.what() << '\n';
  }
}

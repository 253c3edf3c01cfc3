#include <cstdio>
#include <dsk/dsk.hpp>
#include <iostream>

// dsk.hpp declares what dsk::dsk links. These would clash with what is in dsk::describe and dsk::experiment.
namespace dsk {
enum class Image { not_declared };
enum class Experiment { not_declared };
}  // namespace dsk

int main() {
  const dsk::SpdBatch x = dsk::random_spd({.count = 4, .dim = 3});
  const dsk::Matrix distances = dsk::pairwise_distances(x, {.metric = dsk::Metric::stein});
  if (distances.rows() != 4 || distances(0, 0) != 0 || !(distances(0, 1) > 0)) return 1;

  dsk::save(dsk::wishart_classes({.per_class = 30, .dim = 3, .degrees = 20, .tau = 1}), "train.npz");
  dsk::save(dsk::wishart_classes({.per_class = 30, .dim = 3, .degrees = 20, .tau = 1, .seed = 1}), "test.npz");

  const auto data = dsk::load("train.npz");
  const auto model = dsk::train(data);
  dsk::save(model, "eeg.dsk");
  const double accuracy = dsk::accuracy(dsk::predict(model, dsk::load("test.npz")));
  std::cout << dsk::summary(model) << "\naccuracy " << accuracy << '\n';
  const auto results = dsk::evaluate(data, {.methods = {"auto", "SK:knn", "MDM"}, .protocol = dsk::random_halves(2)});
  dsk::report(results, "report.html");

  dsk::Predictor predictor(dsk::load_model("eeg.dsk").model);
  const Eigen::Matrix3d matrix = x[0];
  return accuracy > 0.7 && predictor(matrix) >= 0 && results.methods.size() == 4 ? 0 : 1;
}

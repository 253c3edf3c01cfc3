// Train and predict inside a program that has its matrices in Eigen.

#include <dsk/dsk.hpp>
#include <iostream>

/// The covariance of a short recording of three channels; `active` makes two of them move together.
Eigen::Matrix3d recording(bool active) {
  Eigen::Matrix<double, 3, 60> samples = Eigen::Matrix<double, 3, 60>::Random();
  if (active) samples.row(1) += 0.5 * samples.row(0);
  return samples * samples.transpose() / 60;
}

int main() {
  std::vector<Eigen::Matrix3d> matrices;
  std::vector<std::string> labels;
  for (int i = 0; i < 80; ++i) {
    matrices.push_back(recording(i % 2 == 1));
    labels.emplace_back(i % 2 == 1 ? "active" : "rest");
  }
  const dsk::Dataset data{dsk::SpdBatch(matrices), dsk::Labels(labels)};

  const dsk::Trained model = dsk::train(data);  // settings by cross-validation
  std::cout << dsk::summary(model) << '\n';
  dsk::save(model, "embedded.dsk");

  const dsk::SpdBatch fresh(std::vector<Eigen::Matrix3d>{recording(false), recording(true)});
  const dsk::Prediction found = dsk::predict(model, fresh);
  for (dsk::Index i = 0; i < fresh.size(); ++i)
    std::cout << "matrix " << i << ": " << found.labels.name(i) << ", scores " << found.scores.row(i) << '\n';
  std::cout << "distance of the two: " << dsk::distance(fresh[0], fresh[1], dsk::Metric::airm) << ", Stein divergence "
            << dsk::stein(fresh[0], fresh[1]) << '\n';
}

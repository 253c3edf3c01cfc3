#include <dsk/dsk.hpp>
#include <iostream>

int main() {
  const dsk::Dataset data = dsk::wishart_classes({.classes = 3, .per_class = 60, .dim = 8, .degrees = 20, .tau = 0.5});
  const dsk::Split half = dsk::stratified_folds(data.labels(), 2, 1)[0];
  const dsk::Dataset train = data.select(half.train), test = data.select(half.test);

  const auto [kernel, fit] = dsk::fit_kernel(
      train, {.criterion = dsk::Criterion::centred, .adjustment = dsk::Adjustment::affine, .penalty = 0.01});
  const dsk::KnnClassifier plain = dsk::train_knn(dsk::Comparison{.metric = dsk::Metric::stein}, train);
  const dsk::KnnClassifier learned = dsk::train_knn(kernel, train, {.neighbours = 5});

  dsk::save(learned, "wishart.dsk");
  std::cout << "accuracy with the Stein divergence: " << 100 * dsk::accuracy(plain, test)
            << " %, with the learned kernel: " << 100 * dsk::accuracy(learned, test) << " %\n";
}

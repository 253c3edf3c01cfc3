#include <dsk/dsk.hpp>
#include <iostream>

int main() {
  const dsk::Dataset data = dsk::wishart_classes({.classes = 3, .per_class = 60, .dim = 8, .degrees = 20, .tau = 0.5});
  const dsk::Split half = dsk::stratified_folds(data.labels(), 2, 1)[0];
  const dsk::Dataset train = data.select(half.train), test = data.select(half.test);

  const dsk::Trained model = dsk::train(train);  // everything by cross-validation
  dsk::save(model, "wishart.dsk");

  const dsk::KnnClassifier plain = dsk::train_knn(dsk::Comparison{.metric = dsk::Metric::stein}, train);
  std::cout << "accuracy of the default: " << 100 * dsk::accuracy(dsk::predict(model, test))
            << " %, of k-NN by the Stein divergence: " << 100 * dsk::accuracy(plain, test) << " %\n";
}

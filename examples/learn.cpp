#include <dsk/dsk.hpp>
#include <iostream>

/// Percentage of test matrices whose nearest training matrix has the same class.
double nearest_neighbour(const dsk::LearnedKernel& kernel, const dsk::Dataset& train, const dsk::Dataset& test) {
  const dsk::Matrix distances = pairwise_divergences(kernel, test.matrices(), train.matrices());
  double correct = 0;
  for (dsk::Index i = 0; i < test.size(); ++i) {
    dsk::Index nearest = 0;
    distances.row(i).minCoeff(&nearest);
    correct += train.labels()[nearest] == test.labels()[i] ? 1 : 0;
  }
  return 100 * correct / static_cast<double>(test.size());
}

int main() {
  const dsk::Dataset data = dsk::wishart_classes({.classes = 3, .per_class = 60, .dim = 8, .degrees = 20, .tau = 0.5});
  const auto half = dsk::stratified_folds(data.labels(), 2, 1)[0];
  const dsk::Dataset train = data.select(half.train), test = data.select(half.test);

  const dsk::Learned learned =
      dsk::learn(train, {.fit = {.criterion = dsk::Criterion::centred, .adjustment = dsk::Adjustment::affine}});
  const auto& [kernel, origin] = learned.kernel;

  std::cout << "theta " << kernel.theta() << ", penalty " << origin.penalty << ", criterion " << origin.history.front()
            << " -> " << origin.value << " (" << origin.stop << ")\n"
            << "plain Stein kernel "
            << nearest_neighbour(dsk::LearnedKernel::plain(train.dim(), kernel.theta()), train, test) << " %, learned "
            << nearest_neighbour(kernel, train, test) << " % of the test matrices correct\n";
  dsk::save(learned, "learned.dsk");
}

#include <dsk/dsk.hpp>
#include <iostream>
#include <limits>

int main() {
  const dsk::Dataset data = dsk::wishart_classes({.classes = 3, .per_class = 100, .dim = 5, .tau = 0.2});
  dsk::Matrix distances = dsk::pairwise_distance(data.matrices(), {.metric = dsk::Metric::stein});
  distances.diagonal().setConstant(std::numeric_limits<double>::infinity());
  dsk::Index nearest = 0, hits = 0;
  for (dsk::Index i = 0; i < data.size(); ++i) {
    distances.row(i).minCoeff(&nearest);
    hits += data.labels()[nearest] == data.labels()[i];
  }
  std::cout << hits << " of " << data.size() << " matrices lie nearest to one of their own class\n";
}

#include <dsk/dsk.hpp>
#include <iostream>

int main() {
  const dsk::Dataset data = dsk::wishart_classes({.classes = 3, .per_class = 100, .dim = 5, .tau = 0.2});
  const dsk::Matrix distances = dsk::pairwise_distance(data.matrices(), {.metric = dsk::Metric::stein});
  const dsk::Matrix kernel = dsk::kernel_matrix(data.matrices(), {.theta = 2.5});
  std::cout << "largest distance " << distances.maxCoeff() << ", smallest kernel value " << kernel.minCoeff() << '\n'
            << 100 * dsk::leave_one_out_accuracy(distances, data.labels()) << " % lie nearest to their own class\n";
}

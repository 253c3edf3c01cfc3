// Classify matrices as they arrive, in microseconds and without allocating memory.

#include <dsk/dsk.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>

int main() {
  const dsk::Dataset data = dsk::wishart_classes({.classes = 2, .per_class = 100, .dim = 8, .degrees = 30, .tau = 0.5});
  const dsk::Dataset stream =
      dsk::wishart_classes({.classes = 2, .per_class = 500, .dim = 8, .degrees = 30, .tau = 0.5, .seed = 1});

  dsk::save(dsk::train_mdm(data), "mdm.dsk");  // any other model will do
  dsk::Predictor predictor(dsk::load_model("mdm.dsk").model);

  using Clock = std::chrono::steady_clock;
  std::vector<double> microseconds;
  int correct = 0;
  for (dsk::Index i = 0; i < stream.size(); ++i) {
    const auto start = Clock::now();
    const int code = predictor(stream.matrices()[i]);
    microseconds.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    correct += predictor.class_name(code) == stream.labels().name(i) ? 1 : 0;
  }
  std::sort(microseconds.begin(), microseconds.end());
  std::cout << correct << " of " << stream.size() << " correct; median " << microseconds[microseconds.size() / 2]
            << " us, worst " << microseconds.back() << " us\n";
  return 2 * correct > stream.size() ? 0 : 1;
}

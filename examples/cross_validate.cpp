// Compare methods by cross-validation, save the results and write a report.

#include <dsk/dsk.hpp>
#include <iostream>

int main() {
  const dsk::Dataset data = dsk::wishart_classes({.classes = 3, .per_class = 40, .dim = 6, .degrees = 25, .tau = 0.5});

  const dsk::Evaluation results =
      dsk::evaluate(data, {.methods = {"SK:knn", "MDM", "TS:lr"}, .protocol = dsk::k_folds(5)});
  for (const dsk::MethodResult& method : results.methods)
    std::cout << method.method.full_name() << ": " << 100 * method.accuracy.mean << " % +- "
              << 100 * method.accuracy.deviation << " %\n";
  std::cout << dsk::answer(results) << '\n';

  dsk::save(results, "results.json");
  dsk::report(results, "report.html");
  const dsk::Evaluation again = dsk::load_evaluation("results.json", data);
  return again.methods.front().accuracy.mean == results.methods.front().accuracy.mean ? 0 : 1;
}

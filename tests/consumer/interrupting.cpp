// Of a program that is linked with the shared libraries: an interrupt reaches all of them.
#include <dsk/describe.hpp>
#include <dsk/errors.hpp>
#include <dsk/experiment.hpp>
#include <dsk/metric.hpp>

#include <functional>
#include <iostream>

namespace {

/// Whether work ends in Interrupted, and not by itself or in another error.
bool is_interrupted(const std::function<void()>& work) {
  try {
    work();
  } catch (const dsk::Interrupted&) {
    return true;
  } catch (const std::exception& error) {
    std::cout << error.what() << '\n';
  }
  return false;
}

}  // namespace

int main() {
  const auto distances = [] { dsk::pairwise_distances(dsk::random_spd({.count = 4, .dim = 3})); };
  // Looks at the flag before it looks for the picture, which is not there.
  const auto describe = [] {
    dsk::describe_pictures({.files = {{.path = "none.png", .label = "a", .name = "none"}}}, {});
  };
  const auto experiment = [] {
    dsk::run_experiment(dsk::find_experiment("eigenvalue-bias"), {.quick = true, .threads = 1});
  };
  bool right = !is_interrupted(distances) && !is_interrupted(describe);
  dsk::interrupt();
  right = is_interrupted(distances) && is_interrupted(describe) && is_interrupted(experiment) && right;
  dsk::allow_computation();
  return !is_interrupted(distances) && !is_interrupted(describe) && right ? 0 : 1;
}

#include <dsk/experiment.hpp>

int main() {
  return dsk::experiments().empty() ? 1 : 0;
}

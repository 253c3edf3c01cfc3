#include <dsk/dsk.hpp>
#include <iostream>

int main() {
  const dsk::SpdBatch x = dsk::random_spd({.count = 4, .dim = 3});
  const dsk::Matrix distances = dsk::pairwise_distance(x, {.metric = dsk::Metric::stein});
  const bool sound = distances.rows() == 4 && distances(0, 0) == 0 && distances(0, 1) > 0;
  std::cout << "dsk " << DSK_VERSION << (sound ? ": sound\n" : ": wrong distances\n");
  return sound ? 0 : 1;
}

#include <dsk/describe.hpp>

int main() {
  const dsk::Image image{(dsk::Matrix::Random(16, 16).array() + 1).matrix() / 2};
  const dsk::SpdBatch found =
      dsk::region_covariance(dsk::texture_features(), image, dsk::tile_regions({16, 16}, {1, 1}));
  return found.dim() == 5 ? 0 : 1;
}

#include <dsk/dsk.hpp>

#include <fmt/core.h>
#include <opencv2/imgcodecs.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "files/made_files.hpp"
#include "reading.hpp"

namespace {

/// Puts the byte that chooses the reader before a file's bytes, under the name of a seed, and removes the file.
void make_seed(const std::filesystem::path& whole, dsk::fuzz::Reading reading, const std::filesystem::path& seed) {
  std::ifstream file(whole, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::ofstream(seed, std::ios::binary) << static_cast<char>(reading) << bytes;
  std::filesystem::remove(whole);
}

void write_text(const std::string& text, dsk::fuzz::Reading reading, const std::filesystem::path& seed) {
  std::ofstream(seed, std::ios::binary) << static_cast<char>(reading) << text;
}

void write_pictures(const std::filesystem::path& folder) {
  using dsk::fuzz::Reading;
  int number = 0;
  for (const int type : {CV_8UC1, CV_16UC1, CV_8UC3, CV_8UC4}) {
    cv::Mat pixels(5, 7, type);
    for (std::size_t k = 0; k < pixels.total() * pixels.elemSize(); ++k)
      pixels.data[k] = static_cast<unsigned char>(37 * k);
    for (const std::string extension : {".png", ".jpg", ".bmp", ".tif", ".pgm", ".ppm"}) {
      const bool fits = extension == ".png" || extension == ".tif" || (extension == ".pgm" && pixels.channels() == 1) ||
                        (extension == ".ppm" && pixels.channels() == 3) ||
                        (type == CV_8UC3 && (extension == ".jpg" || extension == ".bmp"));
      const std::filesystem::path whole = folder / ("whole" + extension);
      if (fits && cv::imwrite(whole.string(), pixels))
        make_seed(whole, Reading::picture, folder / fmt::format("seed-picture-{}", number++));
    }
  }
  write_text("P2\n# text\n2 1\n100\n100 50\n", Reading::picture, folder / "seed-picture-text");
  write_text("P1\n3 1\n1 0 1\n", Reading::picture, folder / "seed-picture-bits");
}

/// Cells of matrices, as in the data sets of the paper.
std::string mat_of_cells() {
  using namespace dsk::test;
  const auto cells = [](const std::string& name) {
    return mat_matrix(1, {1, 2}, name, mat_doubles({2, 2}, "", {2, 1, 1, 2}) + mat_doubles({2, 2}, "", {3, 1, 1, 5}));
  };
  return mat_file(cells("train_data") + cells("test_data") + mat_doubles({2, 1}, "train_label", {1, 2}) +
                  mat_doubles({2, 1}, "test_label", {3, 3}));
}

}  // namespace

/// Writes a whole file of each format, behind the byte that chooses its reader, to start fuzzing from.
int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print(stderr, "usage: write_corpus FOLDER\n");
    return 2;
  }
  using dsk::fuzz::Reading;
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  const std::array values{2.0, 1.0, 1.0, 2.0, 3.0, 1.0, 1.0, 5.0};
  const dsk::Labels names(std::vector<std::string>{"brick", "wood"});
  const dsk::Labels numbers(std::vector<long long>{1, 2});
  const dsk::SpdBatch matrices(values, 2, 2);
  constexpr std::array extensions{".npy", ".npz", ".mat", ".csv"};
  for (std::size_t i = 0; i < extensions.size(); ++i) {
    for (const bool as_text : {false, true}) {
      const auto whole = folder / fmt::format("whole{}", extensions[i]);
      dsk::save(as_text ? dsk::Dataset(matrices, names, numbers) : dsk::Dataset(matrices, numbers), whole);
      make_seed(whole, static_cast<Reading>(i), folder / fmt::format("seed-{}-{}", i, as_text));
    }
  }
  for (const Reading reading : {Reading::mat, Reading::mat_test})
    write_text(mat_of_cells(), reading, folder / fmt::format("seed-cells-{}", reading == Reading::mat));
  const std::string complex =
      dsk::test::npy("<c16", "(1, 2, 2)", dsk::test::bytes_of(std::vector<double>{2, 0, 0, 1, 0, -1, 3, 0}));
  write_text(complex, Reading::npy, folder / "seed-complex");
  for (const bool as_text : {false, true}) {
    const dsk::Labels& labels = as_text ? names : numbers;
    dsk::save(labels, folder / "whole.npy");
    make_seed(folder / "whole.npy", Reading::npy_labels, folder / fmt::format("seed-labels-npy-{}", as_text));
    dsk::save(labels, folder / "whole.csv");
    make_seed(folder / "whole.csv", Reading::csv_labels, folder / fmt::format("seed-labels-csv-{}", as_text));
  }
  dsk::save(dsk::Matrix(matrices[0]), folder / "whole.npy");
  make_seed(folder / "whole.npy", Reading::npy_matrix, folder / "seed-matrix-npy");
  dsk::save(dsk::Matrix(matrices[0]), folder / "whole.csv");
  make_seed(folder / "whole.csv", Reading::csv_matrix, folder / "seed-matrix-csv");
  dsk::save(dsk::Dataset(matrices, names), folder / "whole.npz");
  make_seed(folder / "whole.npz", Reading::npz_signals, folder / "seed-signals-npz");
  write_text(dsk::test::two_matrices_npy(), Reading::npy_signals, folder / "seed-signals-npy");
  write_pictures(folder);
  dsk::save(dsk::SavedKernel{dsk::LearnedKernel::plain(2, 1.5)}, folder / "whole.dsk");
  make_seed(folder / "whole.dsk", Reading::kernel, folder / "seed-6");
  dsk::save(dsk::LearnedKernel(dsk::EigenvalueAdjustment::none(2, dsk::Adjustment::affine), 1.5), folder / "whole.dsk");
  make_seed(folder / "whole.dsk", Reading::kernel, folder / "seed-6-affine");

  const dsk::Dataset train(matrices, names);
  const dsk::Transform before =
      dsk::Transform(dsk::EigenvalueAdjustment::none(2)).then(dsk::Transform(dsk::Projection{dsk::Matrix::Ones(2, 1)}));
  const dsk::LearnedKernel projected(dsk::Transform(dsk::Projection{dsk::Matrix::Ones(2, 1)}),
                                     dsk::EigenvalueAdjustment::none(1), 1.5);
  const dsk::Dataset small(before.apply(matrices), names);
  const dsk::CombinedKernel combined(
      {{{}, {{1.5, 0.5, 0.5, "SK"}}}, {{.metric = dsk::Metric::powereuclidean, .zeta = 0.3}, {{0.7, 0.5, 0.3, ""}}}});
  const dsk::NystromMap map = dsk::fit_nystrom(dsk::Comparison{}, train, {.landmarks = 2, .theta = 1.5}).map;
  const std::vector<dsk::Model> models{dsk::train_knn(projected, train),
                                       dsk::NystromKnn(map, train),
                                       dsk::train_nystrom_svm(map, train).classifier,
                                       dsk::train_svm(combined, train, {.allow_indefinite = true}),
                                       dsk::train_svm(dsk::Comparison{}, train, {.probabilities = true}),
                                       dsk::train_mdm(train),
                                       dsk::train_mean(projected, train),
                                       dsk::train_logistic(train),
                                       dsk::train_tangent_svm(train),
                                       dsk::Pipeline({{before, dsk::train_mean(dsk::Comparison{}, small)},
                                                      {dsk::Transform(), dsk::train_mdm(train)},
                                                      {dsk::Transform(), dsk::train_logistic(train)}},
                                                     dsk::Recentring::groups)};
  for (std::size_t k = 0; k < models.size(); ++k) {
    dsk::save(models[k], folder / "whole.dsk");
    make_seed(folder / "whole.dsk", Reading::model, folder / fmt::format("seed-7-{}", k));
  }

  dsk::save(before, folder / "whole.dsk");
  make_seed(folder / "whole.dsk", Reading::transform, folder / "seed-transform");
  dsk::EvaluationOptions options;
  options.methods = dsk::Method::parse_list("SK:knn,MDM,auto");
  options.protocol = dsk::Protocol::parse("halves:2");
  dsk::save(dsk::evaluate(dsk::fuzz::evaluated_data(), options), folder / "whole.json");
  make_seed(folder / "whole.json", Reading::evaluation, folder / "seed-evaluation");
  write_text("train\ntest\ntrain\ntest\n", Reading::given_protocol, folder / "seed-protocol-names");
  write_text("0\n1\n-1\n0\n", Reading::given_protocol, folder / "seed-protocol-numbers");
  write_text("1,2\n3,4\n5,7\n", Reading::csv_signals, folder / "seed-signals");
  const std::array texts{"auto,SK:knn,DSK-CA-a:svm,DSK-KA-p-printed:knn,TS:lr,MDM-stein,DLEK-RM-s:mean",
                         "halves:20",
                         "kfold:5",
                         "shrink:0.01",
                         "nystrom:error=0.01",
                         "ladder",
                         "8x8",
                         "8-12,12-30.5",
                         "intensity,x,abs-dx,gabor:5x8"};
  for (std::size_t k = 0; k < texts.size(); ++k)
    write_text(texts[k], Reading::names, folder / fmt::format("seed-names-{}", k));
}

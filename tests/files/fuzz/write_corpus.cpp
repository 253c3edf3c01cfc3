#include <dsk/dsk.hpp>
#include <dsk/files.hpp>

#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

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
  dsk::save(dsk::SavedKernel{dsk::LearnedKernel::plain(2, 1.5)}, folder / "whole.dsk");
  make_seed(folder / "whole.dsk", Reading::kernel, folder / "seed-6");

  const dsk::Dataset train(matrices, names);
  const dsk::Transform before =
      dsk::Transform(dsk::EigenvalueAdjustment::none(2)).then(dsk::Transform(dsk::Projection{dsk::Matrix::Ones(2, 1)}));
  const dsk::LearnedKernel projected(dsk::Transform(dsk::Projection{dsk::Matrix::Ones(2, 1)}),
                                     dsk::EigenvalueAdjustment::none(1), 1.5);
  const dsk::Dataset small(before.apply(matrices), names);
  const std::vector<dsk::Model> models{dsk::train_knn(projected, train),
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
                         "ladder"};
  for (std::size_t k = 0; k < texts.size(); ++k)
    write_text(texts[k], Reading::names, folder / fmt::format("seed-names-{}", k));
}

// Files of every version of the format after the first: an SVM with sparse coefficients, a log-Euclidean kernel that
// was learned, a combined kernel, and a pipeline of classifiers that vote. The text beside each file has the class of
// every matrix of format_matrices.csv and its scores, as dsk predict --scores wrote them.

#include <dsk/files.hpp>
#include <dsk/model.hpp>

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "files/kernel_file.hpp"

namespace dsk::test {
namespace {

std::vector<std::vector<std::string>> table_in(const std::filesystem::path& file) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    for (rows.emplace_back(); std::getline(fields, line, ',');) rows.back().push_back(line);
  }
  return rows;
}

TEST(Formats, FilesOfEachVersionPredictWhatTheTextBesideThemSays) {
  const std::filesystem::path folder = DSK_TEST_FILES;
  const Dataset data = load(folder / "format_matrices.csv");
  for (const int version : {2, 3, 4, 5}) {
    const std::filesystem::path file = folder / fmt::format("format{}.dsk", version);
    EXPECT_LE(std::filesystem::file_size(file), 20000u) << version;
    EXPECT_EQ(nlohmann::json::parse(members_of(file)["meta.json"])["version"], version);
    const Prediction found = predict(load_model(file).model, data.matrices());
    const auto recorded = table_in(folder / fmt::format("format{}.csv", version));
    ASSERT_EQ(std::ssize(recorded), data.size() + 1) << version;
    const std::vector<std::string>& names = found.labels.names();
    EXPECT_EQ(std::vector(recorded[0].begin() + 1, recorded[0].end()), names) << version;
    for (Index i = 0; i < data.size(); ++i) {
      const std::vector<std::string>& row = recorded[static_cast<std::size_t>(i + 1)];
      ASSERT_EQ(row.size(), names.size() + 1) << version;
      EXPECT_EQ(names[static_cast<std::size_t>(found.labels[i])], row[0]) << version << ", matrix " << i;
      for (Index c = 0; c < found.scores.cols(); ++c)
        EXPECT_NEAR(found.scores(i, c), std::stod(row[static_cast<std::size_t>(c + 1)]), 1e-10)
            << version << ", matrix " << i << ", class " << c;
    }
  }
}

}  // namespace
}  // namespace dsk::test

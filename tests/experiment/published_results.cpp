#include <dsk/experiment.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "files/scratch.hpp"

/// docs/results.md is what the results files in docs/results/ say.
namespace dsk::test {
namespace {

using PublishedResults = Scratch;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST_F(PublishedResults, AreOnThePageAsTheyAreInTheFiles) {
  const std::filesystem::path docs = DSK_DOCS, page = folder() / "results.md";
  std::filesystem::copy(docs / "results.md", page);
  const RenderedResults made = render_experiments(docs / "results", page);
  EXPECT_EQ(made.experiments + made.kept, static_cast<Index>(experiments().size())) << "every experiment has a section";
  EXPECT_EQ(text_of(page), text_of(docs / "results.md"))
      << "run: dsk experiment render docs/results --text docs/results.md";
  Index figures = 0;
  for (const auto& figure : std::filesystem::directory_iterator(folder() / "figures")) {
    EXPECT_EQ(text_of(figure.path()), text_of(docs / "figures" / figure.path().filename())) << figure.path().filename();
    ++figures;
  }
  EXPECT_EQ(figures, made.figures);
}

TEST_F(PublishedResults, TakeLittleRoom) {
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(DSK_DOCS) / "results"))
    bytes += file.file_size();
  EXPECT_LT(bytes, 600'000u);
}

}  // namespace
}  // namespace dsk::test

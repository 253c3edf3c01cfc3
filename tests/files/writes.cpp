#include <limits>

#include "files/full_disk.hpp"
#include "files/kernel_file.hpp"

namespace dsk::test {
namespace {

std::string save_complaint(const SavedKernel& kernel, const std::filesystem::path& file) {
  try {
    save(kernel, file);
  } catch (const InvalidInput& error) {
    std::string text = error.what();
    EXPECT_TRUE(text.starts_with(file.string() + ": ")) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
  ADD_FAILURE() << file << " was written";
  return "";
}

TEST_F(KernelFile, OnlyTheExtensionDskIsAccepted) {
  EXPECT_SAYS(save_complaint(example_kernel(), *this / "k.npz"), "has extension '.npz', not .dsk");
  EXPECT_SAYS(save_complaint(example_kernel(), *this / "k"), "has no extension; it must be .dsk");
  EXPECT_EQ(file_count(), 0u);
  EXPECT_NO_THROW(check_model_name("folder/k.dsk"));
  EXPECT_THROW(check_model_name("k.dsk.npy"), InvalidInput);
  save(example_kernel(), *this / "K.DSK");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(KernelFile, AFullDiskKeepsTheOldFile) {
  for (const bool replaces : {false, true}) {
    if (replaces) put("k.dsk", "precious");
    {
      const FullDisk full(500);
      EXPECT_SAYS(save_complaint(example_kernel(), *this / "k.dsk"), "cannot be written: ");
    }
    EXPECT_EQ(file_count(), replaces ? 1u : 0u);
    EXPECT_EQ(get("k.dsk"), replaces ? "precious" : "");
  }
}

TEST_F(KernelFile, AMissingFolderIsReported) {
  EXPECT_SAYS(save_complaint(example_kernel(), *this / "none" / "k.dsk"), "No such file or directory");
}

TEST_F(KernelFile, AnInvalidOriginIsRejected) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [&](const std::function<void(SavedKernel::Origin&)>& change) {
    SavedKernel kernel = example_kernel();
    change(kernel.origin);
    return save_complaint(kernel, *this / "k.dsk");
  };
  EXPECT_SAYS(with([&](SavedKernel::Origin& origin) { origin.penalty = nan; }), "penalty");
  EXPECT_SAYS(with([&](SavedKernel::Origin& origin) { origin.c = nan; }), "c ");
  EXPECT_SAYS(with([&](SavedKernel::Origin& origin) { origin.value = nan; }), "value");
  EXPECT_SAYS(with([&](SavedKernel::Origin& origin) { origin.history[2] = nan; }), "history 2");
  EXPECT_SAYS(with([&](SavedKernel::Origin& origin) { origin.samples = -1; }), "samples");
  EXPECT_SAYS(with([&](SavedKernel::Origin& origin) { origin.iterations = -1; }), "iterations");
  EXPECT_SAYS(with([&](SavedKernel::Origin& origin) { origin.classes.emplace_back("\xff"); }), "not UTF-8");
  EXPECT_SAYS(with([&](SavedKernel::Origin& origin) { origin.classes[0].assign(70000000, 'x'); }), "more than");
  EXPECT_EQ(file_count(), 0u);
}

}  // namespace
}  // namespace dsk::test

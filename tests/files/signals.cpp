#include <dsk/files.hpp>

#include "files/made_files.hpp"
#include "files/scratch.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

class SignalFiles : public Scratch {
 protected:
  std::string refusal(const std::filesystem::path& path, const SignalOptions& options = {}) const {
    const std::string said = message_of([&] { load_signals(path, options); });
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    return said;
  }
};

std::vector<double> counted(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<double>(k);
  return values;
}

std::string array(const std::string& shape, std::size_t count) {
  return npy("<f8", shape, bytes_of(counted(count)));
}

TEST_F(SignalFiles, ThreeDimensionsAreTrialsChannelsSamples) {
  const Signals signals = load_signals(put("a.npy", array("(2, 3, 4)", 24)));
  const auto trials = signals.trials();
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[1].rows(), 3);
  EXPECT_EQ(trials[1](2, 1), 21);
  const Signals turned = load_signals(*this / "a.npy", {.layout = SignalOptions::Layout::samples_first});
  EXPECT_EQ(turned.channels, 4);
  EXPECT_EQ(turned.trials()[1](1, 2), 21);
}

TEST_F(SignalFiles, TwoDimensionsAreSamplesOfChannels) {
  const Signals signals = load_signals(put("a.npy", array("(4, 3)", 12)));
  EXPECT_EQ(signals.channels, 3);
  EXPECT_EQ(signals.trials()[0](2, 1), 5);
  EXPECT_EQ(load_signals(*this / "a.npy", {.layout = SignalOptions::Layout::channels_first}).trials()[0](2, 1), 7);
  const Signals table = load_signals(put("b.csv", "left,right\n1,2\n3,4\n5,6.5\n"));
  EXPECT_EQ(table.channels, 2);
  EXPECT_EQ(table.trials()[0](1, 2), 6.5);
}

TEST_F(SignalFiles, ArchivesContainOneArrayOrOnePerTrial) {
  make_zip(*this / "array.npz", {{"X.npy", npy("<f4", "(2, 2, 3)", bytes_of(std::vector<float>(12, 1.5f)))},
                                 {"y.npy", npy("<i8", "(2,)", bytes_of(std::vector<std::int64_t>{7, 9}))},
                                 {"groups.npy", npy("<i8", "(2,)", bytes_of(std::vector<std::int64_t>{1, 1}))}});
  const Signals array_file = load_signals(*this / "array.npz");
  EXPECT_EQ(array_file.trials()[1](1, 2), 1.5);
  EXPECT_EQ(array_file.labels->names()[1], "9");
  EXPECT_EQ(array_file.groups->names().size(), 1u);
  make_zip(*this / "list.npz", {{"arr_0.npy", array("(4, 2)", 8)}, {"arr_1.npy", array("(3, 2)", 6)}});
  const Signals list = load_signals(*this / "list.npz");
  EXPECT_EQ(list.lengths, (std::vector<Index>{4, 3}));
  EXPECT_EQ(list.trials()[1](1, 2), 5);
  put("y.csv", "patient\ncontrol\n");
  EXPECT_EQ(load_signals(*this / "list.npz", {.labels = *this / "y.csv"}).labels->names()[0], "control");
}

TEST_F(SignalFiles, FoldersContainATrialPerFile) {
  std::filesystem::create_directories(*this / "patient");
  std::filesystem::create_directories(*this / "control");
  put("patient/b.csv", "1,2\n3,4\n");
  put("patient/a.npy", array("(3, 2)", 6));
  put("control/c.csv", "5,6\n7,8\n");
  put("readme.txt", "not a recording");
  const Signals signals = load_signals(folder());
  EXPECT_EQ(signals.lengths, (std::vector<Index>{2, 3, 2}));
  EXPECT_EQ(signals.labels->names(), (std::vector<std::string>{"control", "patient"}));
  EXPECT_EQ(signals.labels->codes(), (std::vector<int>{0, 1, 1}));
  EXPECT_FALSE(load_signals(*this / "patient").labels);
  put("d.csv", "1,2\n");
  EXPECT_SAYS(refusal(folder()), "both recordings and folders of recordings");
}

TEST_F(SignalFiles, InvalidFilesAreRejected) {
  EXPECT_SAYS(refusal(put("one.npy", array("(4,)", 4))), "shape (4,)");
  EXPECT_SAYS(refusal(put("huge.npy", npy("<f8", "(1000000, 1000000, 1000000)", "abc"))), "truncated");
  EXPECT_SAYS(refusal(put("cut.npy", array("(2, 3, 4)", 20))), "truncated");
  EXPECT_SAYS(refusal(put("empty.npy", array("(0, 3, 4)", 0))), "is empty");
  EXPECT_SAYS(refusal(put("text.npy", npy("<U1", "(1, 1)", std::string("a\0\0\0", 4)))), "contains text");
  EXPECT_SAYS(refusal(put("ragged.csv", "1,2\n3\n")), "line 2 has 1 fields");
  EXPECT_SAYS(refusal(put("word.csv", "1,2\n3,four\n")), "line 2 has 'four'");
  EXPECT_SAYS(refusal(put("empty.csv", "")), "is empty");
  EXPECT_SAYS(refusal(put("a.txt", "1 2")), "extension");
  EXPECT_SAYS(refusal(put("a.mat", "")), "can only be read from");
  EXPECT_SAYS(refusal(*this / "missing.npy"), "cannot be opened: No such file");
  make_zip(*this / "mixed.npz", {{"a.npy", array("(4, 2)", 8)}, {"b.npy", array("(4, 3)", 12)}});
  EXPECT_SAYS(refusal(*this / "mixed.npz"), "b has 3 channels, but the trials before it have 2");
  make_zip(*this / "none.npz", {{"y.npy", array("(4,)", 4)}});
  EXPECT_SAYS(refusal(*this / "none.npz"), "no recordings");
  make_zip(*this / "labels.npz", {{"X.npy", array("(2, 2, 2)", 8)}, {"y.npy", array("(3,)", 3)}});
  EXPECT_SAYS(refusal(*this / "labels.npz"), "3 labels for 2 trials");
  std::filesystem::create_directories(*this / "hollow");
  EXPECT_SAYS(refusal(*this / "hollow"), "no recordings");
}

TEST_F(SignalFiles, DataSetsStoreTheirDescription) {
  const std::vector<double> values{2, 1, 1, 2};
  save(Dataset(SpdBatch(values, 1, 2)), *this / "x.npz", "{\"range\":\"0–1\"}");
  EXPECT_EQ(load(*this / "x.npz").size(), 1);
  EXPECT_SAYS(get("x.npz"), "description.npy");
  EXPECT_SAYS(get("x.npz"), std::string("r\0\0\0a\0\0\0n\0\0\0g\0\0\0e", 17));
  EXPECT_SAYS(message_of([&] { save(Dataset(SpdBatch(values, 1, 2)), *this / "y.npz", "\xff"); }), "UTF-8");
}

}  // namespace
}  // namespace dsk::test

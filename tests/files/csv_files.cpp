#include "files/made_files.hpp"
#include "files/scratch.hpp"

namespace dsk::test {
namespace {

using CsvFile = Scratch;
using Names = std::vector<std::string>;

TEST_F(CsvFile, LabelsHeaderCommentsAndLineEnds) {
  const auto path = put("a.csv",
                        "\xef\xbb\xbf# two matrices\r\nlabel,a,b,c,d\r\n\r\n 2 , 2,1 ,1,2\r\n# in between\r\n"
                        "1,3.0,1,1,+5e0");
  const Dataset data = load(path);
  EXPECT_TRUE(std::ranges::equal(data.matrices().values(), two_matrices));
  EXPECT_EQ(data.labels().names(), (Names{"1", "2"}));
  EXPECT_TRUE(data.labels().integral());
}

TEST_F(CsvFile, TextLabels) {
  const Dataset data = load(put("a.csv", "1,2\n\"a, \"\"b\"\"\",3\nplain,4\n"));
  EXPECT_EQ(data.labels().names(), (Names{"1", "a, \"b\"", "plain"}));
  EXPECT_FALSE(data.labels().integral());
}

TEST_F(CsvFile, WholeFloatsAreIntegerLabels) {
  EXPECT_TRUE(load(put("a.csv", "1.0,2\n2.0,3\n")).labels().integral());
  EXPECT_FALSE(load(put("a.csv", "1.5,2\n2.0,3\n")).labels().integral());
}

TEST_F(CsvFile, WithoutLabels) {
  const Dataset data = load(put("a.csv", "2,1,1,2\n3,1,1,5\n"));
  EXPECT_FALSE(data.has_labels());
  EXPECT_EQ(data.size(), 2);
}

TEST_F(CsvFile, LabelsFile) {
  const auto path = put("a.csv", "2,1,1,2\n3,1,1,5\n");
  const LoadOptions with{.labels = *this / "y.csv", .repair = {}, .part = {}};
  put("y.csv", "10\n9\n");
  EXPECT_EQ(load(path, with).labels().names(), (Names{"9", "10"}));
  put("y.csv", "class\n10\n9\n");
  EXPECT_EQ(load(path, with).labels().names(), (Names{"9", "10"}));
  put("y.csv", "wood\nbrick\n");
  EXPECT_EQ(load(path, with).labels().names(), (Names{"brick", "wood"}));
  put("y.csv", "1\n");
  EXPECT_SAYS(complaint(path, with), "1 labels for 2 matrices");
  put("y.csv", "1,2\n3,4\n");
  EXPECT_SAYS(complaint(path, with), "line 1 is not a single label");
  put("y.csv", "");
  EXPECT_SAYS(complaint(path, with), "empty");
}

TEST_F(CsvFile, InvalidFilesAreRejected) {
  EXPECT_SAYS(complaint(put("a.csv", "")), "no matrices");
  EXPECT_SAYS(complaint(put("a.csv", "# nothing\n")), "no matrices");
  EXPECT_SAYS(complaint(put("a.csv", "label,x\n")), "no matrices");
  EXPECT_SAYS(complaint(put("a.csv", "1,2,3\n")), "line 1 has 3 fields");
  EXPECT_SAYS(complaint(put("a.csv", "2,1,1,2\n1,2\n")), "line 2 has 2 fields, but the first line has 4");
  EXPECT_SAYS(complaint(put("a.csv", "2,1,1,2\n3,1,l,5\n")), "line 2 has 'l' in field 3, not a number");
  EXPECT_SAYS(complaint(put("a.csv", "2,1,one,2\n3,1,1,5\n")), "line 1 has 'one'");
  EXPECT_SAYS(complaint(put("a.csv", "2,1,1,2\n3,1,1,1e999\n")), "'1e999'");
  EXPECT_SAYS(complaint(put("a.csv", "\"open,2\n")), "quotation mark");
  EXPECT_SAYS(complaint(put("a.csv", "\"a\"b,2\n")), "quotation mark");
  EXPECT_SAYS(complaint(put("a.csv", std::string("\0\x01\x02\0,\n\xff", 7))), "line");
  EXPECT_SAYS(complaint(put("a.csv", "nan,1,1,2\n")), "matrix 0 contains NaN or Inf");
}

TEST_F(CsvFile, ALabelWithALineBreakCannotBeWritten) {
  const Dataset data(SpdBatch(std::vector<double>{1}, 1, 1), Labels(Names{"a\nb"}));
  EXPECT_THROW(save(data, *this / "a.csv"), InvalidInput);
  EXPECT_EQ(file_count(), 0u);
}

TEST_F(CsvFile, AMissingNumberInTheFirstRowIsNotAHeader) {
  for (const char* const row : {"a,NA,NA,NA,NA", "a,-,-,-,-", "a,,,,", "a,nan(?),1,0,1"})
    EXPECT_SAYS(complaint(put("x.csv", std::string(row) + "\nb,1,0,0,1\n")), "line 1");
  EXPECT_EQ(load(put("quoted.csv", "a,\"1\",\"0\",\"0\",\"1\"\nb,1,0,0,1\n")).size(), 2);
  EXPECT_EQ(load(put("names.csv", "label,xx,xy,yx,yy\nb,1,0,0,1\n")).size(), 1);
}

TEST_F(CsvFile, MessagesNameTheLayout) {
  const std::string layout = "each line must have one matrix, d*d numbers separated by commas";
  EXPECT_SAYS(complaint(put("a.csv", "1,2,3\n")), "line 1 has 3 fields; " + layout);
  EXPECT_SAYS(complaint(put("a.csv", "2;1;1;2\n")), layout);
  EXPECT_SAYS(complaint(put("a.csv", "1,2,1,1,2\n1,2,1\n")),
              "line 2 has 3 fields, but the first line has 5; " + layout);
  EXPECT_SAYS(complaint(put("a.csv", "\n")), layout);
}

}  // namespace
}  // namespace dsk::test

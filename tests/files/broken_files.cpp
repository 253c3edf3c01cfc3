#include <limits>

#include "files/kernel_file.hpp"

namespace dsk::test {
namespace {

TEST_F(KernelFile, EveryFlippedBitIsDetectedOrHarmless) {
  const std::string good = good_file();
  std::vector<bool> is_content(good.size(), false);
  for (const auto& [name, bytes] : members_of(*this / "good.dsk")) {
    const std::size_t start = good.find(bytes);
    ASSERT_NE(start, std::string::npos) << name;
    std::fill_n(is_content.begin() + static_cast<std::ptrdiff_t>(start), bytes.size(), true);
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string broken = good;
      broken[i] = static_cast<char>(static_cast<unsigned char>(broken[i]) ^ (1u << bit));
      try {
        EXPECT_TRUE(same_bits(load_kernel(put("broken.dsk", broken)), example_kernel())) << "byte " << i;
        EXPECT_FALSE(is_content[i]) << "byte " << i << ", bit " << bit;
      } catch (const InvalidInput& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
    }
  }
}

TEST_F(KernelFile, TruncationIsDetectedAtEveryByte) {
  const std::string good = good_file();
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(complaint(put("broken.dsk", good.substr(0, length))), "");
}

TEST_F(KernelFile, FilesThatAreNotArchivesAreRejected) {
  EXPECT_SAYS(complaint(*this / "none.dsk"), "cannot be opened: No such file");
  EXPECT_SAYS(complaint(folder()), "is a directory");
  EXPECT_SAYS(complaint(put("a.dsk", "garbage")), "not a complete zip archive");
  EXPECT_SAYS(complaint(put("a.dsk", "")), "not a complete zip archive");
  make_zip(*this / "data.npz", {{"X.npy", two_matrices_npy()}});
  EXPECT_SAYS(complaint(*this / "data.npz"), "is not a .dsk file: it contains no meta.json");
}

TEST_F(KernelFile, AnotherFormatVersionOrKindIsRejected) {
  EXPECT_SAYS(complaint_of_field("/format", "zarr"), "is not a .dsk file");
  EXPECT_EQ(complaint_of_field("/version", 7),
            ": was written by a newer dsk: its format version is 7, this dsk reads up to 5");
  EXPECT_SAYS(complaint_of_field("/version", 0), "version 0");
  EXPECT_SAYS(complaint_of_field("/version", -1), "version is not a non-negative integer");
  EXPECT_SAYS(complaint_of_field("/version", 1.5), "version is not a non-negative integer");
  EXPECT_SAYS(complaint_of_field("/kind", "knn"), "contains a model of kind 'knn', not a kernel");
  EXPECT_SAYS(complaint_of_field("/kind", "a\nb"), "kind 'a?b'");
  const auto newer = edited([](Members& members, nlohmann::json& meta) {
    members.clear();
    meta = {{"format", "dsk"}, {"version", 6}};
  });
  EXPECT_SAYS(complaint(newer), "newer dsk: its format version is 6");
}

TEST_F(KernelFile, InvalidMetadataIsRejected) {
  for (const std::string text : {"", "{", "\"text\"\xff", "{\"format\": 1e999}"})
    EXPECT_SAYS(complaint(edited([&](Members& members, auto&) { members["meta.json"] = text; })), "is not JSON");
  for (const std::string text : {"[]", "null", "3"})
    EXPECT_SAYS(complaint(edited([&](Members& members, auto&) { members["meta.json"] = text; })), "not a JSON object");
  const std::string deep(100000, '[');
  EXPECT_SAYS(complaint(edited([&](Members& members, auto&) { members["meta.json"] = deep; })), "is nested too deeply");
}

TEST_F(KernelFile, EachMissingMemberIsNamed) {
  for (const std::string name : {"alpha.npy", "beta.npy", "centre.npy", "history.npy"})
    EXPECT_SAYS(complaint(edited([&](Members& members, auto&) { members.erase(name); })), "no member '" + name + "'");
}

TEST_F(KernelFile, EachMissingFieldIsNamed) {
  good_file();
  const auto whole = nlohmann::json::parse(members_of(*this / "good.dsk")["meta.json"]);
  const auto check = [&](const char* const path) {
    const nlohmann::json::json_pointer object(path);
    for (const auto& [name, value] : whole[object].items()) {
      const auto file = edited([&, key = name](Members&, nlohmann::json& meta) { meta[object].erase(key); });
      EXPECT_SAYS(complaint(file), name + " is missing");
    }
  };
  check("");
  check("/origin");
  check("/crc32");
}

TEST_F(KernelFile, FieldsOfAnotherTypeAreRejected) {
  for (const char* const number : {"/theta", "/scale", "/origin/c", "/origin/penalty", "/origin/value"}) {
    for (const nlohmann::json& value : {nlohmann::json("1.7"), nlohmann::json(), nlohmann::json(true)})
      EXPECT_SAYS(complaint_of_field(number, value), "is not a number");
  }
  for (const char* const count : {"/dim", "/origin/iterations", "/origin/samples"}) {
    for (const nlohmann::json& value : {nlohmann::json(-3), nlohmann::json(3.0), nlohmann::json(~0ull)})
      EXPECT_SAYS(complaint_of_field(count, value), "is not a non-negative integer");
  }
  for (const char* const text : {"/kind", "/adjustment", "/origin/criterion", "/origin/stop"})
    EXPECT_SAYS(complaint_of_field(text, 3), "is not a string");
  EXPECT_SAYS(complaint_of_field("/origin", 3), "origin: is not a JSON object");
  EXPECT_SAYS(complaint_of_field("/origin/classes", "brick"), "classes is not a list of strings");
  EXPECT_SAYS(complaint_of_field("/origin/classes/1", 2), "classes is not a list of strings");
}

TEST_F(KernelFile, InvalidValuesAreRejected) {
  EXPECT_SAYS(complaint_of_field("/theta", 0), "theta 0 must be");
  EXPECT_SAYS(complaint_of_field("/theta", "infinite"), "theta inf must be");
  EXPECT_SAYS(complaint_of_field("/scale", -1), "scale -1 must be");
  EXPECT_SAYS(complaint_of_field("/adjustment", "magic\n"), "unknown adjustment 'magic?'");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::string name : {"alpha", "beta", "centre", "history"}) {
    const auto file = edited([&](Members& members, auto&) {
      members[name + ".npy"] = npy("<f8", "(3,)", bytes_of(std::vector<double>{1, nan, 1}));
    });
    EXPECT_SAYS(complaint(file), name + " 1 is");
  }
}

TEST_F(KernelFile, ArraysOfAnotherTypeOrShapeAreRejected) {
  const auto with_alpha = [&](const std::string& bytes) {
    return complaint(edited([&](Members& members, auto&) { members["alpha.npy"] = bytes; }));
  };
  const std::string data = bytes_of(std::vector<double>{1, 2, 3});
  EXPECT_SAYS(with_alpha(npy("<f4", "(6,)", data)), "alpha.npy: has type '<f4', not float64");
  EXPECT_SAYS(with_alpha(npy("<i8", "(3,)", data)), "alpha.npy: has type '<i8', not float64");
  EXPECT_SAYS(with_alpha(npy("|O", "(3,)", data)), "pickles");
  EXPECT_SAYS(with_alpha(npy("<f8", "(3, 1)", data)), "alpha.npy: has shape (3, 1), not (3,)");
  EXPECT_SAYS(with_alpha(npy("<f8", "(2,)", data.substr(8))), "alpha.npy: has shape (2,), not (3,)");
  EXPECT_SAYS(with_alpha(npy("<f8", "(3,)", data.substr(8))), "truncated");
  EXPECT_SAYS(with_alpha("3.0"), "is not a .npy array");
  const auto square = edited([&](Members& members, auto&) { members["history.npy"] = npy("<f8", "(1, 3)", data); });
  EXPECT_SAYS(complaint(square), "history.npy: has shape (1, 3), not (n,)");
}

TEST_F(KernelFile, ImpossibleSizesAreRejected) {
  EXPECT_SAYS(complaint_of_field("/dim", 1000000000000000000), "not (1000000000000000000,)");
  const auto no_matrices = edited([](Members& members, nlohmann::json& meta) {
    meta["dim"] = 0;
    for (const char* const name : {"alpha.npy", "beta.npy", "centre.npy"}) members[name] = npy("<f8", "(0,)", "");
  });
  EXPECT_SAYS(complaint(no_matrices), "no entries");
  for (const std::string shape : {"(1000000000000000000,)", "(99999999999999999999999,)", "(-3,)"})
    EXPECT_SAYS(complaint(edited([&](Members& members, auto&) { members["history.npy"] = npy("<f8", shape, ""); })),
                "history.npy");
  std::string spaces;
  spaces.resize(70000000, ' ');
  make_zip(*this / "bomb.dsk", {{"meta.json", spaces}}, true);
  EXPECT_SAYS(complaint(*this / "bomb.dsk"), "has 70000000 bytes, more than");
}

TEST_F(KernelFile, AnArrayOfAnotherKernelIsDetected) {
  good_file();
  Members members = members_of(*this / "good.dsk");
  members["alpha.npy"] = members["centre.npy"];
  make_zip(*this / "mixed.dsk", {members.begin(), members.end()});
  EXPECT_SAYS(complaint(*this / "mixed.dsk"), "alpha.npy: is corrupted: its checksum is");
}

}  // namespace
}  // namespace dsk::test

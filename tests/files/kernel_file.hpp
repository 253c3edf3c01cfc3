#pragma once

#include <dsk/files.hpp>

#include <nlohmann/json.hpp>

#include <bit>
#include <functional>
#include <map>

#include "files/dsk_archive.hpp"
#include "files/made_files.hpp"
#include "files/scratch.hpp"
#include "files/zip.hpp"

namespace dsk::test {

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_bits(const auto& a, const auto& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same_bits(x, y); });
}

inline bool same_bits(const SavedKernel& a, const SavedKernel& b) {
  const EigenvalueAdjustment &x = a.kernel.adjustment(), &y = b.kernel.adjustment();
  return x.kind == y.kind && same_bits(x.alpha, y.alpha) && same_bits(x.beta, y.beta) &&
         same_bits(x.centre, y.centre) && same_bits(x.scale, y.scale) &&
         same_bits(a.kernel.theta(), b.kernel.theta()) && a.origin == b.origin &&
         same_bits(a.origin.history, b.origin.history) && same_bits(a.origin.c, b.origin.c) &&
         same_bits(a.origin.value, b.origin.value) && same_bits(a.origin.penalty, b.origin.penalty);
}

/// A kernel for 3 x 3 matrices whose numbers need all their digits.
inline SavedKernel example_kernel(Adjustment kind = Adjustment::affine) {
  EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(3, kind);
  adjustment.alpha << 0.1, 1.0 / 3, 1e300;
  adjustment.scale = 0.1 + 0.2;
  if (kind == Adjustment::affine) {
    adjustment.beta << -0.0, 5e-324, -0.7;
    adjustment.centre << 1e-5, 2.0 / 3, -123456.789;
  }
  return {LearnedKernel(adjustment, 1.7),
          {.criterion = "alignment",
           .value = 0.8123456789012345,
           .c = 1e-7,
           .penalty = 0.3,
           .iterations = 2,
           .stop = "converged",
           .history = {0.1, 0.7, 0.8123456789012345},
           .samples = 40,
           .classes = {"brick", "W\u00e4lder", "a \"b\"\n"}}};
}

/// The members of an archive by their names.
using Members = std::map<std::string, std::string>;

inline Members members_of(const std::filesystem::path& file) {
  const files::ZipReader zip(file);
  Members members;
  for (const std::string& name : zip.names()) {
    files::ZipMember member = zip.open(name);
    members[name] = files::read_text(member);
  }
  return members;
}

/// Changes arrays and meta.json.
using Edit = std::function<void(Members&, nlohmann::json&)>;

/// Valid and invalid .dsk files in the scratch folder.
class KernelFile : public Scratch {
 protected:
  /// A valid file with the example kernel.
  std::string good_file() const {
    save(example_kernel(), *this / "good.dsk");
    return get("good.dsk");
  }

  /// The example with changed metadata and arrays, and matching checksums.
  std::filesystem::path edited(const Edit& edit) const {
    good_file();
    return edited_copy(*this / "good.dsk", edit);
  }

  std::filesystem::path edited_copy(const std::filesystem::path& good, const Edit& edit) const {
    Members members = members_of(good);
    nlohmann::json meta = nlohmann::json::parse(members.extract("meta.json").mapped());
    edit(members, meta);
    for (const auto& [name, bytes] : members) {
      files::Checksum checksum;
      checksum.add(std::as_bytes(std::span(bytes)));
      if (meta.contains("crc32") && meta["crc32"].contains(name)) meta["crc32"][name] = checksum.text();
    }
    if (!members.contains("meta.json")) members["meta.json"] = meta.dump();
    make_zip(*this / "edited.dsk", {members.begin(), members.end()});
    return *this / "edited.dsk";
  }

  /// The message of load_kernel for an invalid file. Checks that it is one line that starts with the file name.
  static std::string complaint(const std::filesystem::path& file) { return complaint_of(load_kernel, file); }

  static std::string complaint_of(const auto& load, const std::filesystem::path& file) {
    try {
      load(file);
    } catch (const InvalidInput& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with(file.string() + ": ")) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
      return text.substr(std::min(text.size(), file.string().size()));
    }
    ADD_FAILURE() << file << " was read";
    return "";
  }

  /// The message for the example with one field changed, such as "/origin/c".
  std::string complaint_of_field(const char* field, const nlohmann::json& value) const {
    return complaint(
        edited([&](Members&, nlohmann::json& meta) { meta[nlohmann::json::json_pointer(field)] = value; }));
  }
};

}  // namespace dsk::test

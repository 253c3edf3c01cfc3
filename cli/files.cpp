#include <dsk/engine.hpp>
#include <dsk/files.hpp>

#include <fmt/core.h>

#include "files.hpp"
#include "ranks.hpp"

namespace dsk::cli {
namespace {

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(a, ignored) == std::filesystem::weakly_canonical(b, ignored) ||
         std::filesystem::equivalent(a, b, ignored);
}

void check_folder(const std::filesystem::path& output) {
  std::error_code ignored;
  const auto folder = output.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw InvalidInput(fmt::format("{}: cannot be written: there is no folder {}", output.string(), folder.string()));
  if (std::filesystem::is_directory(output, ignored))
    throw InvalidInput(fmt::format("{}: cannot be written: it is a directory", output.string()));
}

}  // namespace

void check_files(const std::vector<std::filesystem::path>& inputs, const std::vector<std::filesystem::path>& outputs) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (outputs[k].empty()) continue;
    check_folder(outputs[k]);
    for (const auto& input : inputs)
      if (!input.empty() && same_file(input, outputs[k]))
        throw InvalidInput(fmt::format("{}: is an input and would be overwritten", outputs[k].string()));
    for (std::size_t other = 0; other < k; ++other)
      if (!outputs[other].empty() && same_file(outputs[other], outputs[k]))
        throw InvalidInput(fmt::format("{}: two results cannot go to one file", outputs[k].string()));
  }
  on_rank_zero(team(), [&] {
    for (const auto& output : outputs)
      if (!output.empty()) check_writable(output);
  });
}

}  // namespace dsk::cli

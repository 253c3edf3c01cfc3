#include "evaluate/results_file.hpp"

#include <dsk/files.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace dsk::detail {

ResultsFile::ResultsFile(std::filesystem::path file, Json settings, const std::vector<Method>& methods,
                         const Team* team)
    : file_(std::move(file)), settings_(std::move(settings)), team_(team) {
  if (file_.empty()) return;
  const auto lock_and_read = [this] {
    store_.emplace(file_, [this] { return kept_.dump() + "\n"; });
    return read();
  };
  std::vector<SplitResult> known;
  if (team_ == nullptr) {
    known = lock_and_read();
  } else {
    // Read by rank 0 for all: while others still read, it might already write.
    Json sent = Json::array();
    on_rank_zero(team_, [&] { sent = to_json(lock_and_read()); });
    known = split_results_from(Json::parse(team_->gather(sent.dump()).front()));
  }
  for (SplitResult& result : known) {
    const bool asked = std::any_of(methods.begin(), methods.end(),
                                   [&](const Method& method) { return method.full_name() == result.method; });
    (asked ? finished_ : others_).push_back(std::move(result));
  }
  kept_ = {{"settings", settings_}, {"splits", to_json(finished_)}};
  for (const SplitResult& result : others_) kept_["splits"].push_back(to_json(result));
}

std::vector<SplitResult> ResultsFile::read() const {
  const std::optional<Json> found = existing_json(file_, "evaluation");
  if (!found) return {};
  try {
    // Methods may be added or removed: each result stands by itself.
    Json known = found->at("settings"), wanted = settings_;
    known.erase("methods");
    wanted.erase("methods");
    if (known != wanted)
      throw InvalidInput(
          fmt::format("{}: holds results of other data or settings; remove it or choose another name", file_.string()));
    return split_results_from(found->at("splits"));
  } catch (const Json::exception&) {
    throw not_such_a_file(file_, "evaluation");
  }
}

void ResultsFile::add(const SplitResult& result) {
  if (store_) store_->change([&] { kept_["splits"].push_back(to_json(result)); });
}

void ResultsFile::finish(const Evaluation& evaluation) {
  if (file_.empty()) return;
  on_rank_zero(team_, [&] {
    Json json = Json::parse(as_json(evaluation));
    for (const SplitResult& result : others_) json["splits"].push_back(to_json(result));
    store_->change_and_save([&] { kept_ = std::move(json); });
  });
}

}  // namespace dsk::detail

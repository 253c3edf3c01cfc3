#include "evaluate/results_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/messages.hpp"

namespace dsk {
namespace detail {

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
    require_same_rules(file_, known, wanted);
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

void check_finished(const Dataset& data, const std::vector<SplitResult>& finished, const std::vector<Split>& splits) {
  const auto fits = [&](const std::vector<int>& predicted, const Split& split) {
    return predicted.size() == split.test.size() && std::all_of(predicted.begin(), predicted.end(), [&](int code) {
             return code >= 0 && code < static_cast<int>(data.labels().names().size());
           });
  };
  for (const SplitResult& result : finished)
    if (result.split < 0 || result.split >= static_cast<Index>(splits.size()) ||
        !fits(result.predicted, splits[static_cast<std::size_t>(result.split)]) ||
        std::any_of(result.by_neighbours.begin(), result.by_neighbours.end(),
                    [&](const auto& one) { return !fits(one.second, splits[static_cast<std::size_t>(result.split)]); }))
      throw InvalidInput(
          fmt::format("finished results do not fit: method {}, split {}", result.method, result.split + 1));
}

}  // namespace detail

void save(const Evaluation& evaluation, const std::filesystem::path& file) {
  save_text(as_json(evaluation) + "\n", file);
}

Evaluation load_evaluation(const std::filesystem::path& file, const Dataset& given_data) {
  const std::optional<detail::Json> json = detail::existing_json(file, "evaluation");
  if (!json) throw InvalidInput(fmt::format("{}: does not exist", file.string()));
  try {
    const detail::Json& settings = json->at("settings");
    EvaluationOptions options;
    if (settings.at("data") != detail::settings_json(given_data, options).at("data"))
      throw InvalidInput(fmt::format("{}: holds results of other data", file.string()));
    if (settings.contains("given"))
      throw InvalidInput(
          fmt::format("{}: was evaluated on given splits, which results files do not contain", file.string()));
    for (const detail::Json& name : settings.at("methods"))
      options.methods.push_back(Method::parse(name.get<std::string>()));
    options.protocol = Protocol::parse(settings.at("protocol").get<std::string>());
    if (!settings.at("seed").is_number_unsigned())
      throw InvalidInput(fmt::format("{}: the seed is not a whole number", file.string()));
    options.seed = settings.at("seed").get<std::uint64_t>();
    Mean::Stop stop{};
    const Dataset data = detail::evaluated_data(
        given_data, parse_recentring(settings.value("recentre", std::string("none"))), options.threads, &stop);
    const std::vector<SplitResult> results = detail::split_results_from(json->at("splits"));
    Index splits = 0;
    for (const SplitResult& result : results) splits = std::max(splits, result.split + 1);
    options.first_splits = std::max<Index>(1, splits);
    Evaluation evaluation = detail::evaluation_before_results(data, options, stop);
    evaluation.settings = settings.dump();
    detail::in_context([&] { return file.string(); },
                       [&] {
                         detail::check_methods(options);
                         detail::check_finished(data, results, evaluation.splits);
                       });
    for (Index split = 0; split < std::ssize(evaluation.splits); ++split)
      for (const Method& method : options.methods) {
        const auto found = std::find_if(results.begin(), results.end(), [&](const SplitResult& result) {
          return result.split == split && result.method == method.full_name();
        });
        if (found == results.end())
          throw InvalidInput(fmt::format("{}: lacks the result of {} on split {}; evaluate again to complete it",
                                         file.string(), method.full_name(), split + 1));
        evaluation.results.push_back(*found);
      }
    detail::summarise_methods(data, options.methods, evaluation);
    return evaluation;
  } catch (const detail::Json::exception&) {
    throw detail::not_such_a_file(file, "evaluation");
  }
}

}  // namespace dsk

#include "describe.hpp"

#include <fmt/core.h>

#include "usage.hpp"

namespace dsk::cli {
namespace {

bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder) {
  const auto relative = std::filesystem::canonical(file).lexically_relative(std::filesystem::canonical(folder));
  return !relative.empty() && *relative.begin() != "..";
}

void print_left_out(const nlohmann::ordered_json& left_out) {
  if (left_out.empty()) return;
  constexpr std::size_t most = 20;
  fmt::print("\nskipped: {}\n", left_out.size());
  for (std::size_t k = 0; k < std::min(most, left_out.size()); ++k) {
    const auto& one = left_out[k];
    const std::string place = one.contains("file") ? one["file"].get<std::string>() : "trial " + one["trial"].dump();
    fmt::print("  {}{}: {}\n", place, one.contains("region") ? ", region " + one["region"].dump() : "",
               one["problem"].get<std::string>());
  }
  if (left_out.size() > most) fmt::print("  and {} more; --json lists all\n", left_out.size() - most);
}

}  // namespace

void DescribeCommand::add_to(CLI::App& command, const std::string& what_input_is) {
  command.add_option("INPUT", input, what_input_is)->required();
  command
      .add_option("-o,--output", output,
                  "Where to save the matrices and their labels: .npz, .mat or .csv, or .npy for matrices alone")
      ->required();
  command.add_option("--estimator", estimator, "Covariance estimator: " + estimator_choices())->capture_default_str();
  command.add_flag("--skip-bad", skip_bad, "Skip and list inputs that cannot be described, instead of stopping");
  command.add_option("--preview", preview, "Write a picture of the result, .png");
  command.add_option("--threads", threads, threads_help);
  command.add_option("--json", json, json_help);
}

void DescribeCommand::check() const {
  read_flag("--estimator", [&] { return parse_estimator(estimator); });
  check_threads(threads);
  check_output_name(output);
  if (!preview.empty() && preview.extension() != ".png")
    throw InvalidInput(fmt::format("{}: the preview is a .png file", preview.string()));
  check_files({input}, {output, preview, json});
  for (const std::filesystem::path& result : {output, preview, json})
    if (!result.empty() && std::filesystem::is_directory(input) && std::filesystem::exists(result) &&
        lies_in(result, input))
      throw InvalidInput(fmt::format("{}: already exists in the input folder; choose another name", result.string()));
}

void DescribeCommand::report_result(Facts& facts, const Dataset& data, const nlohmann::ordered_json& how,
                                    const nlohmann::ordered_json& left_out,
                                    std::chrono::steady_clock::time_point start) const {
  const auto number_of_names = [](const Labels& labels) { return nlohmann::ordered_json(labels.names().size()); };
  facts.add("n", data.size());
  facts.add("d", data.dim());
  facts.add("classes", data.has_labels() ? number_of_names(data.labels()) : nullptr);
  facts.add("groups", data.has_groups() ? number_of_names(data.groups()) : nullptr);
  for (const auto& [name, value] : how.items()) facts.add(name, value);
  facts.add("left_out", left_out);
  facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  facts.add("output", output.string());
  if (!preview.empty()) facts.add("preview", preview.string());
  facts.write(json);
  print(facts);
}

void DescribeCommand::print(const Facts& facts) {
  const nlohmann::ordered_json& known = facts.all();
  Facts shown;
  for (const auto& [name, value] : known.items())
    if (name != "left_out" && !value.is_null()) shown.add(name, value);
  shown.print();
  print_left_out(known["left_out"]);
}

InvalidInput in_flags(const RankDeficient& error) {
  return InvalidInput(fmt::format("{}: use --estimator {}", error.problem(), RankDeficient::remedy));
}

void add_describe(CLI::App& program) {
  auto* const command = program.add_subcommand("describe", describe_summary);
  command->require_subcommand(0, 1);
  add_describe_pictures(*command);
  add_describe_series(*command);
  command->footer(
      "Example: dsk describe texture pictures/ -o X.npz\n"
      "         dsk describe series epochs.npz --estimator oas -o X.npz\n"
      "Each has its own --help, and --threads, --json and --preview.");
  command->callback([command] {
    if (command->get_subcommands().empty()) throw UsageError("describe needs a kind: texture, gabor or series");
  });
}

void hand_over(int, char**) {}

}  // namespace dsk::cli

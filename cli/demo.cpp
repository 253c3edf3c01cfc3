#include <dsk/files.hpp>
#include <dsk/matrices.hpp>
#include <dsk/report.hpp>

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "evaluation_file.hpp"
#include "evaluation_table.hpp"
#include "files.hpp"
#include "progress.hpp"
#include "ranks.hpp"

namespace dsk::cli {
namespace {

struct Demo {
  std::filesystem::path folder = "demo";
  std::uint64_t seed = 1;
  int threads = 0;
  std::filesystem::path json;

  void run() const {
    if (threads < 0) throw InvalidInput("--threads must be 0 or more");
    if (team() != nullptr) throw InvalidInput("demo runs in one process: start it without mpirun");
    check_files({}, {json});
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw InvalidInput(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
    const WishartClasses source{.classes = 3, .per_class = 60, .dim = 8, .degrees = 20, .tau = 0.5, .seed = seed};
    const Dataset data = wishart_classes(source);
    save(data, folder / "matrices.npz");
    EvaluationOptions options;
    options.methods = Method::parse_list("LEK:knn,SK:knn,DSK-KA-p:knn,DSK-CA-a:knn,SK:svm,DSK-CA-a:svm");
    options.protocol = Protocol::parse("halves:10");
    options.seed = seed;
    options.threads = threads;
    fmt::print(
        "{} matrices of size {} x {} in {} classes: scatter of {} samples each, variances 1, 1.5 and 2.\n"
        "{} methods on {} random halves; everything free is chosen inside the half that is learned from.\n\n",
        data.size(), data.dim(), data.dim(), source.classes, source.degrees, options.methods.size(),
        options.protocol.count);
    std::fflush(stdout);

    Progress progress("evaluating");
    const auto start = std::chrono::steady_clock::now();
    const Evaluation evaluation = evaluate(data, options);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    progress.end();
    print_table(evaluation);
    const auto settings = evaluation_settings(data, options, "none");
    save_text(evaluation_page(data, evaluation, options, as_list(settings)), folder / "report.html");
    Facts facts;
    facts.add("settings", settings);
    nlohmann::ordered_json methods = nlohmann::ordered_json::array();
    for (const MethodResult& result : evaluation.methods)
      methods.push_back(as_json(result, evaluation.methods[result.baseline].method.full_name()));
    facts.add("methods", methods);
    facts.add("seconds", spent.count());
    facts.add("report", (folder / "report.html").string());
    facts.write(json);
    fmt::print("\nLook at {}; the matrices lie beside it. On your own data: dsk evaluate --help\n",
               (folder / "report.html").string());
  }
};

}  // namespace

void add_demo(CLI::App& program) {
  auto* const command = program.add_subcommand("demo", "The main job on generated data, with a report to look at");
  const auto task = std::make_shared<Demo>();
  command->add_option("-o,--output", task->folder, "Folder for the report and the matrices")->capture_default_str();
  command->add_option("--seed", task->seed, "Seed of the generated data")->capture_default_str();
  command->add_option("--threads", task->threads, "Threads to use; 0: all cores");
  command->add_option("--json", task->json, "Also write the facts to this file");
  command->footer("Example: dsk demo -o demo --seed 7");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

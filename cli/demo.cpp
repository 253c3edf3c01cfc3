#include <dsk/files.hpp>
#include <dsk/matrices.hpp>
#include <dsk/report.hpp>

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "usage.hpp"

namespace dsk::cli {
namespace {

struct Demo {
  std::filesystem::path folder = "demo";
  std::uint64_t seed = 1;
  int threads = 0;
  std::filesystem::path json;

  void run() const {
    check_threads(threads);
    if (team() != nullptr) throw InvalidInput("demo runs in one process: start it without mpirun");
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw InvalidInput(fmt::format("{}: cannot be created: {}", folder.string(), error.message()));
    check_files({}, {json, folder / "matrices.npz", folder / "report.html"});
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
        "{} methods on {} random halves; settings are chosen inside the half that is trained on.\n\n",
        data.size(), data.dim(), data.dim(), source.classes, source.degrees, options.methods.size(),
        options.protocol.count);
    std::fflush(stdout);

    Progress progress("evaluating");
    const auto start = std::chrono::steady_clock::now();
    const Evaluation evaluation = evaluate(data, options);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    progress.end();
    print_table(evaluation);
    report(evaluation, folder / "report.html", source_of((folder / "matrices.npz").string()));
    const auto results = nlohmann::ordered_json::parse(as_json(evaluation));
    Facts facts;
    facts.add("settings", results["settings"]);
    facts.add("methods", results["methods"]);
    facts.add("seconds", spent.count());
    facts.add("report", (folder / "report.html").string());
    facts.write(json);
    fmt::print("\nOpen {} in a browser; the matrices are beside it. For your own data: dsk evaluate --help\n",
               (folder / "report.html").string());
  }
};

}  // namespace

void add_demo(CLI::App& program) {
  auto* const command = program.add_subcommand("demo", "Evaluate methods on generated data and write a report");
  const auto task = std::make_shared<Demo>();
  command->add_option("-o,--output", task->folder, "Folder for the report and the matrices")->capture_default_str();
  command->add_option("--seed", task->seed, "Seed of the generated data")->capture_default_str();
  command->add_option("--threads", task->threads, threads_help);
  command->add_option("--json", task->json, "Also write the results to this file, as JSON");
  command->footer("Example: dsk demo -o demo --seed 7");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

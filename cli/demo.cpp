#include <dsk/dsk.hpp>

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "files.hpp"

namespace dsk::cli {
namespace {

constexpr Metric all_metrics[] = {Metric::airm,         Metric::cholesky,       Metric::euclidean,
                                  Metric::logeuclidean, Metric::powereuclidean, Metric::stein};

struct Demo {
  std::filesystem::path folder = "demo";
  std::uint64_t seed = 1;
  int threads = 0;
  std::filesystem::path json;

  void run() const {
    if (threads < 0) throw InvalidInput("--threads must be 0 or more");
    check_files({}, {json});
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw InvalidInput(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
    const WishartClasses source{.classes = 3, .per_class = 150, .dim = 5, .degrees = 60, .tau = 0.4, .seed = seed};
    const Dataset data = wishart_classes(source);
    fmt::print("{} matrices of size {} x {} in {} classes: scatter of {} samples each, variances 1, 1.4 and 1.8\n\n",
               data.size(), data.dim(), data.dim(), source.classes, source.degrees);
    save(data, folder / "matrices.npz");

    std::vector<std::vector<std::string>> table{{"metric", "all distances, ms", "nearest is of the same class, %"}};
    Facts facts;
    for (const Metric metric : all_metrics) {
      const auto start = std::chrono::steady_clock::now();
      const Matrix distances = pairwise_distance(data.matrices(), {.metric = metric, .pairs = {.threads = threads}});
      const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
      const double accuracy = 100 * leave_one_out_accuracy(distances, data.labels());
      table.push_back(
          {std::string(name(metric)), fmt::format("{:.2f}", spent.count()), fmt::format("{:.1f}", accuracy)});
      facts.add(std::string(name(metric)), {{"milliseconds", spent.count()}, {"same_class_percent", accuracy}});
      save(distances, folder / fmt::format("{}.npy", name(metric)));
    }
    for (const auto& row : table) fmt::print("{:<16}{:>20}{:>34}\n", row[0], row[1], row[2]);

    const double theta = 10;
    const Matrix kernel = kernel_matrix(data.matrices(), {.theta = theta, .pairs = {.threads = threads}});
    save(kernel, folder / "kernel.npy");
    write_report(data, table, kernel, theta);
    facts.add("report", (folder / "report.html").string());
    facts.write(json);
    fmt::print("\nLook at {}; the matrices, distances and kernel lie beside it.\n", (folder / "report.html").string());
  }

 private:
  void write_report(const Dataset& data, const std::vector<std::vector<std::string>>& table, const Matrix& kernel,
                    double theta) const {
    Page page("Distances between covariance matrices, six ways");
    page.add_text(
        fmt::format("{} matrices of size {} x {} in {} classes, drawn from Wishart distributions (seed {}). Classes "
                    "differ in variance only.",
                    data.size(), data.dim(), data.dim(), data.labels().names().size(), seed));
    page.add_heading("Which distance finds the class?");
    page.add_table(table);
    page.add_text("The right column counts matrices whose nearest neighbour, itself left out, is of their own class.");
    page.add_heading("The Stein kernel");
    std::vector<long> marks;
    for (Index i = 1; i < data.size(); ++i)
      if (data.labels()[i] != data.labels()[i - 1]) marks.push_back(i);
    page.add_heat_map(
        fmt::format("exp(-{} S(X, Y)) for all pairs, sorted by class; white lines part the classes, dark is similar.",
                    theta),
        {kernel.data(), kernel.data() + kernel.size()}, kernel.rows(), marks);
    page.add_heading("To see it again");
    page.add_text(fmt::format("dsk demo --seed {} -o {}", seed, folder.string()));
    save_text(page.html(), folder / "report.html");
  }
};

}  // namespace

void add_demo(CLI::App& program) {
  auto* const command = program.add_subcommand("demo", "All metrics on generated data, with a report to look at");
  const auto task = std::make_shared<Demo>();
  command->add_option("-o,--output", task->folder, "Folder for the report and the results")->capture_default_str();
  command->add_option("--seed", task->seed, "Seed of the generated data")->capture_default_str();
  command->add_option("--threads", task->threads, "Threads to use; 0: all cores");
  command->add_option("--json", task->json, "Also write the facts to this file");
  command->footer("Example: dsk demo -o demo --seed 7");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

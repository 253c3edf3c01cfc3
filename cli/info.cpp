#include <dsk/engine.hpp>
#include <dsk/version.hpp>

#include <memory>
#include <thread>

#include "command.hpp"
#include "ranks.hpp"

namespace dsk::cli {
namespace {

struct Info {
  int threads = 0;
  std::filesystem::path json;

  void run() const {
    if (threads < 0) throw InvalidInput("--threads must be 0 or more");
    Facts facts;
    facts.add("version", DSK_VERSION);
    facts.add("simd", simd_target());
    facts.add("compiled", compiled_simd_targets());
    facts.add("threads", threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency()));
    const DeviceStatus cuda = cuda_status();
    nlohmann::ordered_json backends = {"cpu"};
    if (cuda.built_in) backends.push_back("cuda");
    facts.add("backends", backends);
    facts.add("cuda", cuda.text);
    facts.add("mpi", ranks_text());
    at_first(team(), [&] { facts.write(json); });
    facts.print();
  }
};

}  // namespace

void add_info(CLI::App& program) {
  auto* const command = program.add_subcommand("info", "Version, instruction sets, threads and back ends");
  const auto task = std::make_shared<Info>();
  command->add_option("--threads", task->threads, "Threads to use; 0: all cores");
  command->add_option("--json", task->json, "Also write the facts to this file");
  command->footer("Example: dsk info --json info.json");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

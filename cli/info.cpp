#include <dsk/engine.hpp>
#include <dsk/files.hpp>
#include <dsk/version.hpp>

#include <omp.h>

#include <memory>

#include "command.hpp"
#include "ranks.hpp"

namespace dsk::cli {
namespace {

struct Info {
  int threads = 0;
  std::filesystem::path json;

  void run() const {
    check_threads(threads);
    Facts facts;
    facts.add("version", DSK_VERSION);
    facts.add("simd", simd_target());
    facts.add("compiled", compiled_simd_targets());
    facts.add("threads", threads > 0 ? threads : omp_get_max_threads());
    const DeviceStatus cuda = cuda_status();
    nlohmann::ordered_json backends = {"cpu"};
    if (cuda.built_in) backends.push_back("cuda");
    facts.add("backends", backends);
    facts.add("cuda", cuda.text);
    facts.add("lapack", lapack_text());
    facts.add("hdf5", reads_matlab73() ? "built in" : "not built in (-DDSK_WITH_HDF5=ON)");
    facts.add("mpi", ranks_text());
    on_rank_zero(team(), [&] { facts.write(json); });
    facts.print();
  }
};

}  // namespace

void add_info(CLI::App& program) {
  auto* const command = program.add_subcommand("info", "Print version, instruction sets, threads and back ends");
  const auto task = std::make_shared<Info>();
  command->add_option("--threads", task->threads, threads_help);
  command->add_option("--json", task->json, json_help);
  command->footer("Example: dsk info --json info.json");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

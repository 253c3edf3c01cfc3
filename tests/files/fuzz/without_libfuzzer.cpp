#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

// Runs the fuzz target where there is no libFuzzer: mutations of the seeds and of one another, not led by branches.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed);

namespace {

std::mt19937 bytes_random(1);

}  // namespace

/// In place of libFuzzer's: changes, inserts or removes bytes.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  const auto random = [](std::size_t count) {
    return static_cast<std::size_t>(bytes_random()) % std::max<std::size_t>(count, 1);
  };
  const std::size_t place = random(size);
  switch (random(4)) {
    case 0:
      if (size > 0) data[place] = static_cast<std::uint8_t>(bytes_random());
      return size;
    case 1:
      if (size > 0) data[place] ^= static_cast<std::uint8_t>(1u << random(8));
      return size;
    case 2: {
      const std::size_t count = std::min(1 + random(8), max_size - size);
      std::copy_backward(data + place, data + size, data + size + count);
      std::generate_n(data + place, count, [] { return static_cast<std::uint8_t>(bytes_random()); });
      return size + count;
    }
    default: {
      const std::size_t count = std::min(1 + random(8), size - place);
      std::copy(data + place + count, data + size, data + place);
      return size - count;
    }
  }
}

/// usage: mutate_files FOLDER COUNT [SEED]: COUNT inputs, from the seeds in FOLDER.
int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: mutate_files FOLDER COUNT [SEED]\n");
    return 2;
  }
  std::mt19937 random(count > 3 ? static_cast<unsigned>(std::atol(arguments[3])) : 1);
  bytes_random.seed(random());
  constexpr std::size_t longest = 1 << 14, most_kept = 4000;
  std::vector<std::vector<std::uint8_t>> inputs;
  for (const auto& seed : std::filesystem::directory_iterator(arguments[1])) {
    std::ifstream file(seed.path(), std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  const std::size_t seeds = inputs.size();
  if (seeds == 0) return 2;
  std::vector<std::uint8_t> input;
  const long long wanted = std::atoll(arguments[2]);
  const auto start = std::chrono::steady_clock::now();
  for (long long done = 0; done < wanted; ++done) {
    input = inputs[random() % (random() % 2 == 0 ? seeds : inputs.size())];
    std::size_t size = std::min(input.size(), longest);
    input.resize(longest);
    for (auto left = 1 + random() % 4; left > 0; --left)
      size = LLVMFuzzerCustomMutator(input.data(), size, longest, static_cast<unsigned>(random()));
    input.resize(size);
    LLVMFuzzerTestOneInput(input.data(), size);
    if (random() % 64 == 0) {
      if (inputs.size() < seeds + most_kept) inputs.emplace_back();
      inputs[inputs.size() < seeds + most_kept ? inputs.size() - 1 : seeds + random() % most_kept] = input;
    }
    if ((done + 1) % 1000000 == 0) {
      std::printf("%lld inputs, %.0f s\n", done + 1,
                  std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      std::fflush(stdout);
    }
  }
  std::printf("%lld inputs without a finding\n", wanted);
  return 0;
}

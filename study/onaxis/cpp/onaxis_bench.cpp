// onaxis_bench has the cases of the study onaxis that C and C++ programs pay for: a block of n
// bytes from calloc, touched and freed. What is measured is in docs/studies/onaxis.md.
//
// Each way to run it is a means of its own. All blocks come from calloc, which knows what it need
// not clear.
//
//memcost:vary by=c-glibc:
//memcost:vary by=c-mmap: --mmap-each
//memcost:vary by=c-locked: --lock
//memcost:vary by=c-realtime: --keep --lock
//memcost:vary by=c-jemalloc: LD_PRELOAD=libjemalloc.so.2 # apt-get install libjemalloc2
//memcost:vary by=c-mimalloc: LD_PRELOAD=libmimalloc.so.2* # apt-get install libmimalloc2.0
//memcost:vary by=c-tcmalloc: LD_PRELOAD=libtcmalloc_minimal.so.4 # apt-get install libtcmalloc-minimal4
//memcost:vary by=write-c: --work=write
//memcost:vary by=loop-c: --work=loop

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "block.h"
#include "settings.h"

namespace onaxis {
namespace {

struct Options {
  Work work = Work::kBlock;
  Settings settings;
  long long iterations = 0;
};

// Minor page faults of the process so far.
long long faults() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_minflt : 0;
}

// Operations before the timing, after the two blocks of inspect. The dynamic threshold of glibc
// rises with the first free, the heap grows with the second block, and the third finds what all
// later ones find.
constexpr int kWarmUp = 2;

// One operation is the same in each iteration. A process measures one case, so that what is warm
// is what the operations before left: inspect's two blocks and the warm-up's.
void BM_Block(benchmark::State& state, Work work, std::size_t n, const std::string& refused) {
  if (!refused.empty()) return state.SkipWithError(refused.c_str());
  if (const char* wrong = work == Work::kBlock ? inspect(n) : ""; *wrong != '\0') return state.SkipWithError(wrong);
  std::vector<unsigned char> resident(work == Work::kWrite ? n : 0, 1);
  const Operation operation = operation_of(work);
  std::uint64_t sum = 0;
  for (int i = 0; i < kWarmUp; ++i) sum += operation(resident.data(), n);
  const long long before = faults();
  for (auto _ : state) sum += operation(resident.data(), n);
  const long long after = faults();
  // Each operation loads the mark: else it had no memory, or was left out.
  if (sum != (static_cast<std::uint64_t>(state.iterations()) + kWarmUp) * kMark)
    return state.SkipWithError("an operation did not load what it stored: it had no memory, or was left out");
  state.counters["faults/op"] = static_cast<double>(after - before) / static_cast<double>(state.iterations());
}

void register_one(const char* name, const Options& options, std::size_t n, const std::string& refused) {
  auto* const b = benchmark::RegisterBenchmark(name, BM_Block, options.work, n, refused);
  if (options.iterations > 0) b->Iterations(options.iterations);
}

constexpr std::size_t kSmallest = 8, kLargest = std::size_t{64} << 20;

void register_all(const Options& options, const std::string& refused) {
  if (options.work == Work::kLoop) return register_one("Loop/by=loop-c", options, 0, refused);
  const std::string name = options.work == Work::kWrite ? "Write/by=write-c/size=" : "Block/by=c-glibc/size=";
  for (std::size_t n = kSmallest; n <= kLargest; n *= 2)
    register_one((name + std::to_string(n)).c_str(), options, n, refused);
}

// Reads the study's own arguments and leaves those of Google Benchmark.
std::vector<char*> read(int argc, char** argv, Options& options) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    const std::string_view a = argv[i];
    if (a == "--mmap-each") options.settings.mmap_each = true;
    else if (a == "--keep") options.settings.keep = true;
    else if (a == "--lock") options.settings.lock = true;
    else if (a == "--work=write") options.work = Work::kWrite;
    else if (a == "--work=loop") options.work = Work::kLoop;
    else if (a.starts_with("--iterations=")) options.iterations = std::atoll(argv[i] + std::strlen("--iterations="));
    else others.push_back(argv[i]);
  }
  return others;
}

}  // namespace
}  // namespace onaxis

int main(int argc, char** argv) {
  onaxis::Options options;
  std::vector<char*> others = onaxis::read(argc, argv, options);
  const std::string refused = onaxis::apply(options.settings);
  int count = static_cast<int>(others.size());
  others.push_back(nullptr);
  benchmark::Initialize(&count, others.data());
  if (benchmark::ReportUnrecognizedArguments(count, others.data())) return 2;
  onaxis::register_all(options, refused);
  benchmark::RunSpecifiedBenchmarks();
}

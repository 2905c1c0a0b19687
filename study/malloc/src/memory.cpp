// The memory mode: what the process keeps resident while a program's blocks come
// and go, and after all of them are gone.
//
//   malloc_bench --memory [--sizes=64,4KiB] [--operations=LIVE_BYTES] [--seconds=IDLE]
//                [--pattern=grow|fragment|churn[,WORD...]]
//
//   grow      blocks until LIVE_BYTES (default 64 MiB) are alive; half of them freed
//             at random, then the rest
//   fragment  the same, but of alternating sizes n and n/2: all of size n freed, then
//             as many bytes in blocks of 2n, which fit into no hole; then all freed
//   churn     LIVE_BYTES alive, each block replaced four times at a random moment by
//             one of a random size, n/2+1 ... n; then all freed
//
// Every byte of a block is written. After the last free the process idles for
// IDLE seconds (default 0.2), because some allocators return memory by the clock.
// Each pattern and size runs in a child of its own, which finds the heap as the
// program found it.
//
// One JSON document; bytes, and seconds since the pattern's start:
//
//   {"mode": "memory", "schema": 1, "seed": S,
//    "runs": [{"pattern", "size", "skipped": why, or absent, "nulls", "invalid",
//      "baseline": resident before the first block, "peak_live", "peak_resident",
//      "freed_resident": after everything was freed, "idle_resident": and after the
//      idle time, "live_at_peak": live when resident was largest,
//      "live_per_resident": peak_live / peak_resident,
//      "worst_live_per_resident": the least of it while at least half of peak_live
//      was alive,
//      "series": [{"phase", "at", "live", "resident"}]}]}
//
// Resident figures except the baseline are above the baseline. They are the
// kernel's (statm): before Linux 6.18 they may lag by some dozens of pages per processor.
//
// With form=gobench, per run:
//   BenchmarkMemory/pattern=grow/size=64 1 7e+07 peak-live-B 1e+08 peak-RSS-B 4e+05 freed-RSS-B ... 0.64 live/RSS
#include <cerrno>
#include <cstring>
#include <iterator>
#include <new>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory_run.h"
#include "mode_words.h"
#include "modes.h"
#include "out.h"
#include "platform.h"

namespace malloc_bench {
namespace {

// Runs the plan in a child. Returns why it could not, or null.
const char* run_in_child(const MemoryPlan& plan, const Options& options, MemorySeries& series) {
  const pid_t child = fork();
  if (child < 0) return std::strerror(errno);
  if (child == 0) {
    const char* call = nullptr;
    // A child inherits no lock on memory (mlockall(2)).
    if (!options.lock || platform::lock_memory(options.lock_onfault, &call) == 0) run_memory_plan(plan, series);
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return std::strerror(errno);
  if (!series.done) return WIFSIGNALED(status) ? "its process was killed" : "its process could not lock its memory";
  return series.baseline < 0 ? "this system does not tell what is resident" : nullptr;
}

void print_json(const MemoryPlan& plan, const MemorySeries& series, const MemorySummary& s, Out& out) {
  out.field("nulls", series.nulls);
  if (series.nulls != 0) out.field("invalid", "malloc returned NULL");
  out.field("baseline", series.baseline);
  out.field("peak_live", s.peak_live);
  out.field("peak_resident", s.peak_resident);
  out.field("live_at_peak", s.live_at_peak);
  out.field("freed_resident", s.freed);
  out.field("idle_resident", s.idle);
  out.field("idle_seconds", plan.idle_seconds);
  out.field("live_per_resident", s.ratio);
  out.field("worst_live_per_resident", s.worst);
  out.open('[', "series");
  for (std::size_t i = 0; i < series.n; ++i) {
    const MemoryPoint& p = series.points[i];
    out.open('{');
    out.field("phase", p.phase);
    out.field("at", p.at);
    out.field("live", p.live);
    out.field("resident", p.resident);
    out.close('}');
  }
  out.close(']');
}

void print_line(const MemoryPlan& plan, const MemorySeries& series, const MemorySummary& s, Format format, Out& out) {
  const auto mib = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  if (format == Format::kText) {
    out.print(
        "%-9s %8zu B: peak live %.1f MiB, resident %.1f MiB; after the last free %.1f MiB, after idling %.1f MiB; "
        "live/resident %.2f, at worst %.2f%s\n",
        plan.pattern, plan.size, mib(s.peak_live), mib(s.peak_resident), mib(s.freed), mib(s.idle), s.ratio, s.worst,
        series.nulls != 0 ? "; INVALID: malloc returned NULL" : "");
    return;
  }
  out.print(
      "BenchmarkMemory/pattern=%s/size=%zu 1 %lld peak-live-B %lld peak-RSS-B %lld freed-RSS-B %lld idle-RSS-B %.4g "
      "live/RSS %.4g worst-live/RSS %llu nulls\n",
      plan.pattern, plan.size, static_cast<long long>(s.peak_live), static_cast<long long>(s.peak_resident),
      static_cast<long long>(s.freed), static_cast<long long>(s.idle), s.ratio, s.worst,
      static_cast<unsigned long long>(series.nulls));
}

// Returns whether it was measured.
bool measure(const MemoryPlan& plan, const Options& options, MemorySeries& series, Format format, Out& out) {
  // Twice what is alive, for fragment leaves holes behind, a quarter more for the
  // allocator, and the list of blocks.
  const double live = static_cast<double>(plan.live) + 2 * static_cast<double>(plan.size);
  const char* why =
      2.25 * live + 32 * live / static_cast<double>(plan.size) > static_cast<double>(platform::memory_room().bytes)
          ? "not enough memory available"
          : nullptr;
  if (plan.size == 0) why = "a block of 0 bytes keeps nothing resident";
  new (&series) MemorySeries{};
  out.flush();
  if (why == nullptr) why = run_in_child(plan, options, series);
  if (format == Format::kJson) {
    out.open('{');
    out.field("pattern", plan.pattern);
    out.field("size", std::uint64_t{plan.size});
    if (why != nullptr)
      out.field("skipped", why);
    else
      print_json(plan, series, summarize(series), out);
    out.close('}');
  } else if (why == nullptr) {
    print_line(plan, series, summarize(series), format, out);
  } else if (format == Format::kText) {
    out.print("%-9s %8zu B: skipped: %s\n", plan.pattern, plan.size, why);
  }
  return why == nullptr;
}

// All runs asked for. Returns whether anything was measured.
bool measure_all(const Options& options, const Words& words, MemorySeries& series, Out& out) {
  static constexpr std::size_t kSizes[] = {64, 4096, 64 * 1024};
  const std::size_t* const sizes = options.sizes.empty() ? kSizes : options.sizes.data();
  const std::size_t n = options.sizes.empty() ? std::size(kSizes) : options.sizes.size();
  MemoryPlan plan;
  plan.live = options.operations > 0 ? options.operations : std::int64_t{64} << 20;
  plan.idle_seconds = options.seconds > 0 ? options.seconds : 0.2;
  plan.seed = words.seed;
  bool measured = false;
  for (const char* pattern : kMemoryPatterns) {
    if (!words.pattern.empty() && words.pattern != pattern) continue;
    plan.pattern = pattern;
    for (std::size_t i = 0; i < n; ++i) {
      plan.size = sizes[i];
      measured = measure(plan, options, series, words.format, out) || measured;
    }
  }
  return measured;
}

}  // namespace

int run_memory(const Options& options) {
  Words words;
  if (!read_words(options, "--memory", words)) return 2;
  bool known = words.pattern.empty();
  for (const char* pattern : kMemoryPatterns) known = known || words.pattern == pattern;
  if (!known) {
    Out(2).print("malloc_bench --memory: no pattern \"%.*s\"\nhint: grow, fragment or churn; without one, all three\n",
                 static_cast<int>(words.pattern.size()), words.pattern.data());
    return 2;
  }
  void* const shared = mmap(nullptr, sizeof(MemorySeries), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    Out(2).print("malloc_bench --memory: mapping %zu shared bytes for the answer: %s\n", sizeof(MemorySeries),
                 std::strerror(errno));
    return 1;
  }
  const int fd = open_answer(options);
  if (fd < 0) return 1;
  Out out(fd);
  if (words.format == Format::kJson) {
    out.open('{');
    out.field("mode", "memory");
    out.field("schema", std::uint64_t{1});
    out.field("seed", words.seed);
    out.open('[', "runs");
  }
  const bool measured = measure_all(options, words, *new (shared) MemorySeries, out);
  if (words.format == Format::kJson) {
    out.close(']');
    out.close('}');
    out.print("\n");
  }
  munmap(shared, sizeof(MemorySeries));
  return close_answer(options, out, fd) && measured ? 0 : 1;
}

}  // namespace malloc_bench

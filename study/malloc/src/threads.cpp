// The threads mode: throughput of malloc and free for 1 ... 2 x processors threads.
//
//   malloc_bench --threads-scaling [--sizes=64,4KiB] [--threads=T] [--seconds=0.1]
//                [--pattern=private|producer-consumer|bleeding[,WORD...]]
//
// One JSON document; rates are operations (one malloc, one byte written, one free)
// per second, times nanoseconds, sizes bytes (each block is size/2+1 ... size):
//
//   {"mode": "threads", "schema": 1, "cpus": N, "seed": S, "seconds": per point,
//    "points": [{"pattern", "size", "threads", "alloc": "malloc" | "none" (the floor:
//      the same work with an allocator that does nothing), "skipped": why, or absent,
//      "pinned", "oversubscribed": more threads than processors,
//      "operations", "nulls", "invalid": why, or absent, "ops_per_sec",
//      "ns_per_op": of one thread, "efficiency": ops_per_sec per processor used, as a
//      part of the same at the fewest threads, "slowest_thread", "fastest_thread"}]}
//
// With form=gobench, per point:
//   BenchmarkThreads/pattern=private/size=64/threads=2 N 21.5 ns/op 9.3e+07 ops/s 0 nulls
// and BenchmarkThreadsFloor/... for the floor.
#include <algorithm>
#include <iterator>

#include "mode_words.h"
#include "modes.h"
#include "out.h"
#include "team.h"
#include "threads_work.h"

namespace malloc_bench {
namespace {

// 1, 2, 3, 4, then powers of two, and always the processors and twice as many.
bool is_step(unsigned threads, unsigned cpus) {
  return threads <= 4 || (threads & (threads - 1)) == 0 || threads == cpus || threads == 2 * cpus;
}

class Printer {
 public:
  Printer(Out& out, Format format, unsigned cpus) : out_(out), format_(format), cpus_(cpus) {}

  void head(const Words& words, double seconds) {
    if (format_ == Format::kText)
      out_.print("%u processors; an operation is one malloc, one byte written, one free; %g s each\n", cpus_, seconds);
    if (format_ != Format::kJson) return;
    out_.open('{');
    out_.field("mode", "threads");
    out_.field("schema", std::uint64_t{1});
    out_.field("cpus", std::uint64_t{cpus_});
    out_.field("seed", words.seed);
    out_.field("seconds", seconds);
    out_.open('[', "points");
  }

  void point(const ThreadsResult& r, double efficiency) {
    if (format_ == Format::kJson)
      json(r, efficiency);
    else if (format_ == Format::kGobench)
      gobench(r);
    else
      text(r, efficiency);
  }

  void tail() {
    if (format_ != Format::kJson) return;
    out_.close(']');
    out_.close('}');
    out_.print("\n");
  }

 private:
  bool oversubscribed(const ThreadsResult& r) const { return r.plan.threads > cpus_; }
  static double ns_per_op(const ThreadsResult& r) { return 1e9 * r.plan.threads / r.per_second; }

  void json(const ThreadsResult& r, double efficiency) {
    out_.open('{');
    out_.field("pattern", sharing_name(r.plan.sharing));
    out_.field("size", std::uint64_t{r.plan.size});
    out_.field("threads", std::uint64_t{r.plan.threads});
    out_.field("alloc", r.plan.floor ? "none" : "malloc");
    if (r.skipped != nullptr) {
      out_.field("skipped", r.skipped);
    } else {
      out_.field("pinned", r.pinned);
      out_.field("oversubscribed", oversubscribed(r));
      out_.field("operations", r.operations);
      out_.field("nulls", r.nulls);
      if (r.nulls != 0) out_.field("invalid", "malloc returned NULL");
      out_.field("ops_per_sec", r.per_second);
      out_.field("ns_per_op", ns_per_op(r));
      out_.field("efficiency", efficiency);
      out_.field("slowest_thread", r.slowest);
      out_.field("fastest_thread", r.fastest);
    }
    out_.close('}');
  }

  void gobench(const ThreadsResult& r) {
    if (r.skipped != nullptr) return;
    out_.print("BenchmarkThreads%s/pattern=%s/size=%zu/threads=%u %llu %.5g ns/op %.6g ops/s %llu nulls\n",
               r.plan.floor ? "Floor" : "", sharing_name(r.plan.sharing), r.plan.size, r.plan.threads,
               static_cast<unsigned long long>(r.operations), ns_per_op(r), r.per_second,
               static_cast<unsigned long long>(r.nulls));
  }

  void text(const ThreadsResult& r, double efficiency) {
    out_.print("%-17s %8zu B %3u thread%s %-6s", sharing_name(r.plan.sharing), r.plan.size, r.plan.threads,
               r.plan.threads == 1 ? " " : "s", r.plan.floor ? "floor" : "malloc");
    if (r.skipped != nullptr) {
      out_.print(" skipped: %s\n", r.skipped);
      return;
    }
    out_.print(" %8.2f Mop/s %8.1f ns/op %5.0f%% per processor%s%s\n", r.per_second / 1e6, ns_per_op(r),
               100 * efficiency,
               oversubscribed(r) ? ", oversubscribed: fewer processors than threads"
               : r.pinned        ? ", pinned"
                                 : "",
               r.nulls != 0 ? ", INVALID: malloc returned NULL" : "");
  }

  Out& out_;
  Format format_;
  unsigned cpus_;
};

// One curve: a pattern and a size over the numbers of threads. Returns whether
// anything was measured.
bool curve(ThreadsPlan plan, unsigned from, unsigned to, unsigned cpus, Printer& printer) {
  bool measured = false;
  for (const bool floor : {true, false}) {
    double base = 0;  // operations per second and processor at the fewest threads
    plan.floor = floor;
    for (plan.threads = from; plan.threads <= to; ++plan.threads) {
      if (from != to && !is_step(plan.threads, cpus)) continue;
      const ThreadsResult r = run_threads_plan(plan);
      const double each = r.per_second / std::min(plan.threads, cpus);
      if (r.skipped == nullptr && base == 0) base = each;
      printer.point(r, base > 0 ? each / base : 0);
      measured = measured || (r.skipped == nullptr && !floor);
    }
  }
  return measured;
}

}  // namespace

int run_threads(const Options& options) {
  static constexpr std::size_t kSizes[] = {64, 1024};
  Words words;
  if (!read_words(options, "--threads-scaling", words)) return 2;
  const auto is_it = [&](Sharing s) { return words.pattern.empty() || words.pattern == sharing_name(s); };
  if (std::none_of(std::begin(kSharings), std::end(kSharings), is_it)) {
    Out(2).print(
        "malloc_bench --threads-scaling: no pattern \"%.*s\"\nhint: private, producer-consumer or bleeding; without "
        "one, all three\n",
        static_cast<int>(words.pattern.size()), words.pattern.data());
    return 2;
  }
  if (options.threads > static_cast<int>(kMostThreads)) {
    Out(2).print("malloc_bench --threads-scaling: --threads=%d: at most %u\n", options.threads, kMostThreads);
    return 2;
  }
  ThreadsPlan plan;
  plan.seconds = options.seconds > 0 ? options.seconds : 0.1;
  plan.seed = words.seed;
  plan.pin_anew = options.cpu >= 0;
  const unsigned cpus = usable_cpus(plan.pin_anew);
  const unsigned only = options.threads > 0 ? static_cast<unsigned>(options.threads) : 0;
  if (only > cpus)
    Out(2).print(
        "malloc_bench --threads-scaling: %u threads on %u processors: they take turns, and the figures are marked "
        "oversubscribed\n",
        only, cpus);

  const int fd = open_answer(options);
  if (fd < 0) return 1;
  Out out(fd);
  Printer printer(out, words.format, cpus);
  printer.head(words, plan.seconds);
  bool measured = false;
  const std::size_t* const sizes = options.sizes.empty() ? kSizes : options.sizes.data();
  const std::size_t n = options.sizes.empty() ? std::size(kSizes) : options.sizes.size();
  for (Sharing sharing : kSharings) {
    if (!is_it(sharing)) continue;
    plan.sharing = sharing;
    for (std::size_t i = 0; i < n; ++i) {
      plan.size = sizes[i];
      measured =
          curve(plan, only ? only : 1, only ? only : std::min(2 * cpus, kMostThreads), cpus, printer) || measured;
    }
  }
  printer.tail();
  return close_answer(options, out, fd) && measured ? 0 : 1;
}

}  // namespace malloc_bench

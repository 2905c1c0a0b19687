// The threads mode: throughput of malloc and free for 1 ... 2 x processors threads.
//
//   malloc_bench --threads-scaling [--sizes=64,4KiB] [--threads=T] [--seconds=0.1] [--times=5]
//                [--pattern=private|producer-consumer|bleeding[,WORD...]]
//
// One JSON document; rates are operations (one malloc, one byte written, one free)
// per second, times nanoseconds, sizes bytes (each block is size/2+1 ... size):
//
//   {"mode": "threads", "schema": 1, "cpus": N, "seed": S, "seconds": per point, "repeats": of each,
//    "points": [{"pattern", "size", "threads", "alloc": "malloc" | "none" (the floor:
//      the same work with an allocator that does nothing), "skipped": why, or absent,
//      "pinned", "oversubscribed": more threads than processors,
//      "operations", "nulls", "invalid": why, or absent, "ops_per_sec",
//      "ns_per_op": of one thread, "efficiency": ops_per_sec per processor used, as a
//      part of the same at the fewest threads, "slowest_thread", "fastest_thread",
//      "repeats", "min", "max": the lowest and highest ops_per_sec of them, "spread": max / min (null when min is 0),
//      "waited": of bleeding on a processor each, the part of the time in which a thread had no set because
//      its neighbour did not run (other programs); it is taken off the time of the rates,
//      "floor_ns_per_op": the floor's at the same point}]}
//
// Each point is measured --times=N times (5), each for its part of the seconds, and all
// points once before any is measured again: what disturbs the machine for a while
// disturbs one repeat of many points and not all of one. The rates are those of the
// repeat in the middle (of an even number, the slower of the two), operations and nulls
// of all together. With more threads than processors, what hands blocks over between
// threads is a large part of the time: the floor beside each point says how large.
//
// With form=gobench, per point:
//   BenchmarkThreads/pattern=private/size=64/threads=2 N 21.5 ns/op 9.3e+07 ops/s 0 nulls 1.1 spread-ratio
//     4.5 floor-ns/op
// and BenchmarkThreadsFloor/... for the floor.
#include <algorithm>
#include <iterator>
#include <vector>

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

// All repeats of one point.
struct Point {
  ThreadsPlan plan;
  std::vector<ThreadsResult> repeats;
  double efficiency = 0;
  const Point* floor = nullptr;  // of a malloc's point

  // The one in the middle; one that was skipped before all others.
  const ThreadsResult& middle() const { return repeats[(repeats.size() - 1) / 2]; }
  double least() const { return repeats.front().per_second; }
  double most() const { return repeats.back().per_second; }
  double spread() const { return most() / least(); }
  double ns_per_op() const { return 1e9 * plan.threads / middle().per_second; }

  // To be called when all repeats are there.
  void sort() {
    const auto skipped = std::find_if(repeats.begin(), repeats.end(),
        [](const auto& r) { return r.skipped != nullptr; });
    if (skipped != repeats.end()) repeats = {ThreadsResult(*skipped)};
    std::sort(repeats.begin(), repeats.end(), [](const auto& a, const auto& b) { return a.per_second < b.per_second; });
    std::uint64_t operations = 0, nulls = 0;
    for (const ThreadsResult& r : repeats) operations += r.operations, nulls += r.nulls;
    for (ThreadsResult& r : repeats) r.operations = operations, r.nulls = nulls;
    // A thread may wait longer for its processor than a repeat takes.
    ThreadsResult& r = repeats[(repeats.size() - 1) / 2];
    if (r.skipped == nullptr && r.per_second <= 0)
      r.skipped = "nothing was done in most repeats: they need more --seconds";
  }
};

class Printer {
 public:
  Printer(Out& out, Format format, unsigned cpus) : out_(out), format_(format), cpus_(cpus) {}

  void head(const Words& words, double seconds, int repeats) {
    if (format_ == Format::kText)
      out_.print("%u processors; an operation is one malloc, one byte written, one free; %g s each, in %d parts\n",
          cpus_, seconds, repeats);
    if (format_ != Format::kJson) return;
    out_.open('{');
    out_.field("mode", "threads");
    out_.field("schema", std::uint64_t{1});
    out_.field("cpus", std::uint64_t{cpus_});
    out_.field("seed", words.seed);
    out_.field("seconds", seconds);
    out_.field("repeats", static_cast<std::int64_t>(repeats));
    out_.open('[', "points");
  }

  void point(const Point& p) {
    if (format_ == Format::kJson)
      json(p, p.middle());
    else if (format_ == Format::kGobench)
      gobench(p, p.middle());
    else
      text(p, p.middle());
  }

  void tail() {
    if (format_ != Format::kJson) return;
    out_.close(']');
    out_.close('}');
    out_.print("\n");
  }

 private:
  bool oversubscribed(const ThreadsResult& r) const { return r.plan.threads > cpus_; }

  void json(const Point& p, const ThreadsResult& r) {
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
      out_.field("ns_per_op", p.ns_per_op());
      out_.field("efficiency", p.efficiency);
      out_.field("slowest_thread", r.slowest);
      out_.field("fastest_thread", r.fastest);
      out_.field("repeats", std::uint64_t{p.repeats.size()});
      out_.field("min", p.least());
      out_.field("max", p.most());
      out_.field("spread", p.spread());
      out_.field("waited", r.waited);
      if (p.floor != nullptr) out_.field("floor_ns_per_op", p.floor->ns_per_op());
    }
    out_.close('}');
  }

  void gobench(const Point& p, const ThreadsResult& r) {
    if (r.skipped != nullptr) return;
    out_.print("BenchmarkThreads%s/pattern=%s/size=%zu/threads=%u %llu %.5g ns/op %.6g ops/s %llu nulls",
               r.plan.floor ? "Floor" : "", sharing_name(r.plan.sharing), r.plan.size, r.plan.threads,
               static_cast<unsigned long long>(r.operations), p.ns_per_op(), r.per_second,
               static_cast<unsigned long long>(r.nulls));
    if (p.least() > 0) out_.print(" %.3g spread-ratio", p.spread());
    if (p.floor != nullptr) out_.print(" %.5g floor-ns/op", p.floor->ns_per_op());
    if (r.waited > 0) out_.print(" %.3g waited-share", r.waited);
    out_.print("\n");
  }

  void text(const Point& p, const ThreadsResult& r) {
    out_.print("%-17s %8zu B %3u thread%s %-6s", sharing_name(r.plan.sharing), r.plan.size, r.plan.threads,
               r.plan.threads == 1 ? " " : "s", r.plan.floor ? "floor" : "malloc");
    if (r.skipped != nullptr) {
      out_.print(" skipped: %s\n", r.skipped);
      return;
    }
    out_.print(" %8.2f Mop/s %8.1f ns/op", r.per_second / 1e6, p.ns_per_op());
    if (p.floor != nullptr) out_.print(" (floor %.1f)", p.floor->ns_per_op());
    if (r.waited > 0.01) out_.print(" (%.0f%% waiting taken off)", 100 * r.waited);
    out_.print(" spread %.2f, %.0f%% per processor%s%s\n", p.spread(), 100 * p.efficiency,
               oversubscribed(r) ? ", oversubscribed: fewer processors than threads"
               : r.pinned        ? ", pinned"
                                 : "",
               r.nulls != 0 ? ", INVALID: malloc returned NULL" : "");
  }

  Out& out_;
  Format format_;
  unsigned cpus_;
};

// Adds one curve, a pattern and a size over the numbers of threads: the floor's points,
// then malloc's.
void add_curve(ThreadsPlan plan, unsigned from, unsigned to, unsigned cpus, std::vector<Point>& points) {
  for (const bool floor : {true, false}) {
    plan.floor = floor;
    for (plan.threads = from; plan.threads <= to; ++plan.threads)
      if (from == to || is_step(plan.threads, cpus)) points.push_back({plan, {}});
  }
}

// Measures all points, in rounds, and relates them. Returns whether anything was measured.
bool measure(std::vector<Point>& points, int repeats, unsigned cpus) {
  for (int i = 0; i < repeats; ++i)
    for (Point& p : points) p.repeats.push_back(run_threads_plan(p.plan));
  bool measured = false;
  double base = 0;  // operations per second and processor at a curve's fewest threads
  for (std::size_t i = 0; i < points.size(); ++i) {
    Point& p = points[i];
    p.sort();
    const auto alike = [&](const Point& q) { return q.plan.sharing == p.plan.sharing && q.plan.size == p.plan.size; };
    if (i == 0 || !alike(points[i - 1]) || points[i - 1].plan.floor != p.plan.floor) base = 0;
    if (p.middle().skipped != nullptr) continue;
    const double each = p.middle().per_second / std::min(p.plan.threads, cpus);
    if (base == 0) base = each;
    p.efficiency = each / base;
    measured = measured || !p.plan.floor;
    for (std::size_t k = 0; k < i && !p.plan.floor; ++k)
      if (alike(points[k]) && points[k].plan.floor && points[k].plan.threads == p.plan.threads &&
          points[k].middle().skipped == nullptr) p.floor = &points[k];
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
  const double seconds = options.seconds > 0 ? options.seconds : 0.1;
  const int repeats = options.times > 0 ? options.times : 5;
  plan.seconds = seconds / repeats;
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
  printer.head(words, seconds, repeats);
  const std::size_t* const sizes = options.sizes.empty() ? kSizes : options.sizes.data();
  const std::size_t n = options.sizes.empty() ? std::size(kSizes) : options.sizes.size();
  std::vector<Point> points;
  for (Sharing sharing : kSharings) {
    if (!is_it(sharing)) continue;
    plan.sharing = sharing;
    for (std::size_t i = 0; i < n; ++i) {
      plan.size = sizes[i];
      add_curve(plan, only ? only : 1, only ? only : std::min(2 * cpus, kMostThreads), cpus, points);
    }
  }
  const bool measured = measure(points, repeats, cpus);
  for (const Point& p : points) printer.point(p);
  printer.tail();
  return close_answer(options, out, fd) && measured ? 0 : 1;
}

}  // namespace malloc_bench

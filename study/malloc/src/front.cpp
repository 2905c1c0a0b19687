#include "front.h"

#include <regex.h>

namespace malloc_bench {
namespace {

// Google Benchmark's filter: a regular expression found anywhere in the name, or,
// after a minus, one that is not.
class Filter {
 public:
  explicit Filter(const std::string& text) : wanted_(!text.starts_with('-')) {
    const std::string pattern = text == "all" ? "." : wanted_ ? text : text.substr(1);
    const int error = regcomp(&regex_, pattern.empty() ? "." : pattern.c_str(), REG_EXTENDED | REG_NOSUB);
    if (error == 0) return;
    char why[200];
    regerror(error, &regex_, why, sizeof why);
    mistake_ = {"--benchmark_filter=" + text + ": " + why, "a POSIX extended regular expression, such as ^Malloc/op=walk/size=4096/method=batch$"};
  }
  ~Filter() {
    if (!mistake_) regfree(&regex_);
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  const Mistake& mistake() const { return mistake_; }
  bool lets(const std::string& name) const { return (regexec(&regex_, name.c_str(), 0, nullptr, 0) == 0) == wanted_; }

 private:
  bool wanted_;
  regex_t regex_;
  Mistake mistake_;
};

}  // namespace

bool make_job(Job& job, const std::vector<Check>& checks, Mistake& mistake) {
  const CommandLine& c = job.line;
  const platform::Room room = platform::memory_room();
  job.bounds = {c.footprint, c.options.lock, room.bytes, room.limit};
  const Filter filter(c.filter);
  if (filter.mistake()) return mistake = filter.mistake(), false;
  for (const Cell& cell : all_cells(c.options.sizes, job.bounds))
    if (filter.lets(cell_name(cell, c.setting))) job.cells.push_back(cell);
  if (job.cells.empty()) return mistake = {"--benchmark_filter=" + c.filter + ": no cell has such a name", "--benchmark_list_tests lists them; --sizes adds others"}, false;
  if (c.list) return true;
  job.timer = calibrate_timer();
  job.timer_ticks = timer_pair_ticks();
  job.context = describe(c, checks);
  job.context.emplace_back("timer", kTimerName);
  job.context.emplace_back("timer_ns", std::to_string(job.timer.ns(job.timer_ticks)));
  return true;
}

std::vector<std::pair<const char*, double>> figures(const Cell& cell, const CellRun& run, const Timer& timer, const Counts& counts, const LoopCounters& loop) {
  std::vector<std::pair<const char*, double>> all;
  const auto ops = static_cast<double>(run.timed().ops);
  all.emplace_back("blocks", static_cast<double>(cell.blocks));
  if (cell.op == Op::kTimer) return all;
  all.emplace_back("timer-share", run.timer_share());
  const bool phases = cell.op != Op::kMallocFree && cell.op != Op::kNoop;
  static constexpr const char* kTimes[kPhases] = {"malloc-ns/op", "touch-ns/op", "free-ns/op"};
  for (int p = 0; p < kPhases; ++p)
    if (phases && run.timed().ticks[p] > 0) all.emplace_back(kTimes[p], timer.ns(run.timed().ticks[p]) / ops);
  const auto told = [&](const char* name, double value) {
    if (value >= 0) all.emplace_back(name, value);
  };
  const platform::Counters &before = loop.before(), &after = loop.after();
  if (before.minor_faults >= 0) {
    all.emplace_back("minor-faults/op", static_cast<double>(after.minor_faults - before.minor_faults) / ops);
    all.emplace_back("major-faults/op", static_cast<double>(after.major_faults - before.major_faults) / ops);
  }
  if (cell.op == Op::kNoop) return all;
  told("malloc-faults/op", counts.faults[kGet]);
  told("touch-faults/op", counts.faults[kTouch]);
  told("free-faults/op", counts.faults[kPut]);
  told("malloc-calls/op", counts.calls[kGet]);
  told("touch-calls/op", counts.calls[kTouch]);
  told("free-calls/op", counts.calls[kPut]);
  told("brk/op", counts.brk);
  told("mmap/op", counts.mmap);
  told("munmap/op", counts.munmap);
  told("madvise/op", counts.madvise);
  told("mprotect/op", counts.mprotect);
  told("mremap/op", counts.mremap);
  told("mmapped-blocks/op", counts.mapped_blocks);
  told("mapped-B/op", counts.mapped_bytes);
  told("heap-B/op", counts.heap_bytes);
  return all;
}

}  // namespace malloc_bench

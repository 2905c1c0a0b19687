#include "front.h"

#include <cstdio>

#include <regex.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace malloc_bench {
namespace {

// What the child that matches the filter hands back.
struct Matched {
  bool done, bad;
  char why[200];
  bool lets[];
};

// Google Benchmark's filter: a regular expression found anywhere in the name, or,
// after a minus, one that is not.
void match(const std::string& filter, const std::vector<std::string>& names, Matched& m) {
  const bool wanted = !filter.starts_with('-');
  const std::string pattern = filter == "all" ? "." : wanted ? filter : filter.substr(1);
  regex_t regex;
  const int error = regcomp(&regex, pattern.empty() ? "." : pattern.c_str(), REG_EXTENDED | REG_NOSUB);
  m.bad = error != 0;
  if (m.bad) regerror(error, &regex, m.why, sizeof m.why);
  for (std::size_t i = 0; i < names.size() && !m.bad; ++i)
    m.lets[i] = (regexec(&regex, names[i].c_str(), 0, nullptr, 0) == 0) == wanted;
  m.done = true;
}

// In a child, because regcomp allocates: the holes that it leaves in the heap under
// test were enough for a block of 64 KiB.
Mistake filter_cells(const std::string& filter, const std::string& setting, std::vector<Cell>& cells) {
  std::vector<std::string> names;
  for (const Cell& c : cells) names.push_back(cell_name(c, setting));
  const std::size_t bytes = sizeof(Matched) + names.size();
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
  const pid_t pid = memory == MAP_FAILED ? -1 : fork();
  if (pid == 0) {
    match(filter, names, *static_cast<Matched*>(memory));
    _exit(0);
  }
  if (pid > 0) waitpid(pid, nullptr, 0);
  const Matched* const m = static_cast<Matched*>(memory);
  Mistake mistake;
  if (pid < 0 || !m->done)
    mistake = {"--benchmark_filter=" + filter + ": it could not be matched", "is there memory for another process?"};
  else if (m->bad)
    mistake = {"--benchmark_filter=" + filter + ": " + m->why,
        "a POSIX extended regular expression, such as ^Malloc/op=walk/size=4096/method=batch/"};
  std::vector<Cell> left;
  for (std::size_t i = 0; i < cells.size() && !mistake; ++i)
    if (m->lets[i]) left.push_back(cells[i]);
  if (!mistake && left.empty())
    mistake = {"--benchmark_filter=" + filter + ": no cell has such a name",
        "--benchmark_list_tests lists them; --sizes adds others"};
  if (memory != MAP_FAILED) munmap(memory, bytes);
  cells = left;
  return mistake;
}

}  // namespace

bool make_job(Job& job, const std::vector<Check>& checks, Mistake& mistake) {
  const CommandLine& c = job.line;
  for (const Check& k : checks)
    if (k.status == Check::kNone && job.ineffective.empty())
      job.ineffective = k.name + (k.name == "mlockall" ? "" : "=" + k.value) + " did not take effect: " + k.detail;
  job.bounds = {c.footprint, c.options.lock, platform::memory_room(), platform::address_room()};
  job.cells = all_cells(c.options.sizes, job.bounds);
  mistake = c.filter.empty() ? Mistake{} : filter_cells(c.filter, c.setting, job.cells);
  if (mistake) return false;
  if (c.list) return true;
  job.timer = known_timer();
  job.timer_ticks = empty_interval_ticks();
  job.context = describe(c, checks);
  job.context.emplace_back("cpu_time_measured", "false");  // it repeats real_time
#if defined(__OPTIMIZE__)
  job.context.emplace_back("timed_build_type", "release");  // library_build_type is not what is timed
#else
  job.context.emplace_back("timed_build_type", "debug");
#endif
  job.context.emplace_back("timer", kTimerName);
  job.context.emplace_back("timer_ns", std::to_string(job.timer.ns(job.timer_ticks)));
  if (job.timer.steady) {  // for kTickVariable of the next process
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", job.timer.ns_per_tick);
    job.context.emplace_back("tick_ns", text);
  }
  return true;
}

std::string not_measured(const Job& job, const Cell& cell) {
  return job.ineffective.empty() ? too_large(cell, job.bounds) : job.ineffective;
}

std::vector<std::pair<const char*, double>> figures(const Cell& cell, const CellRun& run, const Timer& timer,
    const Counts& counts, const LoopCounters& loop) {
  std::vector<std::pair<const char*, double>> all;
  const auto ops = static_cast<double>(run.timed().ops);
  all.emplace_back("blocks", static_cast<double>(run.blocks()));
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
  told("brk-calls/op", counts.brk);
  told("mmap-calls/op", counts.mmap);
  told("munmap-calls/op", counts.munmap);
  told("madvise-calls/op", counts.madvise);
  told("mprotect-calls/op", counts.mprotect);
  told("mremap-calls/op", counts.mremap);
  told("mmapped-blocks/op", counts.mapped_blocks);
  told("mapped-B/op", counts.mapped_bytes);
  told("heap-B/op", counts.heap_bytes);
  return all;
}

}  // namespace malloc_bench

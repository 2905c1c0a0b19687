// What the two front ends share. ../malloc_bench.cpp is the program as it is built;
// plain.cpp takes its place in static builds, for which there is no Google Benchmark library.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cell.h"
#include "check.h"
#include "options.h"

namespace malloc_bench {

// The cells to be measured and all that their measurement needs.
struct Job {
  const CommandLine& line;
  Bounds bounds;
  std::string ineffective;  // "mlockall did not take effect: ...": no cell has a figure then
  Timer timer;
  std::uint64_t timer_ticks = 0;
  std::vector<Cell> cells;                                    // those that the filter lets through
  std::vector<std::pair<std::string, std::string>> context;   // for the answer's head
};

// False when the filter lets no cell through, with the reason in `mistake`.
bool make_job(Job&, const std::vector<Check>&, Mistake& mistake);

// Why a cell is not measured: a setting that it would be named after did not take
// effect, or there is too little memory. "" if it is.
std::string not_measured(const Job&, const Cell&);

// Faults and switches over a cell's timed loop.
class LoopCounters {
 public:
  void start() noexcept { platform::read_faults(before_); }
  void stop() noexcept { platform::read_faults(after_); }
  const platform::Counters& before() const noexcept { return before_; }
  const platform::Counters& after() const noexcept { return after_; }

 private:
  platform::Counters before_, after_;
};

// The figures beside the time, by the names that they have in the answer. Times are
// nanoseconds, "/op" means per operation; what is not told is left out.
std::vector<std::pair<const char*, double>> figures(const Cell&, const CellRun&, const Timer&, const Counts&,
    const LoopCounters&);

// Measures the cells and prints them. Returns the program's exit status.
int run_cells(const Job&);

}  // namespace malloc_bench

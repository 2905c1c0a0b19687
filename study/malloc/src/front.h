// The parts shared by the two front ends. ../malloc_bench.cpp is the program as it is
// built; plain.cpp replaces it in static builds, for which there is no Google Benchmark
// library.
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

// Returns false when the filter selects no cell, with the reason in `mistake`.
bool make_job(Job&, const std::vector<Check>&, Mistake& mistake);

// Returns why a cell is not measured: a setting that it would be named after did not
// take effect, or there is too little memory. "" if it is.
std::string not_measured(const Job&, const Cell&);

// Counts faults and switches over a cell's timed loop.
class LoopCounters {
 public:
  void start() noexcept { platform::read_faults(before_); }
  void stop() noexcept { platform::read_faults(after_); }
  const platform::Counters& before() const noexcept { return before_; }
  const platform::Counters& after() const noexcept { return after_; }

 private:
  platform::Counters before_, after_;
};

// Returns the figures beside the time, by the names that they have in the answer. Times
// are nanoseconds, "/op" means per operation; unknown ones are left out.
std::vector<std::pair<const char*, double>> figures(const Cell&, const CellRun&, const Timer&, const Counts&,
    const LoopCounters&);

// Measures the cells and prints them. Returns the program's exit status.
int run_cells(const Job&);

}  // namespace malloc_bench

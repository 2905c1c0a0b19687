// malloc_bench measures what a block of n bytes costs under an allocator and its
// settings: malloc, calloc, free, the first touch, and what the kernel does for it.
//
// It re-tests "malloc_bench" (C++, Google Benchmark; i9-13950HX, Raspberry Pi 4 and 5).
// What is measured and what is easy to get wrong is in docs/studies/malloc.md.
//
//memcost:expect method:batch timer-share <= 0.01
//
// The published plots.
//
//
// One block reused (published) beside a set built up and torn down (batch), and the
// parts of a cycle, under the default settings.
//

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "src/front.h"
#include "src/out.h"

namespace malloc_bench {
namespace {

// One operation of one cell. The time is taken by the cell around its batches
// (UseManualTime); PauseTiming, which costs more than a malloc, is never used.
//
// The published conclusions are about one block at a time, of 4 KiB and more, and
// compare settings, whose names are in the cells' names (options.h, setting_name).
// "Fast" and "alike" are ours to make exact: a hundred times faster than a system
// call is far from both, and half as much again is noise on a busy machine.
//
void BM_Malloc(benchmark::State& state, const Job& job, const Cell& cell) {
  if (const std::string why = not_measured(job, cell); !why.empty()) return state.SkipWithError(why.c_str());
  CellRun run(cell, job.timer, job.timer_ticks);
  LoopCounters loop;
  bool good = run.warm_up();
  loop.start();
  for (std::uint64_t left = state.max_iterations; good;) {
    const std::uint64_t now = std::min(std::max<std::uint64_t>(1, left), run.wanted());
    if (!state.KeepRunningBatch(static_cast<benchmark::IterationCount>(now))) break;
    const std::uint64_t before = run.figure_ticks();
    // A step may do less than was requested, at the end of a fixed number.
    for (std::uint64_t done = 0, n = 0; good && done < now; done += n) {
      n = run.step(now - done);
      good = n > 0;
    }
    state.SetIterationTime(job.timer.ns(run.figure_ticks() - before) / 1e9);
    left -= now;
  }
  loop.stop();
  if (!good) return state.SkipWithError(run.failure().c_str());
  for (const auto& [name, value] : figures(cell, run, job.timer, run.count(), loop)) state.counters[name] = value;
}

// Gives a reporter the plain names: Google Benchmark puts the number of iterations
// and the way of timing behind them, which would make another case of each run.
//
// Its cpu_time is of the whole loop with all that is not timed, and real_time of the
// timed windows: two numbers of different things side by side. Reading the processor's
// time around each window would cost more than a malloc, so that cpu_time repeats
// real_time, as in the static build, and the context says so (cpu_time_measured).
class PlainNames : public benchmark::BenchmarkReporter {
 public:
  explicit PlainNames(benchmark::BenchmarkReporter* inner) : inner_(inner) {}
  bool ReportContext(const Context& context) override {
    inner_->SetOutputStream(&GetOutputStream());
    inner_->SetErrorStream(&GetErrorStream());
    const bool good = inner_->ReportContext(context);
    flush();
    return good;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> plain = runs;
    for (Run& r : plain) {
      r.run_name.iterations.clear();
      r.run_name.time_type.clear();
      r.cpu_accumulated_time = r.real_accumulated_time;
      failed_ = failed_ || r.error_occurred;
    }
    inner_->ReportRuns(plain);
    flush();
  }
  void Finalize() override {
    inner_->Finalize();
    flush();
  }
  bool failed() const { return failed_; }
  const std::string& unwritten() const { return unwritten_; }  // why the output is not complete; "" when it is

 private:
  // Google Benchmark flushes, too, and does not look whether it succeeded.
  void flush() {
    errno = 0;
    if (GetOutputStream().flush().good() || !unwritten_.empty()) return;
    unwritten_ = errno != 0 ? std::strerror(errno) : "the stream failed";
  }

  std::unique_ptr<benchmark::BenchmarkReporter> inner_;
  bool failed_ = false;
  std::string unwritten_;
};

// Says that an answer is not complete. Returns whether it is.
bool written(const PlainNames& reporter, const std::string& where) {
  if (reporter.unwritten().empty()) return true;
  Out(2).print("malloc_bench: %s: writing the answer: %s\n", where.c_str(), reporter.unwritten().c_str());
  return false;
}

// The last argument that begins so, or "".
std::string last(const std::vector<std::string>& arguments, const std::string& prefix) {
  const auto at = std::find_if(arguments.rbegin(), arguments.rend(),
      [&](const std::string& a) { return a.starts_with(prefix); });
  return at == arguments.rend() ? "" : *at;
}

}  // namespace

int run_cells(const Job& job) {
  std::vector<std::string> arguments = {"malloc_bench"};
  arguments.insert(arguments.end(), job.line.rest.begin(), job.line.rest.end());
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(arguments.size());
  benchmark::Initialize(&argc, argv.data());
  if (benchmark::ReportUnrecognizedArguments(argc, argv.data())) return 2;
  for (const auto& [key, value] : job.context) benchmark::AddCustomContext(key, value);
  for (const Cell& cell : job.cells) {
    const std::string name = cell_name(cell, job.line.setting);
    auto* const b = benchmark::RegisterBenchmark(name.c_str(),
        [&job, cell](benchmark::State& state) { BM_Malloc(state, job, cell); })->UseManualTime();
    if (job.line.iterations > 0) b->Iterations(job.line.iterations);
  }
  const std::string out = last(arguments, "--benchmark_out=");
  PlainNames display(benchmark::CreateDefaultDisplayReporter()), file(new benchmark::JSONReporter);
  benchmark::RunSpecifiedBenchmarks(&display, out.empty() ? nullptr : &file);
  const bool shown = written(display, "standard output"), kept = written(file, out);
  return display.failed() || !shown || !kept ? 1 : 0;
}

}  // namespace malloc_bench

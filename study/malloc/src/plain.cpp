// The cells without Google Benchmark, for static builds: Debian has its library as
// a shared object and for glibc only. The same cells, the same figures, and the part
// of its JSON that tools read.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "front.h"
#include "out.h"

namespace malloc_bench {
namespace {

struct PlainOptions {
  double min_time = 0.5;  // seconds
  long repetitions = 1;
  std::string out;
};

// --benchmark_min_time, _repetitions, _out, and _format and _out_format if json.
Mistake read_plain(const std::vector<std::string>& arguments, PlainOptions& o) {
  for (const std::string& a : arguments) {
    const std::size_t equals = a.find('=');
    const std::string name = a.substr(0, equals), value = equals == a.npos ? "" : a.substr(equals + 1);
    char* end = nullptr;
    if (name == "--benchmark_min_time") o.min_time = std::strtod(value.c_str(), &end);
    else if (name == "--benchmark_repetitions") o.repetitions = std::strtol(value.c_str(), &end, 10);
    else if (name == "--benchmark_out") o.out = value;
    else if ((name != "--benchmark_format" && name != "--benchmark_out_format") || value != "json")
      return {a + ": this static build does not have it",
          "it knows --benchmark_filter, _list_tests, _min_time, _repetitions, _out and _format=json"};
    if (end != nullptr && (*end != 0 || value.empty()))
      return {a + ": \"" + value + "\" is no number", "for example --benchmark_min_time=0.1"};
  }
  if (!(o.min_time > 0) || o.repetitions < 1)
    return {"--benchmark_min_time and --benchmark_repetitions must be positive", "leave them out for 0.5 and 1"};
  return {};
}

struct Outcome {
  std::string error;
  std::uint64_t iterations = 0;
  double ns = 0;  // per operation
  std::vector<std::pair<const char*, double>> figures;
};

// n operations, or, when n is 0, as many as take min_time (or five times as long
// with the untimed parts, as in Google Benchmark).
Outcome measure(const Job& job, const Cell& cell, std::uint64_t n, double min_time) {
  Outcome o;
  o.error = not_measured(job, cell);
  if (!o.error.empty()) return o;
  CellRun run(cell, job.timer, job.timer_ticks);
  LoopCounters loop;
  bool good = run.warm_up();
  const std::uint64_t start = now_ns();
  loop.start();
  while (good) {
    const std::uint64_t done = run.timed().ops;
    if (n > 0 ? done >= n : job.timer.ns(run.figure_ticks()) >= min_time * 1e9 ||
        static_cast<double>(now_ns() - start) >= 5 * min_time * 1e9) break;
    good = run.step(n > 0 ? n - done : run.wanted()) > 0;
  }
  loop.stop();
  if (!good) {
    o.error = run.failure();
    return o;
  }
  o.iterations = run.timed().ops;
  o.ns = job.timer.ns(run.figure_ticks()) / static_cast<double>(o.iterations);
  o.figures = figures(cell, run, job.timer, run.count(), loop);
  std::sort(o.figures.begin(), o.figures.end(),
      [](const auto& a, const auto& b) { return std::string_view(a.first) < b.first; });
  return o;
}

void print(Out& out, const std::string& name, const Outcome& o, long repetition, long repetitions) {
  out.open('{');
  out.field("name", name.c_str());
  out.field("run_name", name.c_str());
  out.field("run_type", "iteration");
  out.field("repetitions", static_cast<std::int64_t>(repetitions));
  out.field("repetition_index", static_cast<std::int64_t>(repetition));
  out.field("threads", std::int64_t{1});
  if (!o.error.empty()) {
    out.field("error_occurred", true);
    out.field("error_message", o.error.c_str());
  }
  out.field("iterations", o.iterations);
  out.field("real_time", o.ns);
  out.field("cpu_time", o.ns);
  out.field("cpu_time_measured", false);  // it repeats real_time
  out.field("time_unit", "ns");
  for (const auto& [key, value] : o.figures) out.field(key, value);
  out.close('}');
  out.print("\n");
}

}  // namespace

int run_cells(const Job& job) {
  PlainOptions o;
  if (const Mistake m = read_plain(job.line.rest, o)) {
    Out(2).print("malloc_bench: %s\nhint: %s\n", m.text.c_str(), m.hint.c_str());
    return 2;
  }
  const int fd = o.out.empty() ? STDOUT_FILENO : open(o.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    Out(2).print("malloc_bench: --benchmark_out=%s: it cannot be written\n", o.out.c_str());
    return 1;
  }
  Out out(fd);
  bool good = true;
  out.open('{');
  out.open('{', "context");
  out.field("executable", "malloc_bench (static, without Google Benchmark)");
  for (const auto& [key, value] : job.context) out.field(key.c_str(), value.c_str());
  out.close('}');
  out.open('[', "benchmarks");
  for (const Cell& cell : job.cells)
    for (long r = 0; r < o.repetitions; ++r) {
      const Outcome outcome = measure(job, cell, static_cast<std::uint64_t>(job.line.iterations), o.min_time);
      good = good && outcome.error.empty();
      print(out, cell_name(cell, job.line.setting), outcome, r, o.repetitions);
      out.flush();
    }
  out.close(']');
  out.close('}');
  out.print("\n");
  out.flush();
  const int error = errno;
  const bool kept = !out.failed() && (o.out.empty() || close(fd) == 0);
  if (!kept) Out(2).print("malloc_bench: %s: writing the answer: %s\n",
        o.out.empty() ? "standard output" : ("--benchmark_out=" + o.out).c_str(),
        std::strerror(out.failed() ? error : errno));
  return good && kept ? 0 : 1;
}

}  // namespace malloc_bench

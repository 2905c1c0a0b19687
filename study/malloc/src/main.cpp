// Reads the command line, makes the settings, checks them, and calls a mode.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <unistd.h>

#include "check.h"
#include "front.h"
#include "modes.h"
#include "options.h"
#include "out.h"
#include "platform.h"
#include "prefault.h"
#include "tunables.h"

namespace malloc_bench {
namespace {

int complain(const Mistake& m, int status) {
  Out(2).print("malloc_bench: %s\nhint: %s\n", m.text.c_str(), m.hint.c_str());
  return status;
}

Mistake pin(const CommandLine& c) {
  if (c.options.cpu >= 0)
    if (const int error = platform::pin(c.options.cpu))
      return {"--cpu=" + std::to_string(c.options.cpu) + ": pinning to this CPU: " + std::strerror(error),
          "nproc says how many there are"};
  return {};
}

Mistake lock(const CommandLine& c) {
  if (!c.options.lock) return {};
  const char* call;
  const int error = platform::lock_memory(c.options.lock_onfault, &call);
  if (error == 0) return {};
  const std::int64_t limit = platform::memlock_limit();
  return {"-L: " + std::string(call) + ": " + std::strerror(error) +
      (limit < 0 ? "" : "; RLIMIT_MEMLOCK is " + std::to_string(limit) + " bytes"),
          "raise the limit (ulimit -l, or memlock in /etc/security/limits.conf), or run with CAP_IPC_LOCK"};
}

// Locks memory and takes the pool, as they were asked for.
Mistake settle(const CommandLine& c) {
  if (const Mistake m = lock(c)) return m;
  if (prefault(c.options.prefault)) return {};
  return {"--prefault=" + std::to_string(c.options.prefault) + ": malloc returned NULL",
      "less than the memory that is free, and than ulimit -v and -l allow"};
}

// `refused` is why no cell has a figure, "" where they have.
int run_google(const CommandLine& c, const std::vector<Check>& checks, const std::string& refused) {
  Job job{c, {}, refused, {}, 0, {}, {}};
  Mistake mistake;
  if (!make_job(job, checks, mistake)) return complain(mistake, 2);
  if (!c.list) return run_cells(job);
  Out out(STDOUT_FILENO);
  for (const Cell& cell : job.cells) out.print("%s\n", cell_name(cell, c.setting).c_str());
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  CommandLine c;
  if (const Mistake m = read_command_line(arguments, c)) return complain(m, 2);
  if (c.mode == Mode::kHelp) {
    Out(STDOUT_FILENO).print("%s", kUsage);
    return 0;
  }
  if (const Mistake m = check_environment_tunables()) return complain(m, 2);
  if (const Mistake m = set_knobs(c.options.knobs)) return complain(m, 2);
  if (c.thp_off)
    if (const int error = platform::thp_off())
      return complain({"--thp=never: " + std::string(std::strerror(error)),
          "this system may have no transparent huge pages"}, 1);
  std::vector<Check> checks;
  if (c.mode == Mode::kCheck || (c.mode == Mode::kCells && !c.list)) checks = check_settings(c);
  // Pinning and locking after the checks, whose children have neither.
  if (const Mistake m = pin(c)) return complain(m, 1);
  if (c.mode == Mode::kCheck) return run_check(c, checks);
  std::string refused;  // a list of cells needs neither
  if (!c.list)
    if (const Mistake m = settle(c)) {
      if (c.mode != Mode::kCells) return complain(m, 1);
      refused = m.text;
    }
  switch (c.mode) {
    case Mode::kProbe: return run_probe(c.options);
    case Mode::kLatency: return run_latency(c.options);
    case Mode::kThreads: return run_threads(c.options);
    case Mode::kMemory: return run_memory(c.options);
    default: return run_google(c, checks, refused);
  }
}

}  // namespace
}  // namespace malloc_bench

int main(int argc, char** argv) {
  static char buffer[BUFSIZ];  // stdio's own would come from the malloc under test
  std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  return malloc_bench::run(std::vector<std::string>(argv + 1, argv + argc));
}

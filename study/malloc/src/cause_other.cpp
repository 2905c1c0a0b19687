// CounterReader for other systems than Linux: the counters of the process that POSIX and
// BSD have.
#include <sys/resource.h>

#include "cause.h"

namespace malloc_bench {

CounterReader::CounterReader() noexcept = default;
CounterReader::~CounterReader() = default;

void CounterReader::read(Counters& c) noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  c.minor_faults = usage.ru_minflt;
  c.major_faults = usage.ru_majflt;
  c.voluntary = usage.ru_nvcsw;
  c.involuntary = usage.ru_nivcsw;
}

std::uint64_t CounterReader::tick() noexcept { return 0; }
double CounterReader::cheapest_event_ns(const Timer&) { return 0; }
const char* CounterReader::missing() noexcept {
  return "this system tells only page faults and context switches, and those of the whole process";
}

}  // namespace malloc_bench

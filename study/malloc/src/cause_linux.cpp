// CounterReader for Linux: getrusage of the thread, the break, and /proc/self/statm
// through a file kept open (proc(5)).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "cause.h"

namespace malloc_bench {
namespace {

std::int64_t clock_ns(clockid_t clock) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

// The shortest time that f took in n tries, in ns.
template <typename F>
double shortest(int n, const Timer& timer, F f) {
  std::uint64_t best = UINT64_MAX;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t from = ticks_begin();
    f(i);
    best = std::min(best, ticks_end() - from);
  }
  return timer.ns(best);
}

}  // namespace

CounterReader::CounterReader() noexcept : statm_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}

CounterReader::~CounterReader() {
  if (statm_ >= 0) close(statm_);
}

void CounterReader::read(Counters& c) noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  c.minor_faults = usage.ru_minflt;
  c.major_faults = usage.ru_majflt;
  c.voluntary = usage.ru_nvcsw;
  c.involuntary = usage.ru_nivcsw;
  c.brk = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(sbrk(0)));

  // size resident shared text lib data dt, in pages
  char text[128];
  const ssize_t n = statm_ >= 0 ? pread(statm_, text, sizeof text, 0) : 0;
  std::int64_t field[7] = {};
  int at = 0;
  for (ssize_t i = 0; i < n && at < 7; ++i) {
    if (text[i] >= '0' && text[i] <= '9')
      field[at] = field[at] * 10 + (text[i] - '0');
    else
      ++at;
  }
  c.vm = field[0];
  c.resident = field[1];
  c.data = field[5];
  c.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  c.wall_ns = clock_ns(CLOCK_MONOTONIC);
}

std::uint64_t CounterReader::tick() noexcept {
  // The coarse clock is the time at the last tick, read without a system call.
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return static_cast<std::uint64_t>(t.tv_nsec);
}

double CounterReader::cheapest_event_ns(const Timer& timer) {
  constexpr int kPages = 64;
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const map = mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return 0;
  madvise(map, kPages * page, MADV_NOHUGEPAGE);  // a huge page would give one fault for all
  // Under mlockall the pages are there already, and none can be given back: no fault
  // and no madvise would be measured, but two that do nothing.
  munlock(map, kPages * page);
  madvise(map, kPages * page, MADV_DONTNEED);
  char* const at = static_cast<char*>(map);
  const double fault =
      shortest(kPages, timer, [&](int i) { static_cast<volatile char*>(at)[static_cast<std::size_t>(i) * page] = 1; });
  const double advise =
      shortest(kPages, timer, [&](int i) { madvise(at + static_cast<std::size_t>(i) * page, page, MADV_DONTNEED); });
  munmap(map, kPages * page);
  void* fresh = MAP_FAILED;
  const double mapping = shortest(kPages, timer, [&](int) {
    fresh = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh != MAP_FAILED) munmap(fresh, page);
  });
  return std::min({fault, advise, mapping / 2}) / 2;
}

const char* CounterReader::missing() noexcept {
  return access("/proc/self/statm", R_OK) == 0
             ? ""
             : "/proc/self/statm cannot be read: mmap, munmap, mprotect and madvise are not told";
}

}  // namespace malloc_bench

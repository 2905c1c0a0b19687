#include "team.h"

#include <cerrno>
#include <cstring>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "platform.h"

namespace malloc_bench {
namespace {

#if defined(__linux__)

using CpuSet = cpu_set_t;

cpu_set_t usable(bool pin_anew) {
  cpu_set_t own, set;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  if (!pin_anew) return own;
  // Requesting all CPUs gives the allowed ones: the kernel removes the others.
  std::memset(&set, 0xff, sizeof set);
  if (sched_setaffinity(0, sizeof set, &set) != 0 || sched_getaffinity(0, sizeof set, &set) != 0) return own;
  sched_setaffinity(0, sizeof own, &own);
  return set;
}

// The n-th processor of a set; -1 if it has fewer.
int cpu_at(const cpu_set_t& set, unsigned n) {
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set) && n-- == 0) return cpu;
  return -1;
}

void spread(const cpu_set_t& set) { sched_setaffinity(0, sizeof set, &set); }

#else  // no way to choose processors

struct CpuSet {};
CpuSet usable(bool) { return {}; }
int cpu_at(const CpuSet&, unsigned) { return -1; }
void spread(const CpuSet&) {}

#endif

struct Member {
  void (*work)(void*, unsigned);
  void* context;
  unsigned thread;
  int cpu;  // -1: not pinned
  const CpuSet* cpus;
  std::atomic<int>* verdict;  // 0: wait; 1: go; -1: go home, the team is not complete
  bool pinned;
};

void* enter(void* p) {
  Member& m = *static_cast<Member*>(p);
  m.pinned = m.cpu >= 0 && platform::pin(m.cpu) == 0;
  if (m.cpu < 0) spread(*m.cpus);
  int verdict;
  while ((verdict = m.verdict->load(std::memory_order_acquire)) == 0) sched_yield();
  if (verdict > 0) m.work(m.context, m.thread);
  return nullptr;
}

}  // namespace

void StartLine::wait() noexcept {
  missing_.fetch_sub(1, std::memory_order_acq_rel);
  for (unsigned spins = 0; missing_.load(std::memory_order_acquire) != 0; ++spins)
    if (crowded_ && spins > 1000) sched_yield();
}

unsigned usable_cpus(bool pin_anew) {
#if defined(__linux__)
  const cpu_set_t set = usable(pin_anew);
  return static_cast<unsigned>(CPU_COUNT(&set));
#else
  (void)pin_anew;
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? static_cast<unsigned>(n) : 1;
#endif
}

TeamReport run_team(unsigned threads, bool pin_anew, void (*work)(void*, unsigned), void* context) {
  TeamReport report;
  if (threads <= 1) {
    report.pinned = usable_cpus(false) == 1;
    work(context, 0);
    return report;
  }
  if (threads > kMostThreads) {
    report.error = EINVAL;
    return report;
  }
  static Member members[kMostThreads];
  static pthread_t ids[kMostThreads];
  std::atomic<int> verdict{0};
  const bool room = threads <= usable_cpus(pin_anew);
  const CpuSet cpus = usable(pin_anew);
  unsigned started = 0;
  for (; started < threads; ++started) {
    members[started] = {work, context, started, room ? cpu_at(cpus, started) : -1, &cpus, &verdict, false};
    report.error = pthread_create(&ids[started], nullptr, enter, &members[started]);
    if (report.error != 0) break;
  }
  verdict.store(report.error == 0 ? 1 : -1, std::memory_order_release);
  report.pinned = room;
  for (unsigned i = 0; i < started; ++i) {
    pthread_join(ids[i], nullptr);
    report.pinned = report.pinned && members[i].pinned;
  }
  return report;
}

}  // namespace malloc_bench

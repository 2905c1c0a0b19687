#include "platform.h"

#if defined(__linux__)

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

namespace malloc_bench {

std::uint64_t now_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

namespace platform {
namespace {

#if defined(__GLIBC__)
constexpr bool kGlibc = true;
#else
constexpr bool kGlibc = false;
#endif

// Keys and ranges: malloc/malloc.h and __libc_mallopt in malloc/malloc.c of glibc 2.36
// (M_MXFAST: MAX_FAST_SIZE; M_MMAP_THRESHOLD: HEAP_MAX_SIZE / 2). M_NLBLKS, M_GRAIN,
// M_KEEP and M_CHECK_ACTION are taken and ignored there. The others: Android's
// malloc.h; QNX Neutrino's library reference, mallopt().
constexpr long long kHalfHeap = sizeof(long) == 8 ? 32 << 20 : 512 << 10;
constexpr KnobKey kKeys[] = {
    {"M_TRIM_THRESHOLD", -1, kGlibc, -1, INT_MAX, "glibc"},
    {"M_TOP_PAD", -2, kGlibc, 0, INT_MAX, "glibc"},
    {"M_MMAP_THRESHOLD", -3, kGlibc, 0, kHalfHeap, "glibc"},
    {"M_MMAP_MAX", -4, kGlibc, 0, INT_MAX, "glibc"},
    {"M_CHECK_ACTION", -5, kGlibc, 0, 7, "glibc"},
    {"M_PERTURB", -6, kGlibc, 0, 255, "glibc"},
    {"M_ARENA_TEST", -7, kGlibc, 1, INT_MAX, "glibc"},
    {"M_ARENA_MAX", -8, kGlibc, 1, INT_MAX, "glibc"},
    {"M_MXFAST", 1, kGlibc, 0, 80 * static_cast<long long>(sizeof(std::size_t)) / 4, "glibc"},
    {"M_NLBLKS", 2, kGlibc, 0, INT_MAX, "glibc"},
    {"M_GRAIN", 3, kGlibc, 0, INT_MAX, "glibc"},
    {"M_KEEP", 4, kGlibc, 0, INT_MAX, "glibc"},
    {"M_DECAY_TIME", 0, false, 0, 1, "Android"},
    {"M_PURGE", 0, false, 0, 0, "Android"},
    {"MALLOC_ARENA_SIZE", 0, false, 0, INT_MAX, "QNX"},
    {"MALLOC_ARENA_CACHE_FREE_NOW", 0, false, 0, 1, "QNX"},
    {"MALLOC_ARENA_CACHE_MAXBLK", 0, false, 0, INT_MAX, "QNX"},
    {"MALLOC_ARENA_CACHE_MAXSZ", 0, false, 0, INT_MAX, "QNX"},
    {"MALLOC_MEMORY_HOLD", 0, false, 0, 1, "QNX"},
    {"MALLOC_MONOTONIC_GROWTH", 0, false, 0, 1, "QNX"},
};

int statm() noexcept {
  static const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  return fd;
}

void read_mapped(Counters& c) noexcept {
  char text[128];
  const ssize_t n = pread(statm(), text, sizeof text - 1, 0);
  if (n <= 0) return;
  text[n] = 0;
  char* rest;
  const auto page = static_cast<std::int64_t>(page_bytes());
  c.mapped_bytes = std::strtoll(text, &rest, 10) * page;
  c.resident_bytes = std::strtoll(rest, nullptr, 10) * page;
}

// mallinfo2 describes the malloc of its own library, which may not be the one in use.
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 33)
#define MALLOC_BENCH_MALLINFO mallinfo2
#else
#define MALLOC_BENCH_MALLINFO mallinfo
#endif

void read_mallinfo(Counters& c) noexcept {
  static const bool speaks = knobs_reach_malloc();
  if (!speaks) return;
  const auto info = MALLOC_BENCH_MALLINFO();
  c.mmapped_blocks = static_cast<std::int64_t>(info.hblks);
  c.mmapped_bytes = static_cast<std::int64_t>(info.hblkhd);
  c.used_bytes = static_cast<std::int64_t>(info.uordblks);
  c.fast_blocks = static_cast<std::int64_t>(info.smblks);
}

// Of a chunk that is at the end of the heap so much remains; and a block of the thread cache is no larger (malloc/malloc.c).
constexpr std::size_t kLeastTop = 32, kMostCached = 1032;

void use_up_top() noexcept {
  for (int i = 0; i < 8; ++i) {
    const std::size_t top = static_cast<std::size_t>(MALLOC_BENCH_MALLINFO().keepcost);
    if (top <= kLeastTop + 16) return;
    void* p = std::malloc(top - kLeastTop - 16);
    asm volatile("" : : "r"(p) : "memory");
  }
}
#else
void read_mallinfo(Counters&) noexcept {}
#endif

}  // namespace

void use_up_heap() noexcept {
#if defined(__GLIBC__)
  if (!knobs_reach_malloc()) return;
  use_up_top();
  for (std::size_t size = 24; size <= kMostCached; size += 16) {
    for (bool fresh = false; !fresh;) {
      const auto mapped = MALLOC_BENCH_MALLINFO().hblks;
      const void* top = sbrk(0);
      void* p = std::malloc(size);
      asm volatile("" : : "r"(p) : "memory");
      if (MALLOC_BENCH_MALLINFO().hblks != mapped) std::free(p), fresh = true;
      fresh = fresh || sbrk(0) != top || p == nullptr;
    }
    use_up_top();
  }
#endif
}

bool read_faults(Counters& c) noexcept {
  rusage u;
  if (getrusage(RUSAGE_THREAD, &u) != 0) return false;
  c.minor_faults = u.ru_minflt;
  c.major_faults = u.ru_majflt;
  c.voluntary = u.ru_nvcsw;
  c.involuntary = u.ru_nivcsw;
  return true;
}

bool read_counters(Counters& c) noexcept {
  c.heap_top = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(sbrk(0)));
  read_mallinfo(c);
  read_mapped(c);
  return read_faults(c);
}

const KnobKey* knob_keys(std::size_t* n) noexcept {
  *n = sizeof kKeys / sizeof kKeys[0];
  return kKeys;
}

bool knobs_reach_malloc() noexcept {
#if !defined(__GLIBC__)
  return false;
#elif defined(MEMCOST_STATIC)
  return true;
#else
  Dl_info libc, file;
  return dladdr(reinterpret_cast<void*>(&gnu_get_libc_version), &libc) != 0 &&
      dladdr(reinterpret_cast<void*>(&std::malloc), &file) != 0 && libc.dli_fbase == file.dli_fbase;
#endif
}

bool set_knob([[maybe_unused]] int key, [[maybe_unused]] int value) noexcept {
#if defined(__GLIBC__)
  return mallopt(key, value) != 0;
#else
  return false;
#endif
}

bool no_top_pad() noexcept {
#if defined(__GLIBC__)
  return set_knob(M_TOP_PAD, 0);
#else
  return false;
#endif
}

const char* platform_name() noexcept {
#if defined(__GLIBC__)
  static char text[64];
  std::strcpy(text, "Linux, glibc ");
  std::strncat(text, gnu_get_libc_version(), sizeof text - 16);
  return text;
#else
  return "Linux, musl";
#endif
}

int lock_memory(bool onfault, const char** call) noexcept {
#if defined(MCL_ONFAULT)
  if (onfault) {
    *call = "mlockall(MCL_CURRENT|MCL_FUTURE|MCL_ONFAULT)";
    return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 ? 0 : errno;
  }
#else
  if (onfault) {
    *call = "MCL_ONFAULT, which this C library does not have";
    return ENOSYS;
  }
#endif
  *call = "mlockall(MCL_CURRENT|MCL_FUTURE)";
  return mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : errno;
}

int pin(int cpu) noexcept {
  if (cpu < 0 || cpu >= CPU_SETSIZE) return EINVAL;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

int current_cpu() noexcept { return sched_getcpu(); }

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

int thp_off() noexcept { return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0 ? 0 : errno; }

bool malloc_library([[maybe_unused]] char* path, [[maybe_unused]] std::size_t n) noexcept {
#if defined(MEMCOST_STATIC)
  return false;
#else
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&std::malloc), &info) == 0 || info.dli_fname == nullptr) return false;
  std::strncpy(path, info.dli_fname, n - 1);
  path[n - 1] = 0;
  return true;
#endif
}

}  // namespace platform
}  // namespace malloc_bench

#endif

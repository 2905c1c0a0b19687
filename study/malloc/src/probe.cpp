// The probe: one block of one size at a time, each phase timed and explained. A
// caller that looks for the size at which something changes starts a fresh process
// for each, because the heap remembers.
//
//   malloc_bench [SETTINGS] --probe=SIZE[,SIZE...] [--times=N] [--out=FILE]
//
// One JSON object a line and size. Times are nanoseconds with the timer's own
// (timer_ns) in them; "first" is the first block of the process, the rest are medians of the N
// after it; faults and calls are per block, counted in the last.
//
//   {"size", "times", "timer_ns",
//    "first": {"mechanism", "malloc_ns", "touch_ns", "free_ns", "malloc_faults", "touch_faults", "free_faults"},
//    "mechanism", "malloc_ns", "touch_ns", "free_ns", "malloc_faults", "touch_faults", "free_faults",
//    "heap_bytes": how far the break moved, "mmapped_blocks", "mapped_bytes",
//    "kept": a block takes no new page: freeing the one before gave none back,
//    "malloc_calls", "touch_calls", "free_calls": system calls,
//    "brk", "mmap", "munmap", "madvise", "mprotect", "mremap": of those, in all three,
//    "uncounted": why they are missing,
//    "null": why malloc failed}
//
// mechanism: "mmap" (a mapping for this block), "brk" (the heap grew), "tcache" (the
// heap had it, and keeps it as used when freed), "heap" (the allocator had it), all
// by what moved: not by what the size would make likely.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cell.h"
#include "latency_timer.h"
#include "mode_words.h"
#include "modes.h"
#include "out.h"
#include "platform.h"

namespace malloc_bench {
namespace {

constexpr int kPhaseCount = 3;
constexpr const char* kPhase[kPhaseCount] = {"malloc", "touch", "free"};
constexpr int kMostTimes = 10000;

struct Round {
  std::uint64_t ticks[kPhaseCount] = {};
  std::int64_t faults[kPhaseCount] = {};
  platform::Counters before, held, after;
};

struct Subject {
  std::size_t size, page;
  int error = 0;
  volatile int* selected = nullptr;
};

void touch(char* p, const Subject& s) {
  for (std::size_t at = 0; at < s.size; at += s.page) reinterpret_cast<volatile char*>(p)[at] = 1;
}

// One block. Counters are read between the phases.
bool one(Subject& s, Round& r) {
  r = Round{};
  platform::Counters faults[kPhaseCount + 1];
  platform::read_counters(r.before);
  platform::read_faults(faults[0]);
  errno = 0;
  std::uint64_t from = ticks_begin();
  void* p = std::malloc(s.size);
  asm volatile("" : "+r"(p) : : "memory");
  r.ticks[0] = ticks_end() - from;
  platform::read_faults(faults[1]);
  if (p == nullptr) {
    s.error = errno;
    return false;
  }
  platform::read_counters(r.held);
  platform::Counters start;
  platform::read_faults(start);
  from = ticks_begin();
  touch(static_cast<char*>(p), s);
  r.ticks[1] = ticks_end() - from;
  platform::read_faults(faults[2]);
  from = ticks_begin();
  std::free(p);
  r.ticks[2] = ticks_end() - from;
  platform::read_faults(faults[3]);
  platform::read_counters(r.after);
  r.faults[0] = faults[1].minor_faults - faults[0].minor_faults;
  r.faults[1] = faults[2].minor_faults - start.minor_faults;
  r.faults[2] = faults[3].minor_faults - faults[2].minor_faults;
  return true;
}

// The same in a child that counts system calls by phase.
void counted(void* context, volatile int* selected) {
  const auto& s = *static_cast<Subject*>(context);
  *selected = 0;
  void* p = std::malloc(s.size);
  asm volatile("" : "+r"(p) : : "memory");
  *selected = 1;
  if (p != nullptr) touch(static_cast<char*>(p), s);
  *selected = 2;
  std::free(p);
  *selected = -1;
}

const char* mechanism(const Round& r, std::size_t size, const platform::Calls* malloc_calls) {
  if (r.held.mmapped_blocks > r.before.mmapped_blocks) return "mmap";
  if (r.held.heap_top != r.before.heap_top) return "brk";
  // Allocators that mallinfo2 does not describe.
  if (malloc_calls != nullptr ? malloc_calls->mmap > 0
      : r.held.mapped_bytes - r.before.mapped_bytes >= static_cast<std::int64_t>(size)) return "mmap";
  if (r.held.used_bytes >= 0 && r.after.used_bytes == r.held.used_bytes) return "tcache";
  return "heap";
}

void print_round(Out& out, const Round& r, const Timer& timer) {
  char key[32];
  for (int p = 0; p < kPhaseCount; ++p) {
    std::snprintf(key, sizeof key, "%s_ns", kPhase[p]);
    out.field(key, timer.ns(r.ticks[p]));
  }
  for (int p = 0; p < kPhaseCount; ++p) {
    std::snprintf(key, sizeof key, "%s_faults", kPhase[p]);
    out.field(key, r.faults[p]);
  }
}

void print_calls(Out& out, const platform::Calls* calls) {
  char key[32];
  platform::Calls all;
  for (int p = 0; p < kPhaseCount; ++p) {
    std::snprintf(key, sizeof key, "%s_calls", kPhase[p]);
    out.field(key, calls[p].all());
    all.brk += calls[p].brk, all.mmap += calls[p].mmap, all.munmap += calls[p].munmap;
    all.madvise += calls[p].madvise, all.mprotect += calls[p].mprotect, all.mremap += calls[p].mremap;
  }
  out.field("brk", all.brk);
  out.field("mmap", all.mmap);
  out.field("munmap", all.munmap);
  out.field("madvise", all.madvise);
  out.field("mprotect", all.mprotect);
  out.field("mremap", all.mremap);
}

// The last round with the medians of all of them as its times.
Round median_of(Round* rounds, int n) {
  Round r = rounds[n - 1];
  for (int p = 0; p < kPhaseCount; ++p) {
    std::nth_element(rounds, rounds + n / 2, rounds + n,
        [p](const Round& a, const Round& b) { return a.ticks[p] < b.ticks[p]; });
    r.ticks[p] = rounds[n / 2].ticks[p];
  }
  return r;
}

void probe(Out& out, const Timer& timer, std::size_t size, int times, Round* rounds) {
  Subject s{size, platform::page_bytes()};
  out.open('{');
  out.field("size", static_cast<std::uint64_t>(size));
  out.field("times", static_cast<std::int64_t>(times));
  out.field("timer_ns", timer.ns(empty_interval_ticks()));
  Round first;
  bool good = size <= platform::memory_room().bytes / 2 && one(s, first);
  for (int i = 0; good && i < times; ++i) good = one(s, rounds[i]);
  if (!good) {
    out.field("null", s.error != 0 ? std::strerror(s.error) : "skipped: more than half of the memory that is left");
  } else {
    platform::Calls calls[kPhaseCount];
    const char* why = "";
    const bool told = platform::count_calls(calls, kPhaseCount, counted, &s, &why);
    out.open('{', "first");
    out.field("mechanism", mechanism(first, size, nullptr));
    print_round(out, first, timer);
    out.close('}');
    const Round r = median_of(rounds, times);
    out.field("mechanism", mechanism(r, size, told ? &calls[0] : nullptr));
    print_round(out, r, timer);
    out.field("heap_bytes", r.held.heap_top - r.before.heap_top);
    out.field("mmapped_blocks", r.held.mmapped_blocks < 0 ? -1 : r.held.mmapped_blocks - r.before.mmapped_blocks);
    out.field("mapped_bytes", r.held.mapped_bytes - r.before.mapped_bytes);
    out.field("kept", r.faults[0] + r.faults[1] == 0);
    if (told) print_calls(out, calls);
    else out.field("uncounted", why);
  }
  out.close('}');
  out.print("\n");
}

}  // namespace

int run_probe(const Options& options) {
  const int times = options.times > 0 ? std::min(options.times, kMostTimes) : 5;
  const int fd = open_answer(options);
  if (fd < 0) return 1;
  const Timer timer = calibrate_timer();
  auto* const rounds = static_cast<Round*>(own_alloc(static_cast<std::size_t>(times) * sizeof(Round)));
  platform::use_up_heap();
  for (const std::size_t size : options.sizes) {
    Out line(fd);
    probe(line, timer, size, times, rounds);
  }
  own_free(rounds);
  Out end(fd);
  return close_answer(options, end, fd) ? 0 : 1;
}

}  // namespace malloc_bench

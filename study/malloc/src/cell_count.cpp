// Counts the effects of a cell's cycle beside its time, in a few cycles of its own.
#include <algorithm>

#include "cell.h"

namespace malloc_bench {
namespace {

// The readings before each phase and after the last.
struct Readings {
  platform::Counters at[kPhases + 1];
  bool told = true;

  static void read(void* self, Phase p) {
    auto* const r = static_cast<Readings*>(self);
    const bool good = p == kGet || p == kTouch ? platform::read_counters(r->at[p]) : platform::read_faults(r->at[p]);
    r->told = good && r->told;
  }
};

double per(std::int64_t difference, std::size_t blocks) {
  return static_cast<double>(difference) / static_cast<double>(blocks);
}

// Returns the difference of a counter that is known on both sides, per block.
double moved(std::int64_t before, std::int64_t after, std::size_t blocks) {
  return before < 0 || after < 0 ? -1 : per(std::max<std::int64_t>(0, after - before), blocks);
}

}  // namespace

Counts CellRun::count() {
  Counts c;
  if (cell_.op == Op::kNoop || cell_.op == Op::kTimer) return c;
  Readings r;
  Timed ignored;
  // The first pays for what the readings themselves touch first.
  if (!cycle(cell_.blocks, ignored, Readings::read, &r) || !cycle(cell_.blocks, ignored, Readings::read, &r)) return c;
  if (r.told) {
    for (int p = 0; p < kPhases; ++p) c.faults[p] = moved(r.at[p].minor_faults, r.at[p + 1].minor_faults, cell_.blocks);
    const platform::Counters &before = r.at[kGet], &held = r.at[kTouch];
    c.mapped_blocks = moved(before.mmapped_blocks, held.mmapped_blocks, cell_.blocks);
    c.mapped_bytes = moved(before.mapped_bytes, held.mapped_bytes, cell_.blocks);
    c.heap_bytes = moved(before.heap_top, held.heap_top, cell_.blocks);
  }
  count_system_calls(c, cell_.blocks);
  return c;
}

void CellRun::count_system_calls(Counts& c, std::size_t blocks) {
  struct Job {
    CellRun* run;
    std::size_t blocks;
    volatile int* selected;
  } job{this, blocks, nullptr};
  const auto work = [](void* context, volatile int* selected) {
    auto* const j = static_cast<Job*>(context);
    j->selected = selected;
    Timed ignored;
    j->run->cycle(
        j->blocks, ignored,
        [](void* inner, Phase p) {
          volatile int* const s = static_cast<Job*>(inner)->selected;
          *s = p == kPhases ? -1 : static_cast<int>(p);
        },
        j);
  };
  platform::Calls calls[kPhases];
  if (!platform::count_calls(calls, kPhases, work, &job, &c.uncounted)) return;
  platform::Calls all;
  for (int p = 0; p < kPhases; ++p) {
    c.calls[p] = per(calls[p].all(), blocks);
    all.brk += calls[p].brk;
    all.mmap += calls[p].mmap;
    all.munmap += calls[p].munmap;
    all.madvise += calls[p].madvise;
    all.mprotect += calls[p].mprotect;
    all.mremap += calls[p].mremap;
  }
  c.brk = per(all.brk, blocks);
  c.mmap = per(all.mmap, blocks);
  c.munmap = per(all.munmap, blocks);
  c.madvise = per(all.madvise, blocks);
  c.mprotect = per(all.mprotect, blocks);
  c.mremap = per(all.mremap, blocks);
}

}  // namespace malloc_bench

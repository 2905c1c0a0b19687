// A cell: one operation on blocks of one size by one method, and how it is timed.
//
// Time is taken around batches (allocate k blocks, use them, free them in the order
// in which they came) and never around single calls, so that the timer costs at most
// 1% of what it times. method=published is the exception: one block at a time, as the
// published harness has it. What an empty interval shows is subtracted there, and
// `timer-share` says how much of the time it was.
// The front ends (../malloc_bench.cpp, plain.cpp) decide how long to go on and print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "latency_timer.h"
#include "platform.h"

namespace malloc_bench {

enum class Op : std::uint8_t {
  kMallocFree,       // malloc and free
  kMalloc,           // malloc alone; the other parts of the cycle are done, not timed
  kFree,             // free alone
  kCalloc,           // calloc alone
  kWalk,             // one byte written per page, after malloc
  kMemset,           // memset, after malloc
  kWalkAfterMemset,  // the walk, after malloc and memset
  kNoop,             // the loop of malloc_free with an allocator that does nothing: the floor
  kTimer,            // two readings of the timer
};
inline constexpr int kOps = 9;
enum class Method : std::uint8_t { kBatch, kPublished };

struct Cell {
  Op op = Op::kMallocFree;
  Method method = Method::kBatch;
  std::size_t size = 0;   // bytes
  std::size_t blocks = 1; // alive at once
  std::size_t most = 1;   // the most that the warm-up may raise that to, where blocks turn out too cheap for the timer
};

// "malloc_free" and so on, as in the cells' names.
const char* op_name(Op) noexcept;

// What the choice of blocks depends on.
struct Bounds {
  std::size_t footprint = std::size_t{16} << 20;  // bytes written to by a batch
  bool locked = false;                            // mlockall: a block is resident at once
  platform::Room memory, addresses;
};

// All cells for these sizes (8 B ... 1 GiB by doubling when empty).
std::vector<Cell> all_cells(const std::vector<std::size_t>& sizes, const Bounds&);

// "Malloc/op=walk/size=4096/method=batch/setting=default"
std::string cell_name(const Cell&, const std::string& setting);

// The phases of a cycle, in their order.
enum Phase { kGet, kTouch, kPut, kPhases };

// The measured times: ticks per phase, or all of them in kGet where a window is timed as
// one (malloc_free, noop, timer).
struct Timed {
  std::uint64_t ops = 0;
  std::uint64_t ticks[kPhases] = {};
  std::uint64_t raw[kPhases] = {};  // the same with what was subtracted for the timer
  std::uint64_t windows = 0;        // intervals timed, per phase
};

// The effects of one operation's cycle beside its time, counted separately from the
// timing. -1: unknown.
struct Counts {
  double faults[kPhases] = {-1, -1, -1};
  double calls[kPhases] = {-1, -1, -1};  // system calls
  double brk = -1, mmap = -1, munmap = -1, madvise = -1, mprotect = -1, mremap = -1;
  double mapped_blocks = -1;  // of each requested block, how many glibc mapped separately
  double mapped_bytes = -1;   // growth of the address space while the block is alive
  double heap_bytes = -1;     // by how far the break moved for it
  const char* uncounted = ""; // why system calls were not counted
};

class CellRun {
 public:
  // `timer_ticks` is the measured length of an empty interval.
  CellRun(const Cell&, const Timer&, std::uint64_t timer_ticks);
  ~CellRun();
  CellRun(const CellRun&) = delete;
  CellRun& operator=(const CellRun&) = delete;

  // Brings the heap into the cell's steady state and finds how many operations make
  // a window long enough for the timer. False when an allocation failed.
  bool warm_up();
  // Runs at most `most` operations, times them, and returns how many were done:
  // the front end's account of iterations. 0 when an allocation failed.
  std::uint64_t step(std::uint64_t most);
  // How many operations the next step would like to do.
  std::uint64_t wanted() const noexcept { return cell_.blocks * repeats_; }
  // Counts faults, system calls and mappings; to be called after the timing.
  Counts count();

  std::size_t blocks() const noexcept { return cell_.blocks; }
  const Timed& timed() const noexcept { return timed_; }
  // Returns the ticks of the phase that the cell's figure is made of.
  std::uint64_t figure_ticks() const noexcept { return timed_.ticks[figure()]; }
  // The timer's part of what was timed for them.
  double timer_share() const noexcept;
  // Why an allocation failed: "malloc(8388608) returned NULL: ...".
  std::string failure() const;

 private:
  bool cycle(std::size_t blocks, Timed&, void (*between)(void*, Phase), void* context);
  bool pairs(std::size_t blocks, std::uint64_t repeats, Timed&);
  void count_system_calls(Counts&, std::size_t blocks);
  bool whole() const noexcept;  // timed as a whole
  bool aligned() noexcept;  // whether the last blocks are; else misaligned_ is one that is not
  bool long_enough(std::uint64_t ticks) const noexcept;  // a window of repeats_ batches
  void add(Timed&, Phase, std::uint64_t ticks) const noexcept;
  Phase figure() const noexcept;  // the phase that the cell's figure is
  bool get(std::size_t blocks) noexcept;
  void touch(std::size_t blocks) noexcept;
  void put(std::size_t blocks) noexcept;

  Cell cell_;
  const Timer timer_;
  const std::uint64_t timer_ticks_;
  const std::size_t page_;
  void** const blocks_;
  std::uint64_t repeats_ = 1;
  Timed timed_;
  int error_ = 0;
  const void* misaligned_ = nullptr;
};

// What the timer shows for an empty interval, in ticks: the median of many.
std::uint64_t empty_interval_ticks() noexcept;

// Returns why a cell is not measured on this machine: too little memory. "" if it is.
std::string too_large(const Cell&, const Bounds&);

}  // namespace malloc_bench

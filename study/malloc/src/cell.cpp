#include "cell.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace malloc_bench {
namespace {

// Makes the compiler believe that a block is used: a malloc whose result goes only
// to free may be left out ([expr.new], and by GCC for malloc too).
inline void escape(void*& p) noexcept { asm volatile("" : "+r"(p) : : "memory"); }

struct Real {
  static void* get(std::size_t n) noexcept { return std::malloc(n); }
  static void put(void* p) noexcept { std::free(p); }
};

struct Zeroed : Real {
  static void* get(std::size_t n) noexcept { return std::calloc(1, n); }
};

// The floor: what the loop, the array of blocks and the test for NULL cost.
struct Noop {
  static void* get(std::size_t) noexcept {
    static char block[16];
    return block;
  }
  static void put(void*) noexcept {}
};

template <class A>
inline std::size_t get_all(void** blocks, std::size_t n, std::size_t size) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    void* p = A::get(size);
    escape(p);
    if (p == nullptr) [[unlikely]] return i;
    blocks[i] = p;
  }
  return n;
}

template <class A>
inline void put_all(void** blocks, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    void* p = blocks[i];
    escape(p);
    A::put(p);
  }
}

template <class A>
bool pairs_of(void** blocks, std::size_t n, std::size_t size, std::uint64_t repeats) noexcept {
  for (std::uint64_t r = 0; r < repeats; ++r) {
    const std::size_t got = get_all<A>(blocks, n, size);
    put_all<A>(blocks, got);
    if (got < n) [[unlikely]] return false;
  }
  return true;
}

void walk(void* p, std::size_t size, std::size_t page) noexcept {
  auto* const bytes = static_cast<volatile char*>(p);
  for (std::size_t at = 0; at < size; at += page) bytes[at] = 1;
}

}  // namespace

CellRun::CellRun(const Cell& cell, const Timer& timer, std::uint64_t timer_ticks)
    : cell_(cell), timer_(timer), timer_ticks_(timer_ticks), page_(platform::page_bytes()),
        blocks_(static_cast<void**>(own_alloc(cell.most * sizeof(void*)))) {
  std::memset(blocks_, 0, cell.most * sizeof(void*));
}

CellRun::~CellRun() { own_free(blocks_); }

bool CellRun::whole() const noexcept {
  return cell_.op == Op::kMallocFree || cell_.op == Op::kNoop || cell_.op == Op::kTimer;
}

bool CellRun::get(std::size_t blocks) noexcept {
  errno = 0;
  const std::size_t got = cell_.op == Op::kCalloc ? get_all<Zeroed>(blocks_, blocks, cell_.size)
      : get_all<Real>(blocks_, blocks, cell_.size);
  if (got == blocks) return true;
  error_ = errno;
  put(got);
  return false;
}

void CellRun::touch(std::size_t blocks) noexcept {
  for (std::size_t i = 0; i < blocks; ++i) {
    if (cell_.op == Op::kMemset) {
      std::memset(blocks_[i], 1, cell_.size);
      escape(blocks_[i]);
    } else {
      walk(blocks_[i], cell_.size, page_);
    }
  }
}

void CellRun::put(std::size_t blocks) noexcept { put_all<Real>(blocks_, blocks); }

void CellRun::add(Timed& timed, Phase p, std::uint64_t ticks) const noexcept {
  const bool subtract = cell_.method == Method::kPublished && !whole();
  timed.raw[p] += ticks;
  timed.ticks[p] += !subtract ? ticks : ticks > timer_ticks_ ? ticks - timer_ticks_ : 0;
}

// Runs one batch, each phase timed separately. `between` (may be null) is called before
// each phase and, with kPhases, after the last, outside the timed parts.
bool CellRun::cycle(std::size_t blocks, Timed& timed, void (*between)(void*, Phase), void* context) {
  const auto tell = [&](Phase p) {
    if (between != nullptr) between(context, p);
  };
  tell(kGet);
  std::uint64_t from = ticks_begin();
  const bool got = get(blocks);
  add(timed, kGet, ticks_end() - from);
  if (!got) return false;
  if (cell_.op == Op::kWalkAfterMemset)
    for (std::size_t i = 0; i < blocks; ++i) std::memset(blocks_[i], 1, cell_.size);
  tell(kTouch);
  if (cell_.op == Op::kWalk || cell_.op == Op::kMemset || cell_.op == Op::kWalkAfterMemset) {
    from = ticks_begin();
    touch(blocks);
    add(timed, kTouch, ticks_end() - from);
  }
  tell(kPut);
  from = ticks_begin();
  put(blocks);
  add(timed, kPut, ticks_end() - from);
  tell(kPhases);
  timed.ops += blocks;
  ++timed.windows;
  return true;
}

// `repeats` batches as one timed window.
bool CellRun::pairs(std::size_t blocks, std::uint64_t repeats, Timed& timed) {
  errno = 0;
  bool good = true;
  const std::uint64_t from = ticks_begin();
  if (cell_.op == Op::kNoop) good = pairs_of<Noop>(blocks_, blocks, cell_.size, repeats);
  else if (cell_.op == Op::kMallocFree) good = pairs_of<Real>(blocks_, blocks, cell_.size, repeats);
  else
    for (std::uint64_t r = 0; r < repeats; ++r) ticks_begin(), ticks_end();
  add(timed, kGet, ticks_end() - from);
  if (!good) {
    error_ = errno;
    return false;
  }
  timed.ops += blocks * repeats;
  ++timed.windows;
  return true;
}

// Three cycles at least. With glibc's dynamic threshold the first block is mmapped and
// its free raises the threshold, the second makes the heap grow (and calloc knows that
// it is fresh), and only the third finds what all later ones find.
bool CellRun::warm_up() {
  Timed ignored;
  for (int i = 0; i < 2; ++i)
    if (whole() ? !pairs(cell_.blocks, 1, ignored) : !cycle(cell_.blocks, ignored, nullptr, nullptr)) return false;
  if (!aligned()) return false;
  for (;;) {
    Timed last;
    if (whole() ? !pairs(cell_.blocks, repeats_, last) : !cycle(cell_.blocks, last, nullptr, nullptr)) return false;
    if (long_enough(last.raw[figure()])) return true;
    if (whole()) repeats_ *= 2;
    else if (cell_.blocks * 2 <= cell_.most) cell_.blocks *= 2;
    else return true;
  }
}

// A block begins where any object of its size may lie ([basic.stc.dynamic.allocation] and C's
// malloc). What lies elsewhere is faster or slower than any program may have it.
bool CellRun::aligned() noexcept {
  std::size_t must = alignof(std::max_align_t);
  while (must > cell_.size) must /= 2;
  if (cell_.op == Op::kNoop || cell_.op == Op::kTimer) return true;
  for (std::uint64_t i = 0; i < cell_.blocks; ++i)
    if (reinterpret_cast<std::uintptr_t>(blocks_[i]) % must != 0) {
      misaligned_ = blocks_[i];
      return false;
    }
  return true;
}

// A window of 200 timer readings is twice what 1% takes; what is optimised away
// would never get there.
bool CellRun::long_enough(std::uint64_t ticks) const noexcept {
  return ticks >= 200 * timer_ticks_ || cell_.blocks * repeats_ >= std::uint64_t{1} << 20;
}

std::uint64_t CellRun::step(std::uint64_t most) {
  const std::uint64_t before = timed_.ops, blocks = std::min<std::uint64_t>(cell_.blocks, most);
  const std::uint64_t repeats = std::min(repeats_, std::max<std::uint64_t>(1, most / cell_.blocks));
  const std::uint64_t ticks = timed_.ticks[kGet];
  const bool good = whole() ? pairs(blocks, repeats, timed_) : cycle(blocks, timed_, nullptr, nullptr);
  // The warm-up's last window may have been disturbed, and musl becomes faster
  // gradually.
  if (good && whole() && repeats == repeats_ && !long_enough(timed_.ticks[kGet] - ticks)) repeats_ *= 2;
  return good ? timed_.ops - before : 0;
}

Phase CellRun::figure() const noexcept {
  switch (cell_.op) {
    case Op::kWalk:
    case Op::kMemset:
    case Op::kWalkAfterMemset: return kTouch;
    case Op::kFree: return kPut;
    default: return kGet;
  }
}

double CellRun::timer_share() const noexcept {
  const auto all = static_cast<double>(timed_.raw[figure()]);
  return all > 0 ? static_cast<double>(timed_.windows * timer_ticks_) / all : 0;
}

std::string CellRun::failure() const {
  if (misaligned_ != nullptr) {
    char end[3];
    std::snprintf(end, sizeof end, "%02x", static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(misaligned_) & 0xff));
    return "malloc(" + std::to_string(cell_.size) + ") returned an address that ends in " + end +
        ": it is not aligned for every type";
  }
  std::string text = cell_.op == Op::kCalloc ? "calloc(1, " : "malloc(";
  text += std::to_string(cell_.size) + ") returned NULL: " + (error_ != 0 ? std::strerror(error_) : "errno is not set");
  if (cell_.blocks > 1) text += "; up to " + std::to_string(cell_.blocks) + " such blocks are alive at once";
  const std::int64_t limit = platform::memlock_limit(), locked = platform::locked_bytes();
  const auto needed = static_cast<std::int64_t>(cell_.size * cell_.blocks);
  if (limit >= 0 && locked > 0 && needed > limit - locked)
    return "RLIMIT_MEMLOCK is " + std::to_string(needed - (limit - locked)) + " bytes too small: it is " +
        std::to_string(limit) + " bytes, of which the program has " + std::to_string(locked) + ", and " +
        std::to_string(cell_.blocks) + (cell_.blocks == 1 ? " block of " : " blocks of ") + std::to_string(cell_.size) +
        " are locked besides";
  const platform::Room room = platform::memory_room();
  text += "; " + std::string(room.limit) + " leaves " + std::to_string(room.bytes) + " bytes";
  return text;
}

std::uint64_t empty_interval_ticks() noexcept {
  constexpr int kTimes = 1001;
  static std::uint64_t ticks[kTimes];
  for (std::uint64_t& t : ticks) {
    const std::uint64_t from = ticks_begin();
    t = ticks_end() - from;
  }
  std::nth_element(ticks, ticks + kTimes / 2, ticks + kTimes);
  return std::max<std::uint64_t>(1, ticks[kTimes / 2]);
}

}  // namespace malloc_bench

// The probes: what an allocator with a setting does that one without does not. They
// run in a child that ends afterwards, and free only what a probe is about.
//
// Rules from malloc/malloc.c of glibc 2.36: sysmalloc (threshold, top pad), systrim
// and _int_free (trimming), free_perturb and alloc_perturb, do_set_mxfast, and
// malloc/arena.c, arena_get2.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "platform.h"

namespace malloc_bench {
namespace {

constexpr std::size_t kHeapBlock = 60 << 10;  // small enough for the heap by default, too large for tcache and fastbins
constexpr long long kMiB = 1 << 20;

// The compiler leaves out a malloc whose result is never used.
void* take(std::size_t n) noexcept {
  void* p = std::malloc(n);
  asm volatile("" : "+r"(p) : : "memory");
  return p;
}

platform::Counters now() noexcept {
  platform::Counters c;
  platform::read_counters(c);
  return c;
}

// Blocks of one size that are freed together.
class Blocks {
 public:
  explicit Blocks(std::size_t most) : most_(most), all_(static_cast<void**>(own_alloc(most * sizeof(void*)))) {}
  bool add(std::size_t size) {
    if (n_ == most_) return false;
    void* const p = take(size);
    if (p != nullptr) all_[n_++] = p;
    return p != nullptr;
  }
  void free_all() {
    while (n_ > 0) std::free(all_[--n_]);
  }
  void* last() const { return all_[n_ - 1]; }

 private:
  std::size_t most_, n_ = 0;
  void** all_;
};

enum class From { kHeap, kMapping, kNeither };

// Where the system memory for blocks of a size comes from: allocates until one of the
// two moves (the first ones may fit into what the heap has left).
From source(const Effect& e, std::size_t size) {
  const platform::Counters before = now();
  const auto left = static_cast<std::size_t>(5 * kMiB + std::max(e.top_pad, 0LL));
  for (std::size_t i = 0; i < 4 + left / size; ++i) {
    if (take(size) == nullptr) return From::kNeither;
    const platform::Counters after = now();
    if (after.mmapped_blocks > before.mmapped_blocks) return From::kMapping;
    if (after.heap_top != before.heap_top) return From::kHeap;
  }
  return From::kNeither;
}

const char* word(From f) {
  return f == From::kHeap ? "from the heap" : f == From::kMapping ? "mmapped" : "from neither heap nor mapping";
}

bool heap_usable(const Effect& e, Seen& seen) {
  if (source(e, kHeapBlock) == From::kHeap) return true;
  seen.say(Check::kUntestable, "blocks of %zu bytes do not come from the heap here (M_MMAP_THRESHOLD=%lld)", kHeapBlock,
      e.mmap_threshold);
  return false;
}

// Grows the heap by at least `bytes` with blocks, frees them all, and returns by how
// much the break then fell.
long long fall_after(long long bytes, std::size_t block = kHeapBlock) {
  Blocks blocks(static_cast<std::size_t>(bytes) / block + 4096);
  const std::int64_t start = now().heap_top;
  while (now().heap_top - start < bytes && blocks.add(block)) {
  }
  const std::int64_t high = now().heap_top;
  blocks.free_all();
  return high - now().heap_top;
}

// By how much the break moves at a time.
long long step_of_break(std::size_t block = kHeapBlock) {
  Blocks blocks(1 << 17);
  std::int64_t moves[2] = {}, at = now().heap_top;
  for (std::int64_t& move : moves)
    while (move == 0 && blocks.add(block)) {
      move = now().heap_top - at;
      at += move;
    }
  blocks.free_all();
  return moves[1];
}

// Without a top pad the threshold alone decides what a free at the heap's top gives
// back (with one, nothing below the pad is, so that 0 and the default of 128 KiB are
// the same): the break must stay while less than the threshold is free, and fall when
// more is. glibc looks at it from 64 KiB on, FASTBIN_CONSOLIDATION_THRESHOLD. Only
// here, where the heap is a child's: setting the pad also ends the dynamic threshold.
void trim_exactly(const Effect& e, Seen& seen) {
  constexpr std::size_t kSmall = 12 << 10;
  constexpr long long kLook = 64 << 10, kMargin = 24 << 10;  // kSmall, two pages, and what malloc adds
  if (!platform::no_top_pad() || step_of_break(kSmall) > kMargin) return;
  source(e, kSmall);  // uses up what the old pad left
  const long long less = e.value - kMargin, more = std::max(e.value, kLook) + kMargin;
  if (less >= kLook + kMargin / 2) {
    const long long fell = fall_after(less, kSmall);
    if (fell > 0)
      return seen.say(Check::kNone,
          "without a top pad, the break fell by %lld when %lld bytes of blocks were freed", fell, less);
    source(e, kSmall);
  }
  const long long fell = fall_after(more, kSmall);
  if (fell <= 0)
    return seen.say(Check::kNone, "without a top pad, the break stayed when %lld bytes of blocks were freed", more);
  if (less >= kLook + kMargin / 2)
    seen.say(Check::kTook,
        "without a top pad, the break stayed when %lld bytes of blocks were freed, and fell by %lld for %lld", less,
        fell, more);
  else
    seen.say(Check::kTook, "without a top pad, the break fell by %lld when %lld bytes of blocks were freed", fell,
        more);
}

// By default the threshold rises with the first mmapped block that is freed, to twice
// its size; set, it stays. Below 28 MiB the break must fall in spite of such a block,
// and from 256 KiB on it must not fall for less.
void trim_threshold(const Effect& e, Seen& seen) {
  if (!heap_usable(e, seen)) return;
  const bool never = e.value < 0;
  if (never || e.value >= 256 * 1024) {
    const long long less = never ? 64 * kMiB : std::min(e.value / 2, 64 * kMiB);
    const long long fell = fall_after(less);
    if (fell > 0)
      return seen.say(Check::kNone, "the break fell by %lld when %lld bytes of blocks were freed", fell, less);
    seen.say(Check::kTook, "the break stayed when %lld bytes of blocks were freed", less);
  }
  if (never || e.value > 28 * kMiB) return;
  const long long more = e.value + step_of_break() + 512 * 1024;
  std::free(take(static_cast<std::size_t>(std::min(std::max(kMiB, more), 31 * kMiB))));
  const long long fell = fall_after(more);
  if (fell <= 0) return seen.say(Check::kNone, "the break stayed when %lld bytes of blocks were freed", more);
  seen.say(Check::kTook, "the break fell by %lld when %lld bytes of blocks were freed after an mmapped block", fell,
      more);
  trim_exactly(e, seen);
}

void top_pad(const Effect& e, Seen& seen) {
  if (!heap_usable(e, seen)) return;
  const long long step = step_of_break(), huge = platform::thp_mode()[0] != 0 ? 2 * kMiB : 0;
  const bool exact = e.value <= step && step <= e.value + static_cast<long long>(kHeapBlock) +
      3 * static_cast<long long>(platform::page_bytes());
  // With huge pages for the heap (glibc.malloc.hugetlb) each step is rounded up to one.
  const bool rounded = step % std::max(huge, 1LL) == 0 && e.value <= step && step <= e.value + 2 * huge;
  seen.say(exact || (huge > 0 && rounded) ? Check::kTook : Check::kNone, "the break moves by %lld for blocks of %zu",
      step, kHeapBlock);
}

void mmap_threshold(const Effect& e, Seen& seen) {
  if (e.mmap_max == 0) return seen.say(Check::kUntestable, "M_MMAP_MAX=0 keeps every block from being mmapped");
  const auto at = static_cast<std::size_t>(std::max(e.value, 4096LL));
  const From f = source(e, at);
  if (f != From::kMapping) return seen.say(Check::kNone, "blocks of %zu bytes come %s", at, word(f));
  if (e.value < 8192)
    return seen.say(Check::kTook, "blocks of %zu bytes are mmapped once the heap's rest is used up", at);
  const std::size_t below = static_cast<std::size_t>(e.value) - 64;
  const From g = source(e, below);
  seen.say(g == From::kHeap ? Check::kTook : Check::kNone, "blocks of %zu bytes are mmapped, of %zu are %s", at, below,
      word(g));
}

void mmap_max(const Effect& e, Seen& seen) {
  constexpr long long kMost = 2000;
  if (e.value > kMost) return seen.say(Check::kUntestable, "it would take more than %lld mapped blocks to see", kMost);
  const auto size = static_cast<std::size_t>(std::max(e.mmap_threshold, 2 * kMiB));
  const platform::Counters before = now();
  for (long long i = 0; i <= e.value; ++i)
    if (take(size) == nullptr) return seen.say(Check::kUntestable, "malloc(%zu) returned NULL", size);
  const std::int64_t mapped = now().mmapped_blocks;
  seen.say(mapped == std::max<std::int64_t>(e.value, before.mmapped_blocks) ? Check::kTook : Check::kNone,
      "of %lld blocks of %zu bytes %lld are mmapped", e.value + 1, size,
           static_cast<long long>(mapped - before.mmapped_blocks));
}

void perturb(const Effect& e, Seen& seen) {
  constexpr std::size_t kSize = 5000;  // tcache, which does not perturb, ends at 1,032
  const auto* const p = static_cast<unsigned char*>(take(kSize));
  if (p == nullptr) return;
  const unsigned wanted = e.value == 0 ? p[100] : (static_cast<unsigned>(e.value) ^ 0xff) & 0xff;
  seen.say(p[100] == wanted ? Check::kTook : Check::kNone, "a new block holds 0x%02x", p[100]);
}

// How many of 64 freed blocks of a size lie in fastbins.
long long in_fastbins(std::size_t size) {
  Blocks blocks(64);
  while (blocks.add(size)) {
  }
  const std::int64_t before = now().fast_blocks;
  blocks.free_all();
  return now().fast_blocks - before;
}

void mxfast(const Effect& e, Seen& seen) {
  const bool some = e.value >= 24;
  const auto in = static_cast<std::size_t>(some ? e.value - 8 : 24), out = static_cast<std::size_t>(e.value + 40);
  const long long of_in = in_fastbins(in), of_out = in_fastbins(out);
  const bool good = some ? of_in > 0 && of_out == 0 : of_in == 0;
  seen.say(good ? Check::kTook : Check::kNone, "of 64 freed blocks of %zu bytes %lld lie in fastbins, of %zu %lld", in,
      of_in, out, of_out);
}

// tcache's blocks count as used; what it does not take is free or merged. Less than 0
// is for blocks that are mapped, which it never takes.
long long in_tcache(std::size_t size, std::size_t n) {
  Blocks blocks(n);
  const std::int64_t before = now().used_bytes;
  while (blocks.add(size)) {
  }
  const std::int64_t each = (now().used_bytes - before) / static_cast<std::int64_t>(n);
  if (each < static_cast<std::int64_t>(size)) return -1;
  take(size);  // keeps the last from merging with the top
  const std::int64_t held = now().used_bytes;
  blocks.free_all();
  const std::int64_t freed = held - now().used_bytes;
  return static_cast<long long>(n) - freed / std::max<std::int64_t>(each, 1);
}

void tcache_count(const Effect& e, Seen& seen) {
  const std::size_t n = static_cast<std::size_t>(e.value) + 20;
  // MAX_TCACHE_COUNT, malloc/malloc.c
  if (e.value < 0 || e.value > 65535) return seen.say(Check::kNone, "glibc takes 0 to 65535");
  constexpr std::size_t kSize = 200;  // above any fastbin
  const long long kept = in_tcache(kSize, n);
  seen.say(kept == e.value ? Check::kTook : Check::kNone, "of %zu freed blocks of %zu bytes tcache keeps %lld", n,
      kSize, kept);
}

void tcache_max(const Effect& e, Seen& seen) {
  const auto in = static_cast<std::size_t>(std::max(e.value, 200LL)), out = in + 64;
  const long long of_in = in_tcache(in, 30), of_out = in_tcache(out, 30);
  const bool good = (e.value < 200 || of_in > 0) && of_out == 0;
  seen.say(good ? Check::kTook : Check::kNone, "of 30 freed blocks of %zu bytes tcache keeps %lld, of %zu %lld", in,
      of_in, out, of_out);
}

struct Arenas {
  static constexpr int kMost = 66;
  pthread_barrier_t barrier;
  std::uintptr_t heap_of[kMost];  // the 64 MiB that a block lies in, 0 for the main arena
  int at = 0;
};

void* one_arena(void* context) {
  auto* const a = static_cast<Arenas*>(context);
  const auto p = reinterpret_cast<std::uintptr_t>(take(3000));
  const auto top = reinterpret_cast<std::uintptr_t>(sbrk(0));
  const int at = __atomic_fetch_add(&a->at, 1, __ATOMIC_SEQ_CST);
  a->heap_of[at] = p < top && p + (std::uintptr_t{1} << 30) > top ? 0 : p >> 26;
  pthread_barrier_wait(&a->barrier);
  return nullptr;
}

void arena_max(const Effect& e, Seen& seen) {
  if (e.value < 1 || e.value > Arenas::kMost - 2)
    return seen.say(Check::kUntestable, "it would take %lld threads to see", e.value + 2);
  Arenas a;
  const int threads = static_cast<int>(e.value) + 2;
  pthread_barrier_init(&a.barrier, nullptr, static_cast<unsigned>(threads));
  pthread_t ids[Arenas::kMost];
  for (int i = 0; i < threads; ++i)
    if (pthread_create(&ids[i], nullptr, one_arena, &a) != 0)
      return seen.say(Check::kUntestable, "%d threads could not be started", threads);
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], nullptr);
  std::sort(a.heap_of, a.heap_of + threads);
  const long long others = std::unique(a.heap_of, a.heap_of + threads) - a.heap_of - (a.heap_of[0] == 0 ? 1 : 0);
  seen.say(others + 1 == e.value ? Check::kTook : Check::kNone,
      "%d threads at once use %lld arenas beside the main one", threads, others);
}

void hugetlb(const Effect& e, Seen& seen) {
  constexpr std::size_t kSize = 48 * kMiB;
  auto* const p = static_cast<char*>(take(kSize));
  if (p == nullptr) return seen.say(Check::kNone, "malloc(%zu) returned NULL", kSize);
  for (std::size_t at = 0; at < kSize; at += platform::page_bytes()) p[at] = 1;
  platform::Mapping m;
  if (!platform::mapping_of(p + kSize / 2, m))
    return seen.say(Check::kUntestable, "the system does not tell what pages a block has");
  const bool good = e.value == 0 ? m.hugetlb == 0 : e.value == 1 ? m.anon_huge > 0 : m.hugetlb > 0;
  seen.say(good ? Check::kTook : Check::kNone,
           "of a block of %zu bytes %lld lie in transparent huge pages and %lld in hugetlb pages "
           "(thp is %s, %lld hugetlb pages are free)",
           kSize, static_cast<long long>(m.anon_huge), static_cast<long long>(m.hugetlb), platform::thp_mode(),
           static_cast<long long>(platform::hugetlb_free()));
}

void thp_never([[maybe_unused]] const Effect& e, Seen& seen) {
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t kSize = 8 * kMiB;
  void* const memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (memory == MAP_FAILED) return;
  madvise(memory, kSize, MADV_HUGEPAGE);
  std::memset(memory, 1, kSize);
  platform::Mapping m;
  if (!platform::mapping_of(static_cast<char*>(memory) + kSize / 2, m))
    return seen.say(Check::kUntestable, "the system does not tell what pages a block has");
  seen.say(m.anon_huge == 0 ? Check::kTook : Check::kNone, "of %zu bytes with MADV_HUGEPAGE %lld lie in huge pages",
      kSize, static_cast<long long>(m.anon_huge));
#else
  seen.say(Check::kUntestable, "this system has no transparent huge pages");
#endif
}

// A child has no locks of its parent's: it locks for itself.
void lock(const Effect& e, Seen& seen) {
  std::size_t size = 4 * kMiB;
  const char* call;
  if (const int error = platform::lock_memory(e.onfault, &call))
    return seen.say(Check::kNone, "%s: %s", call, std::strerror(error));
  // Under a limit the cells that fit are measured: the block here need only show that memory is locked.
  const std::int64_t limit = platform::memlock_limit(), room = limit - platform::locked_bytes();
  if (limit >= 0 && room < 2 * static_cast<std::int64_t>(size)) size = std::max<std::int64_t>(room, 0) / 4;
  if (size < 64 << 10)
    return seen.say(Check::kNone, "the program alone locks %lld of the %lld bytes of RLIMIT_MEMLOCK",
        static_cast<long long>(limit - room), static_cast<long long>(limit));
  platform::Counters before, got, touched;
  platform::read_faults(before);
  auto* const p = static_cast<char*>(take(size));
  platform::read_faults(got);
  if (p == nullptr)
    return seen.say(Check::kNone, "malloc(%zu) returns NULL then: RLIMIT_MEMLOCK is %lld bytes", size,
        static_cast<long long>(platform::memlock_limit()));
  for (std::size_t at = 0; at < size; at += platform::page_bytes()) p[at] = 1;
  platform::read_faults(touched);
  platform::Mapping m;
  const bool locked = platform::mapping_of(p, m) && m.locked > 0;
  const std::int64_t in_malloc = got.minor_faults - before.minor_faults,
      in_touch = touched.minor_faults - got.minor_faults;
  const bool good = locked && (e.onfault ? in_malloc < in_touch : in_malloc > in_touch);
  seen.say(good ? Check::kTook : Check::kNone,
      "a block of %zu bytes: %lld faults in malloc, %lld at its first touch, %lld bytes of its mapping locked", size,
           static_cast<long long>(in_malloc), static_cast<long long>(in_touch), static_cast<long long>(m.locked));
}

void ignored(const Effect&, Seen& seen) { seen.say(Check::kNone, "glibc takes it and ignores it"); }

}  // namespace

void (*effect_probe(const std::string& name))(const Effect&, Seen&) {
  static constexpr struct {
    const char* name;
    void (*probe)(const Effect&, Seen&);
  } kProbes[] = {
      {"TRIM_THRESHOLD", trim_threshold}, {"TOP_PAD", top_pad},       {"MMAP_THRESHOLD", mmap_threshold},
      {"MMAP_MAX", mmap_max},             {"PERTURB", perturb},       {"MXFAST", mxfast},
      {"TCACHE_COUNT", tcache_count},     {"TCACHE_MAX", tcache_max}, {"ARENA_MAX", arena_max},
      {"HUGETLB", hugetlb},   {"LOCK", lock},       {"THP", thp_never},
      {"CHECK_ACTION", ignored},          {"NLBLKS", ignored},        {"GRAIN", ignored},
      {"KEEP", ignored},
  };
  for (const auto& p : kProbes)
    if (name == p.name) return p.probe;
  return nullptr;
}

}  // namespace malloc_bench

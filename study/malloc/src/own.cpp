// Memory of our own, and operator new made of it: what this program and Google
// Benchmark keep (names, counters, results) is C++ and so never comes from the
// malloc under test. C's own users of malloc inside the libraries remain; they run
// before and after the cells, not in them (docs/studies/malloc.md, "Its own memory").
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include "platform.h"

namespace malloc_bench {
namespace {

// Each block has one cache line in front of it, which keeps blocks aligned to 64.
struct alignas(64) Header {
  std::size_t bytes;  // of the whole block, header included; a power of two up to kLargest
  Header* next;       // while it is free
};
constexpr std::size_t kLargest = std::size_t{64} << 10;  // above: a mapping each
constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr int kClasses = 17;  // 2^0 ... 2^16

std::atomic_flag busy = ATOMIC_FLAG_INIT;
Header* free_blocks[kClasses];
char *chunk_at, *chunk_end;

class Lock {
 public:
  Lock() noexcept {
    while (busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Lock() { busy.clear(std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

// Maps pages and makes them resident at once, so that no fault of the program's own
// happens in a cell.
char* map_pages(std::size_t bytes) noexcept {
  int flags = MAP_PRIVATE | MAP_ANON;
#ifdef MAP_POPULATE
  flags |= MAP_POPULATE;
#endif
  void* const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (p != MAP_FAILED) return static_cast<char*>(p);
  // With all memory locked (-L) the limit of locked memory is reached long before memory
  // runs out.
  const long long limit = static_cast<long long>(platform::memlock_limit());
  char text[200];
  int n = std::snprintf(text, sizeof text, "malloc_bench: no memory left for its own records: mmap of %zu bytes: %s\n",
      bytes, std::strerror(errno));
  if (errno == EAGAIN && limit >= 0)
    n = std::snprintf(text, sizeof text,
                      "malloc_bench: no memory left for its own records: mmap of %zu bytes: RLIMIT_MEMLOCK is %lld "
                      "bytes\n"
                      "hint: raise it (ulimit -l), or run with CAP_IPC_LOCK\n",
                      bytes, limit);
  if (write(2, text, static_cast<std::size_t>(n)) < 0) std::abort();
  _exit(1);
}

Header* small_block(int size_class) noexcept {
  const Lock lock;
  if (Header* const h = free_blocks[size_class]) {
    free_blocks[size_class] = h->next;
    return h;
  }
  const std::size_t bytes = std::size_t{1} << size_class;
  if (static_cast<std::size_t>(chunk_end - chunk_at) < bytes) {
    chunk_at = map_pages(kChunk);
    chunk_end = chunk_at + kChunk;
  }
  auto* const h = reinterpret_cast<Header*>(chunk_at);
  chunk_at += bytes;
  h->bytes = bytes;
  return h;
}

}  // namespace

void* own_alloc(std::size_t n) noexcept {
  const std::size_t bytes = n + sizeof(Header);
  Header* h;
  if (bytes <= kLargest) {
    h = small_block(64 - __builtin_clzll(bytes - 1));
  } else {
    const std::size_t page = platform::page_bytes(), whole = (bytes + page - 1) / page * page;
    h = reinterpret_cast<Header*>(map_pages(whole));
    h->bytes = whole;
  }
  return h + 1;
}

void own_free(void* p) noexcept {
  if (p == nullptr) return;
  Header* const h = static_cast<Header*>(p) - 1;
  if (h->bytes > kLargest) {
    munmap(h, h->bytes);
    return;
  }
  const int size_class = __builtin_ctzll(h->bytes);
  const Lock lock;
  h->next = free_blocks[size_class];
  free_blocks[size_class] = h;
}

}  // namespace malloc_bench

// The other operators ([new.delete.single], [new.delete.array]) call these.
void* operator new(std::size_t n) { return malloc_bench::own_alloc(n); }
void operator delete(void* p) noexcept { malloc_bench::own_free(p); }
void operator delete(void* p, std::size_t) noexcept { malloc_bench::own_free(p); }

// An allocator with a known fault, for tests: preloaded, it does what PLANT says in
// every 1,000th malloc of 64 bytes and otherwise asks the C library.
//
//   sleep    sleeps 200 us              spin     computes for 200 us
//   mapping  maps 1 MiB, and unmaps it in the next free of such a block
//   fault    touches a fresh page       brk      moves the break by a page
//   madvise  gives 64 pages back        null     returns NULL
//   random   computes for 200 us in calls that no seed decides, about as often
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr std::size_t kPool = std::size_t{256} << 20, kStep = std::size_t{64} * 4096, kMapping = std::size_t{1} << 20;

void* (*next_malloc)(std::size_t);
void (*next_free)(void*);
char* pool;
std::size_t pool_at;
void* mapping;
std::uint64_t calls;

std::uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

void spin() {
  for (const std::uint64_t from = now(); now() - from < 200'000;) {
  }
}

const char* plant() {
  static const char* const what = std::getenv("PLANT");
  return what == nullptr ? "" : what;
}
bool is(const char* what) { return std::strcmp(plant(), what) == 0; }

void prepare() {
  next_malloc = reinterpret_cast<void* (*)(std::size_t)>(dlsym(RTLD_NEXT, "malloc"));
  next_free = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_NEXT, "free"));
  pool = static_cast<char*>(
      mmap(nullptr, kPool, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  madvise(pool, kPool, MADV_NOHUGEPAGE);
  if (is("madvise")) std::memset(pool, 1, kPool);
}

// False: malloc is to return NULL.
bool strike() {
  if (is("null")) return false;
  if (is("sleep")) {
    const timespec wait{0, 200'000};
    nanosleep(&wait, nullptr);
  } else if (is("spin") || is("random")) {
    spin();
  } else if (is("mapping")) {
    mapping = mmap(nullptr, kMapping, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  } else if (is("brk")) {
    if (sbrk(4096) == reinterpret_cast<void*>(-1)) return false;
  } else if (pool_at < kPool) {
    if (is("fault")) pool[pool_at] = 1;
    if (is("madvise")) madvise(pool + pool_at, kStep, MADV_DONTNEED);
    pool_at += kStep;
  }
  return true;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void* malloc(std::size_t n) {
  if (next_malloc == nullptr) prepare();
  if (n != 64) return next_malloc(n);
  ++calls;
  const bool now_it_is = is("random") ? (now() / 64) % 1000 == 0 : calls % 1000 == 0;
  if (now_it_is && !strike()) return nullptr;
  return next_malloc(n);
}

extern "C" __attribute__((visibility("default"))) void free(void* p) {
  if (next_free == nullptr) prepare();
  if (p != nullptr && mapping != nullptr) {
    munmap(mapping, kMapping);
    mapping = nullptr;
  }
  next_free(p);
}

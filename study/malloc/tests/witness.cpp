// An allocator that watches, for tests: preloaded, it asks the C library and counts
// the calls for blocks of WITNESS_SIZE bytes and all others. At the end of the process
// it writes one line to standard error:
//
//   witness: cell N others-before N others-between N others-after N largest-other BYTES
//
// "before" is before the first call for a block of that size, "between" those until
// the last one.
#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

void* (*next_malloc)(std::size_t);
std::size_t size;
unsigned long cell, before, between, since, largest;
pid_t process;

void note(std::size_t n) {
  if (n == size) {
    ++cell;
    between += since;
    since = 0;
    return;
  }
  if (n > largest) largest = n;
  ++(cell == 0 ? before : since);
}

__attribute__((constructor)) void start() {
  const char* const text = std::getenv("WITNESS_SIZE");
  size = text != nullptr ? std::strtoul(text, nullptr, 10) : 0;
  process = getpid();
}

__attribute__((destructor)) void report() {
  if (getpid() != process) return;
  char line[200];
  const int n = std::snprintf(line, sizeof line, "witness: cell %lu others-before %lu others-between %lu others-after "
                                                 "%lu largest-other %lu\n", cell, before, between, since, largest);
  if (write(2, line, static_cast<std::size_t>(n)) < 0) return;
}

}  // namespace

extern "C" void* malloc(std::size_t n) {
  if (next_malloc == nullptr) next_malloc = reinterpret_cast<void* (*)(std::size_t)>(dlsym(RTLD_NEXT, "malloc"));
  note(n);
  return next_malloc(n);
}

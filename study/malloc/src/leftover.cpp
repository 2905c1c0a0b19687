#include "leftover.h"

#include <cstdlib>

#include "platform.h"

namespace malloc_bench {

// The program's own leftovers are some hundred KiB; a heap that does not grow for as
// much as this is not going to.
constexpr std::size_t kMostBytes = std::size_t{8} << 20;

void use_up_leftovers(std::size_t size) noexcept {
  platform::Counters before, after;
  if (!platform::read_counters(before) || before.mmapped_blocks < 0) return;
  for (std::size_t taken = 0; taken < kMostBytes; taken += size + 16) {
    void* const p = std::malloc(size);
    asm volatile("" : : "r"(p) : "memory");
    if (p == nullptr) return;
    platform::read_counters(after);
    if (after.heap_top != before.heap_top || after.mmapped_blocks != before.mmapped_blocks) return std::free(p);
  }
}

}  // namespace malloc_bench

#include "prefault.h"

#include <cstdlib>
#include <cstring>

namespace malloc_bench {

bool prefault(std::size_t bytes) noexcept {
  if (bytes == 0) return true;
  void* const pool = std::malloc(bytes);
  if (pool == nullptr) return false;
  std::memset(pool, 1, bytes);
  asm volatile("" : : "g"(pool) : "memory");  // the writes are not left out because nobody reads them
  std::free(pool);
  return true;
}

}  // namespace malloc_bench

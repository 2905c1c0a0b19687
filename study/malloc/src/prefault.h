// A pool that is resident before the first call, as real-time programs make one.
#pragma once

#include <cstddef>

namespace malloc_bench {

// Allocates a block of so many bytes, writes to all of it, and frees it: an allocator that
// keeps it has its pages from then on. False when there is none.
bool prefault(std::size_t bytes) noexcept;

}  // namespace malloc_bench

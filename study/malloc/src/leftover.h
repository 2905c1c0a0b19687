// What the program itself left in the heap under test.
#pragma once

#include <cstddef>

namespace malloc_bench {

// Before the cells began, options, names and Google Benchmark took memory from the same
// heap and gave it back: free blocks that would serve a cell of up to their size for
// nothing, where a program without them would have to ask the system each time. This
// takes blocks of the cell's size, for good, until one makes the heap grow or is mapped;
// then only the top of the heap is left to serve it. Does nothing where the system or
// the allocator does not tell that (only glibc's does).
void use_up_leftovers(std::size_t size) noexcept;

}  // namespace malloc_bench

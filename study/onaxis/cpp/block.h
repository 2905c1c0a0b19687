// The operation of the study in C++: what one block of n bytes costs from having it to giving it
// back. touch_block is the counterpart of touch in touch_test.go.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onaxis {

// What an operation does.
enum class Work {
  kBlock,  // calloc, touch, free
  kWrite,  // memset of a block that is there: the floor by size
  kLoop,   // nothing: the floor of the loop
};

// One operation on a block of n bytes. It returns what it loaded; 0 where there was no memory.
using Operation = std::uint64_t (*)(void* resident, std::size_t n);

// The value that each touched word is given.
inline constexpr std::uint64_t kMark = 1;

// The distance of two stores.
inline constexpr std::size_t kLine = 64;

Operation operation_of(Work work);

// Writes kMark into the first word of each line of 64 bytes, and returns the last of them.
std::uint64_t touch_block(unsigned char* p, std::size_t n);

// Has two blocks, one after the other: finds each of them all zero, finds after touching that its
// lines, and nothing else, have changed, and leaves each full of ones. Returns "" or what is wrong.
const char* inspect(std::size_t n);

}  // namespace onaxis

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): small, fast, and any seed is a good one.
#pragma once

#include <cstdint>

namespace malloc_bench {

struct Random {
  std::uint64_t state;
  std::uint64_t next() noexcept {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // 0 .. n-1; 0 for n = 0.
  std::uint64_t below(std::uint64_t n) noexcept {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
  }
};

// The compiler must take the block to be used: it may remove a malloc and a free without
// visible effect.
inline void used(void* p) noexcept { asm volatile("" : : "g"(p) : "memory"); }

}  // namespace malloc_bench

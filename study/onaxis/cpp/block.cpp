#include "block.h"

#include <cstdlib>
#include <cstring>

namespace onaxis {
namespace {

// Makes the compiler believe that a block is used elsewhere.
inline void escape(void* p) noexcept { asm volatile("" : : "r"(p) : "memory"); }

[[gnu::noinline]] std::uint64_t block(void*, std::size_t n) {
  auto* const p = static_cast<unsigned char*>(std::calloc(1, n));
  if (p == nullptr) [[unlikely]] return 0;
  const std::uint64_t loaded = touch_block(p, n);
  escape(p);
  std::free(p);
  return loaded;
}

[[gnu::noinline]] std::uint64_t write(void* resident, std::size_t n) {
  std::memset(resident, 0, n);
  escape(resident);
  return kMark;
}

[[gnu::noinline]] std::uint64_t nothing(void* resident, std::size_t) {
  escape(resident);
  return kMark;
}

// Counts the words that are not zero.
std::size_t written(const unsigned char* p, std::size_t n) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < n; at += sizeof(kMark))
    count += *reinterpret_cast<const std::uint64_t*>(p + at) != 0;
  return count;
}

}  // namespace

Operation operation_of(Work work) {
  switch (work) {
    case Work::kWrite: return write;
    case Work::kLoop: return nothing;
    default: return block;
  }
}

[[gnu::noinline]] std::uint64_t touch_block(unsigned char* p, std::size_t n) {
  for (std::size_t at = 0; at < n; at += kLine) *reinterpret_cast<std::uint64_t*>(p + at) = kMark;
  escape(p);
  return *reinterpret_cast<std::uint64_t*>(p + ((n - 1) & ~(kLine - 1)));
}

const char* inspect(std::size_t n) {
  for (int times = 0; times < 2; ++times) {
    auto* const p = static_cast<unsigned char*>(std::calloc(1, n));
    if (p == nullptr) return "calloc gave no memory";
    const char* wrong = "";
    if (written(p, n) != 0) wrong = "a block that was had is not all zero";
    touch_block(p, n);
    if (written(p, n) != (n + kLine - 1) / kLine) wrong = "touching wrote other words than the first of each line";
    std::memset(p, 0xff, n);
    escape(p);
    std::free(p);
    if (*wrong != '\0') return wrong;
  }
  return "";
}

}  // namespace onaxis

// A system of which only POSIX is known: every knob and lock is refused by name, and
// counters are unknown.
#include "platform.h"

#if !defined(__linux__)

#include <cerrno>
#include <ctime>

#include <unistd.h>

namespace malloc_bench {

std::uint64_t now_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

namespace platform {
namespace {

constexpr KnobKey kKeys[] = {
    {"M_TRIM_THRESHOLD", 0, false, 0, 0, "glibc"}, {"M_TOP_PAD", 0, false, 0, 0, "glibc"},
    {"M_MMAP_THRESHOLD", 0, false, 0, 0, "glibc"}, {"M_MMAP_MAX", 0, false, 0, 0, "glibc"},
    {"M_ARENA_MAX", 0, false, 0, 0, "glibc"}, {"M_ARENA_TEST", 0, false, 0, 0, "glibc"},
    {"M_MXFAST", 0, false, 0, 0, "glibc"}, {"M_PERTURB", 0, false, 0, 0, "glibc"},
    {"M_CHECK_ACTION", 0, false, 0, 0, "glibc"}, {"M_DECAY_TIME", 0, false, 0, 0, "Android"},
    {"M_PURGE", 0, false, 0, 0, "Android"}, {"MALLOC_ARENA_SIZE", 0, false, 0, 0, "QNX"},
    {"MALLOC_MEMORY_HOLD", 0, false, 0, 0, "QNX"}, {"MALLOC_MONOTONIC_GROWTH", 0, false, 0, 0, "QNX"},
};

}  // namespace

bool read_counters(Counters&) noexcept { return false; }
bool read_faults(Counters&) noexcept { return false; }

const KnobKey* knob_keys(std::size_t* n) noexcept {
  *n = sizeof kKeys / sizeof kKeys[0];
  return kKeys;
}
bool knobs_reach_malloc() noexcept { return false; }
bool has_tunables() noexcept { return false; }
std::size_t list_tunables(char*, std::size_t) noexcept { return 0; }
void use_up_heap() noexcept {}
bool no_top_pad() noexcept { return false; }
bool set_knob(int, int) noexcept { return false; }
const char* platform_name() noexcept { return "an unknown system"; }

int lock_memory(bool, const char** call) noexcept {
  *call = "mlockall";
  return ENOSYS;
}
std::int64_t locked_bytes() noexcept { return -1; }
bool mapping_of(const void*, Mapping&) noexcept { return false; }
int pin(int) noexcept { return ENOSYS; }
int current_cpu() noexcept { return -1; }
std::size_t page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
Room memory_room() noexcept { return {}; }
Room address_room() noexcept { return {}; }
std::int64_t memlock_limit() noexcept { return -1; }
bool malloc_library(char*, std::size_t) noexcept { return false; }
bool count_calls(Calls*, int, void (*)(void*, volatile int*), void*, const char** why) noexcept {
  *why = "this system does not count system calls";
  return false;
}
const char* thp_mode() noexcept { return ""; }
int thp_off() noexcept { return ENOSYS; }
std::int64_t hugetlb_free() noexcept { return -1; }

}  // namespace platform
}  // namespace malloc_bench

#endif

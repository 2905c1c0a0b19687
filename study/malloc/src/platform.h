// What depends on the operating system and its malloc: mallopt, mallinfo2, mlockall,
// procfs, CPU pinning, counting of system calls. platform_linux*.cpp have it for Linux
// (glibc and musl), platform_none.cpp refuses by name for all others.
//
// Nothing here allocates from the malloc under test.
#pragma once

#include <cstddef>
#include <cstdint>

namespace malloc_bench {

// A mallopt key that some platform has.
struct KnobKey {
  const char* name;   // "M_TRIM_THRESHOLD"
  int key;            // of this platform
  bool here;          // this platform has it
  long long lowest, highest;
  const char* where;  // who has it, for the refusal: "glibc"
};

namespace platform {

// Counters of the process (faults, switches: of the calling thread). A field that the
// platform or the allocator does not report is -1.
struct Counters {
  std::int64_t minor_faults = -1, major_faults = -1;
  std::int64_t voluntary = -1, involuntary = -1;
  std::int64_t heap_top = -1;       // the break, as an address
  std::int64_t mmapped_blocks = -1; // mallinfo2().hblks: glibc's own blocks, while glibc's malloc is the one in use
  std::int64_t mmapped_bytes = -1;  // mallinfo2().hblkhd
  std::int64_t used_bytes = -1;     // mallinfo2().uordblks: in use on the heap, what tcache holds included
  std::int64_t fast_blocks = -1;    // mallinfo2().smblks: free blocks in fastbins
  std::int64_t mapped_bytes = -1;   // the whole address space (statm)
  std::int64_t resident_bytes = -1;
};

// Returns false when the system reports nothing. Takes some microseconds: outside timed
// parts.
bool read_counters(Counters&) noexcept;
// Only faults and switches: about 0.3 us.
bool read_faults(Counters&) noexcept;

// Every mallopt key known anywhere; *n becomes their number.
const KnobKey* knob_keys(std::size_t* n) noexcept;
// Reports whether malloc is the C library's own. Others may have a mallopt and a
// mallinfo2, but none that does the same as glibc's.
bool knobs_reach_malloc() noexcept;
// True when the allocator said that it took the setting.
bool set_knob(int key, int value) noexcept;
// Whether the C library reads GLIBC_TUNABLES; and what its program interpreter prints
// of them into `text`: the bytes written, 0 when it cannot be asked. Takes about 1 ms.
bool has_tunables() noexcept;
std::size_t list_tunables(char* text, std::size_t size) noexcept;
// Sets M_TOP_PAD to 0 (a probe's own need). False where there is no such key.
bool no_top_pad() noexcept;
// Takes what is free on the heap and in the thread cache, so that the next block finds what it would in a program that has
// allocated nothing: what this program and its libraries did before is not to be seen in it. It does nothing where the
// malloc in use does not tell what it has.
void use_up_heap() noexcept;
const char* platform_name() noexcept;  // "Linux, glibc 2.36"

// 0, or errno. *call names what failed ("mlockall(MCL_CURRENT|MCL_FUTURE)").
int lock_memory(bool onfault, const char** call) noexcept;
// Returns the bytes of /proc/self/status VmLck; -1: unknown.
std::int64_t locked_bytes() noexcept;
// Bytes of the mapping around p: its size, and how much of it is anonymous huge
// pages, or of hugetlb pages. False: unknown.
struct Mapping {
  std::int64_t bytes = 0, resident = 0, anon_huge = 0, hugetlb = 0, locked = 0, page = 0;
};
bool mapping_of(const void* p, Mapping&) noexcept;

int pin(int cpu) noexcept;  // 0, or errno
int current_cpu() noexcept;  // -1: unknown

std::size_t page_bytes() noexcept;
// What may still be allocated without a limit being near, and which limit is the
// least: for memory that is written (MemAvailable, the cgroup's room, and all that
// limits addresses), and for addresses alone (RLIMIT_AS, RLIMIT_DATA, the commit
// limit where the system keeps one).
struct Room {
  std::uint64_t bytes = UINT64_MAX;
  const char* limit = "nothing";
};
Room memory_room() noexcept;
Room address_room() noexcept;
// Returns RLIMIT_MEMLOCK in bytes; -1: none, unknown, or not for a process with CAP_IPC_LOCK.
std::int64_t memlock_limit() noexcept;

// Writes the file that contains the malloc in use ("/usr/lib/.../libjemalloc.so.2") into
// `path`; false: unknown (a static program, no dladdr).
bool malloc_library(char* path, std::size_t n) noexcept;

// The system calls that an allocator makes, by name.
struct Calls {
  std::int64_t brk = 0, mmap = 0, munmap = 0, madvise = 0, mprotect = 0, mremap = 0, futex = 0, other = 0;
  std::int64_t all() const noexcept { return brk + mmap + munmap + madvise + mprotect + mremap + futex + other; }
};
// Runs work(context, selected) in a forked child, in which every system call is
// counted into calls[*selected] of the n elements (none while it is negative), and
// copies what was counted back. False where the system cannot count, with the
// reason in *why. The child has the parent's heap, but not its memory locks.
bool count_calls(Calls* calls, int n, void (*work)(void* context, volatile int* selected), void* context,
    const char** why) noexcept;

// Transparent huge pages: "always", "madvise" or "never" as the system is set, "" where
// it is unknown; and off for this process (0, or errno).
const char* thp_mode() noexcept;
int thp_off() noexcept;
// Returns the number of free hugetlb pages; -1: unknown.
std::int64_t hugetlb_free() noexcept;

}  // namespace platform

// A monotonic clock in nanoseconds.
std::uint64_t now_ns() noexcept;

// Allocates from the program's own arena of mmapped pages: it never comes from the
// malloc under test and never moves its heap. Safe from several threads. It ends the
// program when the system has no memory left. Zeroed when fresh, not when reused.
void* own_alloc(std::size_t) noexcept;
void own_free(void*) noexcept;

}  // namespace malloc_bench

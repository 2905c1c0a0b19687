// Reads procfs, sysfs and the cgroup without stdio, whose buffers would come from the
// malloc under test.
#include "platform.h"

#if defined(__linux__)

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace malloc_bench::platform {
namespace {

// The lines of a file, one after another; longer ones are cut.
class Lines {
 public:
  explicit Lines(const char* path) noexcept : fd_(open(path, O_RDONLY | O_CLOEXEC)) {}
  ~Lines() {
    if (fd_ >= 0) close(fd_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  const char* next() noexcept {
    std::size_t n = 0;
    for (char c; get(c);) {
      if (c == '\n') {
        line_[n] = 0;
        return line_;
      }
      if (n + 1 < sizeof line_) line_[n++] = c;
    }
    line_[n] = 0;
    return n > 0 ? line_ : nullptr;
  }

 private:
  bool get(char& c) noexcept {
    if (at_ == end_) {
      const ssize_t n = fd_ < 0 ? -1 : read(fd_, buffer_, sizeof buffer_);
      if (n <= 0) return false;
      at_ = buffer_;
      end_ = buffer_ + n;
    }
    c = *at_++;
    return true;
  }

  int fd_;
  char *at_ = nullptr, *end_ = nullptr;
  char buffer_[4096], line_[512];
};

// The number behind "Name:" in a line of "Name:   123 kB", in bytes.
bool kilobytes(const char* line, const char* name, std::int64_t& bytes) noexcept {
  const std::size_t n = std::strlen(name);
  if (std::strncmp(line, name, n) != 0 || line[n] != ':') return false;
  bytes = std::strtoll(line + n + 1, nullptr, 10) * 1024;
  return true;
}

std::int64_t kilobytes_in(const char* path, const char* name) noexcept {
  Lines lines(path);
  std::int64_t bytes = -1;
  while (const char* line = lines.next())
    if (kilobytes(line, name, bytes)) break;
  return bytes;
}

// Reads a file of one number; -1 when it is missing or contains "max".
std::int64_t number_in(const char* path) noexcept {
  Lines lines(path);
  const char* const line = lines.next();
  return line != nullptr && std::isdigit(static_cast<unsigned char>(*line)) ? std::strtoll(line, nullptr, 10) : -1;
}

class Least {
 public:
  void take(std::int64_t bytes, const char* limit) noexcept {
    if (bytes < 0 || static_cast<std::uint64_t>(bytes) >= room_.bytes) return;
    room_ = {static_cast<std::uint64_t>(bytes), limit};
  }
  // glibc numbers the resources by an enumeration, musl by int.
  template <typename Resource>
  void take_limit(Resource resource, std::int64_t used, const char* limit) noexcept {
    rlimit r;
    if (getrlimit(resource, &r) != 0 || r.rlim_cur == RLIM_INFINITY) return;
    take(std::max<std::int64_t>(0, static_cast<std::int64_t>(r.rlim_cur) - used), limit);
  }
  Room room() const noexcept { return room_; }

 private:
  Room room_;
};

// The room in a cgroup and in all above it. `mount` and the names of the two files
// differ between version 2 and the memory controller of version 1.
void take_cgroup(Least& least, const char* mount, const char* path, const char* limit, const char* used) noexcept {
  char at[512], file[600];
  std::snprintf(at, sizeof at, "%s", path);
  for (;;) {
    std::snprintf(file, sizeof file, "%s%s/%s", mount, at, limit);
    const std::int64_t most = number_in(file);
    std::snprintf(file, sizeof file, "%s%s/%s", mount, at, used);
    const std::int64_t now = number_in(file);
    if (most >= 0 && now >= 0) least.take(std::max<std::int64_t>(0, most - now), "the cgroup's memory limit");
    char* const slash = std::strrchr(at, '/');
    if (slash == nullptr) return;
    *slash = 0;
  }
}

void take_cgroups(Least& least) noexcept {
  Lines lines("/proc/self/cgroup");
  while (const char* line = lines.next()) {  // "0::/path" or "4:memory:/path"
    const char* const controllers = std::strchr(line, ':');
    const char* const path = controllers != nullptr ? std::strchr(controllers + 1, ':') : nullptr;
    if (path == nullptr) continue;
    if (std::strncmp(line, "0::", 3) == 0)
      take_cgroup(least, "/sys/fs/cgroup", path + 1, "memory.max", "memory.current");
    else if (std::strstr(line, ":memory:") != nullptr)
      take_cgroup(least, "/sys/fs/cgroup/memory", path + 1, "memory.limit_in_bytes", "memory.usage_in_bytes");
  }
}

void take_addresses(Least& least) noexcept {
  Counters c;
  read_counters(c);
  least.take_limit(RLIMIT_AS, std::max<std::int64_t>(0, c.mapped_bytes), "RLIMIT_AS (ulimit -v)");
  least.take_limit(RLIMIT_DATA, std::max<std::int64_t>(0, kilobytes_in("/proc/self/status", "VmData")),
      "RLIMIT_DATA (ulimit -d)");
  constexpr int kStrict = 2;
  if (number_in("/proc/sys/vm/overcommit_memory") == kStrict)
    least.take(std::max<std::int64_t>(0, kilobytes_in("/proc/meminfo", "CommitLimit") -
        kilobytes_in("/proc/meminfo", "Committed_AS")), "the commit limit (vm.overcommit_memory=2)");
}

}  // namespace

Room memory_room() noexcept {
  Least least;
  least.take(kilobytes_in("/proc/meminfo", "MemAvailable"), "available memory (MemAvailable)");
  take_cgroups(least);
  take_addresses(least);
  return least.room();
}

Room address_room() noexcept {
  Least least;
  take_addresses(least);
  return least.room();
}

std::int64_t locked_bytes() noexcept { return kilobytes_in("/proc/self/status", "VmLck"); }

// A process with CAP_IPC_LOCK, bit 14 of the effective capabilities, has no limit (mlock(2)).
std::int64_t memlock_limit() noexcept {
  rlimit r;
  if (getrlimit(RLIMIT_MEMLOCK, &r) != 0 || r.rlim_cur == RLIM_INFINITY) return -1;
  Lines lines("/proc/self/status");
  while (const char* line = lines.next())
    if (std::strncmp(line, "CapEff:", 7) == 0 && (std::strtoull(line + 7, nullptr, 16) >> 14 & 1) != 0) return -1;
  return static_cast<std::int64_t>(r.rlim_cur);
}

bool mapping_of(const void* p, Mapping& m) noexcept {
  Lines lines("/proc/self/smaps");
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  bool inside = false, found = false;
  std::int64_t shared = 0, own = 0;
  while (const char* line = lines.next()) {
    char* end;
    const std::uintptr_t from = std::strtoull(line, &end, 16);
    if (end != line && *end == '-') {  // "7f12...-7f13... rw-p ...": a new mapping
      if (found) break;
      const std::uintptr_t to = std::strtoull(end + 1, nullptr, 16);
      inside = found = from <= at && at < to;
      if (inside) m.bytes = static_cast<std::int64_t>(to - from);
      continue;
    }
    if (!inside) continue;
    kilobytes(line, "Rss", m.resident) || kilobytes(line, "AnonHugePages", m.anon_huge) ||
        kilobytes(line, "Locked", m.locked) || kilobytes(line, "KernelPageSize", m.page) ||
        kilobytes(line, "Shared_Hugetlb", shared) || kilobytes(line, "Private_Hugetlb", own);
  }
  m.hugetlb = shared + own;
  return found;
}

const char* thp_mode() noexcept {
  Lines lines("/sys/kernel/mm/transparent_hugepage/enabled");
  const char* const line = lines.next();  // "always [madvise] never"
  if (line == nullptr) return "";
  for (const char* mode : {"always", "madvise", "never"}) {
    const char* const at = std::strstr(line, mode);
    if (at != nullptr && at > line && at[-1] == '[') return mode;
  }
  return "";
}

std::int64_t hugetlb_free() noexcept {
  Lines lines("/proc/meminfo");
  while (const char* line = lines.next())
    if (std::strncmp(line, "HugePages_Free:", 15) == 0) return std::strtoll(line + 15, nullptr, 10);
  return -1;
}

}  // namespace malloc_bench::platform

#endif

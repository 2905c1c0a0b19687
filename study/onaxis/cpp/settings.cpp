#include "settings.h"

#include <cerrno>
#include <climits>
#include <cstring>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__) || (defined(__has_include) && __has_include(<features.h>))
#include <malloc.h>
#endif

namespace onaxis {
namespace {

#ifdef M_MMAP_THRESHOLD
bool set(int key, int value) { return mallopt(key, value) == 1; }
bool set_mmap_each() { return set(M_MMAP_THRESHOLD, 0); }
bool set_keep() { return set(M_MMAP_MAX, 0) && set(M_TRIM_THRESHOLD, INT_MAX); }
#else
bool set_mmap_each() { return false; }
bool set_keep() { return false; }
#endif

bool set_lock() {
#ifdef MCL_FUTURE
  return mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
#else
  errno = ENOSYS;
  return false;
#endif
}

}  // namespace

std::string apply(const Settings& settings) {
  if (settings.mmap_each && !set_mmap_each()) return "this C library has no M_MMAP_THRESHOLD";
  if (settings.keep && !set_keep()) return "this C library has no M_MMAP_MAX and M_TRIM_THRESHOLD";
  if (settings.lock && !set_lock()) return std::string("mlockall: ") + std::strerror(errno);
  return "";
}

}  // namespace onaxis

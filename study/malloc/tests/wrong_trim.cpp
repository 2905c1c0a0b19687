// A mallopt that takes every key and gives M_TRIM_THRESHOLD another value than the one
// that it is told: $WRONG_TRIM. Preloaded, it is to be found out.
#include <dlfcn.h>
#include <malloc.h>

#include <cstdlib>

extern "C" __attribute__((visibility("default"))) int mallopt(int key, int value) {
  static const auto next = reinterpret_cast<int (*)(int, int)>(dlsym(RTLD_NEXT, "mallopt"));
  const char* const wrong = std::getenv("WRONG_TRIM");
  return next(key, key == M_TRIM_THRESHOLD && wrong != nullptr ? std::atoi(wrong) : value);
}

// A mallopt that accepts every key and sets M_TRIM_THRESHOLD to another value than the
// given one: $WRONG_TRIM. It is preloaded by tests, which must detect it.
#include <dlfcn.h>
#include <malloc.h>

#include <cstdlib>

extern "C" __attribute__((visibility("default"))) int mallopt(int key, int value) {
  static const auto next = reinterpret_cast<int (*)(int, int)>(dlsym(RTLD_NEXT, "mallopt"));
  const char* const wrong = std::getenv("WRONG_TRIM");
  return next(key, key == M_TRIM_THRESHOLD && wrong != nullptr ? std::atoi(wrong) : value);
}

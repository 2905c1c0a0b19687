// Without Linux a processor's interrupts are unknown: nothing is watched.
#include "background.h"

namespace malloc_bench {

void watch_background(Background&, const Timer&, double, double) noexcept {}

}  // namespace malloc_bench

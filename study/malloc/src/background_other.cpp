// Where there is no Linux nobody tells a processor's interrupts: nothing is watched.
#include "background.h"

namespace malloc_bench {

void watch_background(Background&, const Timer&, double, double) noexcept {}

}  // namespace malloc_bench

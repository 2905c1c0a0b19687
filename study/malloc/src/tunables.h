// GLIBC_TUNABLES: the C library ignores in silence what it does not understand there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knobs.h"

namespace malloc_bench {

struct Tunable {
  std::string name;         // "glibc.malloc.tcache_count"
  long long lowest = 0;     // as a signed number when `is_signed`, else its bits
  long long highest = 0;
  bool is_signed = false;
};

// Reads what `ld.so --list-tunables` prints (glibc 2.33 and later): lines of
// "glibc.malloc.perturb: 0 (min: 0, max: 255)". Lines of another form are left out.
std::vector<Tunable> read_tunables(std::string_view listing);

// What is wrong with the text of GLIBC_TUNABLES: a name that is not known, text that
// is not NAME=VALUE[:NAME=VALUE], a value of glibc.malloc.* that is no number or out
// of its range. `all_known` is false when only the names of malloc's are in `known`.
Mistake check_tunables(std::string_view text, const std::vector<Tunable>& known, bool all_known);

// The same for this process's environment and C library, which is asked through its
// program interpreter, or, where there is none (a static program), taken to have the
// tunables of glibc 2.36 to 2.41. Without glibc nothing is wrong, and a note on
// standard error says that the variable has no effect.
Mistake check_environment_tunables();

}  // namespace malloc_bench

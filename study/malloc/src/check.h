// Checks whether each setting took effect. The result of mallopt does not show it (glibc
// returns 1 for keys that it ignores), so each is read back from the allocator's
// behaviour.
#pragma once

#include <string>
#include <vector>

#include "options.h"

namespace malloc_bench {

struct Check {
  enum Status : int { kTook, kNone, kUntestable };
  std::string name;   // "M_TRIM_THRESHOLD", "glibc.malloc.hugetlb", "mlockall", "thp", "LD_PRELOAD"
  std::string value;  // as set
  Status status = kUntestable;
  std::string detail;  // what was measured, or why the setting cannot be tested
};
// "took effect", "no effect", "not testable".
const char* status_name(Check::Status) noexcept;

// Checks everything that the command line and GLIBC_TUNABLES set. The knobs must be
// set already. Each probe runs in a forked child: the heap here stays as it is.
std::vector<Check> check_settings(const CommandLine&);

// Returns the context of every answer: pairs of key and value.
std::vector<std::pair<std::string, std::string>> describe(const CommandLine&, const std::vector<Check>&);

// --check: the same as JSON. The exit status: 3 when something had no effect.
int run_check(const CommandLine&, const std::vector<Check>&);

// What a probe in a child saw.
struct Seen {
  Check::Status status = Check::kUntestable;
  char detail[480] = {};
  __attribute__((format(printf, 3, 4))) void say(Check::Status, const char* format, ...) noexcept;
};

// A probe's job: a canonical name ("TRIM_THRESHOLD") with its value, and what else is
// set that it must reckon with.
struct Effect {
  const char* name;
  long long value;
  long long mmap_threshold, mmap_max, top_pad;  // -1: not set
  bool onfault;
  void (*probe)(const Effect&, Seen&);
};
// The probe for a canonical name; nullptr if there is none.
void (*effect_probe(const std::string& name))(const Effect&, Seen&);

}  // namespace malloc_bench

// mallopt settings: reading them from the command line and making them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modes.h"

namespace malloc_bench {

// A user's mistake: what was wrong, and how to correct it.
struct Mistake {
  std::string text, hint;
  explicit operator bool() const noexcept { return !text.empty(); }
};

// Reads "M_TRIM_THRESHOLD=0,M_TOP_PAD=128KiB" (the value of -m) and adds to `knobs`.
Mistake read_knobs(std::string_view text, std::vector<Knob>& knobs);

// Makes the settings in their order; the first that the C library refuses is a mistake.
// Another allocator's mallopt may refuse any: check.h then reports that it has no
// effect.
Mistake set_knobs(const std::vector<Knob>& knobs);

// The word of `known` that `word` was probably meant to be, or "".
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace malloc_bench

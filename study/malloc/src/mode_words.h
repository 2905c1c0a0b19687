// What the latency, threads and memory modes are told beyond the options that all
// modes share. It stands behind the pattern, separated by commas:
//   --pattern=live,seed=7,form=text
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "modes.h"
#include "out.h"

namespace malloc_bench {

enum class Format : std::uint8_t { kJson, kText, kGobench };

struct Words {
  std::string_view pattern;  // empty: the mode's own choice
  std::uint64_t seed = 20261121;
  std::int64_t warmup = -1;  // operations before the first timed one; -1: the mode's own choice
  std::size_t prefault = 0;  // bytes allocated, touched and freed before the start
  std::size_t live = 0;      // bytes of all blocks alive at a time; 0: the mode's own choice
  bool replay = true;        // time unexplained slow calls again
  Format format = Format::kJson;
};

// Reads options.pattern. False when a word is not known, after saying so on
// standard error. `mode` is the option that the user gave, for the message.
bool read_words(const Options&, const char* mode, Words&);

// Returns the descriptor of the mode's answer; -1 after a message on standard error.
int open_answer(const Options&);
// Writes what is left and closes it. False after saying on standard error that it failed.
bool close_answer(const Options&, Out&, int fd);

// "64" or "64KiB" (K, KiB, M, MiB, G, GiB: powers of two). False when it is neither.
bool read_bytes(std::string_view, std::uint64_t&);

}  // namespace malloc_bench

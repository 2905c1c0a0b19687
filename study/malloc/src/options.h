// The command line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "knobs.h"
#include "modes.h"

namespace malloc_bench {

enum class Mode : std::uint8_t { kCells, kCheck, kProbe, kLatency, kThreads, kMemory, kHelp };

struct CommandLine {
  Mode mode = Mode::kCells;
  std::string mode_option;         // the option that chose it
  Options options;                 // what all modes share
  bool thp_off = false;            // --thp=never
  std::size_t footprint = std::size_t{16} << 20;
  long long iterations = 0;        // of each cell; 0: as long as Google Benchmark likes
  std::string setting;             // is in the cells' names; read_command_line fills it in
  std::string filter;              // --benchmark_filter, matched against the plain names
  bool list = false;               // --benchmark_list_tests
  std::vector<std::string> rest;   // Google Benchmark's own
};

// Reads the arguments, the program's name left out.
Mistake read_command_line(const std::vector<std::string>& arguments, CommandLine&);

// What the settings are called in the cells' names: "default", "trim0-pad0" (-m),
// "mlock" and "mlock.onfault" (-L) before "-mmap0", "nothp" (--thp=never) before both.
std::string setting_name(const CommandLine&);

extern const char* const kUsage;

}  // namespace malloc_bench

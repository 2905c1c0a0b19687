// The modes of malloc_bench beside the Google Benchmark cells, and the options that
// all of them share. main.cpp reads the command line, sets the knobs and the lock,
// pins the process, and only then calls one of these.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace malloc_bench {

// One mallopt setting as the user wrote it and as it was understood.
struct Knob {
  std::string name;  // "M_TRIM_THRESHOLD", always with its prefix
  int key = 0;       // the first argument of mallopt
  int value = 0;
};

struct Options {
  std::vector<Knob> knobs;         // already applied, in the order written
  bool lock = false;               // mlockall(MCL_CURRENT | MCL_FUTURE), already done
  bool lock_onfault = false;       // with MCL_ONFAULT
  std::size_t prefault = 0;        // bytes allocated, touched and freed before anything else, already done
  int cpu = -1;                    // pinned to this CPU; -1: not pinned. Threads may pin themselves anew
  std::vector<std::size_t> sizes;  // bytes, ascending; empty: the mode's own choice
  long operations = 0;             // 0: the mode's own choice
  double seconds = 0;              // 0: the mode's own choice
  int threads = 0;                 // 0: the mode's own choice
  std::string pattern;             // "": the mode's own choice
  double rt_seconds = 0;           // the real-time limit of --rt; 0: no verdict asked for
  int times = 0;                   // repetitions of a probe or of a point of the threads mode; 0: the mode's own choice
  std::string out;                 // file for the answer; "": standard output
};

// Each writes JSON to options.out and returns an exit status: 0 done, 1 the tool
// failed, 2 wrong usage (a pattern that it does not know, too many threads),
// 3 a finding (the real-time limit was violated).
int run_latency(const Options&);
int run_threads(const Options&);
int run_memory(const Options&);
int run_probe(const Options&);

}  // namespace malloc_bench

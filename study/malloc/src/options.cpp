#include "options.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "mode_words.h"

namespace malloc_bench {

const char* const kUsage = R"(malloc_bench: what a block of n bytes costs

  malloc_bench [SETTINGS] [--sizes=8,4KiB,...] [--iterations=N] [Google Benchmark's options]
  malloc_bench [SETTINGS] --check | --probe=SIZE[,SIZE...] | --latency | --threads-scaling | --memory

settings
  -mKEY=VALUE[,KEY=VALUE]  mallopt: -mM_TRIM_THRESHOLD=0,M_TOP_PAD=0
  -L                       mlockall(MCL_CURRENT|MCL_FUTURE)
  --onfault                with -L: MCL_ONFAULT too
  --prefault=BYTES         allocated, touched and freed first: a pool that is resident from then on, where
                           the allocator keeps it
  --thp=never              no transparent huge pages in this process
  --cpu=N                  pinned to one CPU

cells (Malloc/op=.../size=.../method=.../setting=...)
  --sizes=...              instead of 8 B to 1 GiB by doubling
  --footprint=BYTES        of all blocks of a batch (16MiB)
  --iterations=N           operations of each cell, instead of calibrating
  --setting=NAME           what the settings are called in the names (default, trim0-pad0, mlock-mmap0, ...)
  --benchmark_filter, --benchmark_format=json, --benchmark_out, ... as in Google Benchmark

modes
  --check                  did each setting take effect? JSON; exit status 3 when one did not
  --probe=SIZE,...         one JSON line a size: time and mechanism of malloc, first touch, free
    --times=N              repetitions of a probe (5)
  --latency                each call's time   (--operations=N --threads=T --rt=20us --pattern=...)
  --threads-scaling        throughput         (--threads=T --seconds=S --times=N --pattern=...)
  --memory                 resident memory    (--operations=BYTES --seconds=IDLE --pattern=...)
  --out=FILE               a mode's answer goes there
)";

namespace {

// "20us", "1.5ms", "0.1s", "0.1": seconds.
bool read_seconds(std::string_view text, double& seconds) {
  static constexpr struct {
    std::string_view suffix;
    double scale;
  } kUnits[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  double scale = 1;
  for (const auto& u : kUnits)
    if (text.ends_with(u.suffix)) {
      scale = u.scale;
      text.remove_suffix(u.suffix.size());
      break;
    }
  const std::string number(text);
  char* end;
  seconds = std::strtod(number.c_str(), &end) * scale;
  return !number.empty() && *end == 0 && std::isfinite(seconds) && seconds > 0;
}

template <typename T>
bool read_count(std::string_view text, T& n, T lowest) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc{} && end == text.data() + text.size() && n >= lowest;
}

bool read_sizes(std::string_view text, std::vector<std::size_t>& sizes) {
  for (;;) {
    const std::size_t comma = text.find(',');
    std::uint64_t bytes;
    if (!read_bytes(text.substr(0, comma), bytes) || bytes == 0 || bytes > PTRDIFF_MAX) return false;
    sizes.push_back(bytes);
    if (comma == text.npos) break;
    text.remove_prefix(comma + 1);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return true;
}

bool read_operations(std::string_view text, long& n) {  // bytes or a number: a mode decides
  std::uint64_t bytes;
  if (!read_bytes(text, bytes) || bytes == 0 || bytes > LONG_MAX) return false;
  n = static_cast<long>(bytes);
  return true;
}

void choose(CommandLine& c, Mode mode, const char* option) {
  if (c.mode_option.empty()) c.mode = mode;
  if (c.mode_option.find(option) == c.mode_option.npos)
    c.mode_option += (c.mode_option.empty() ? "" : " and ") + std::string(option);
}

// An option with a value: how to read it, and what it looks like when it is right.
struct Valued {
  const char* name;
  bool (*read)(CommandLine&, std::string_view);
  const char* form;
};

constexpr const char* kSizes = "sizes in bytes with commas between, as 64,4KiB,1MiB";
const Valued kValued[] = {
    {"--sizes", [](CommandLine& c, std::string_view v) { return read_sizes(v, c.options.sizes); }, kSizes},
    {"--probe",
     [](CommandLine& c, std::string_view v) {
       choose(c, Mode::kProbe, "--probe");
       return read_sizes(v, c.options.sizes);
     },
     kSizes},
    {"--times", [](CommandLine& c, std::string_view v) { return read_count(v, c.options.times, 1); },
        "a number of at least 1"},
    {"--cpu", [](CommandLine& c, std::string_view v) { return read_count(v, c.options.cpu, 0); },
        "a CPU's number, from 0"},
    {"--operations", [](CommandLine& c, std::string_view v) { return read_operations(v, c.options.operations); },
        "a number of at least 1"},
    {"--seconds", [](CommandLine& c, std::string_view v) { return read_seconds(v, c.options.seconds); },
        "a time, as 0.5 or 200ms"},
    {"--threads", [](CommandLine& c, std::string_view v) { return read_count(v, c.options.threads, 1); },
        "a number of at least 1"},
    {"--pattern", [](CommandLine& c, std::string_view v) { return c.options.pattern = v, !v.empty(); },
        "the name of a pattern"},
    {"--rt", [](CommandLine& c, std::string_view v) {
       return v.ends_with('s') && read_seconds(v, c.options.rt_seconds);
     }, "a time with its unit, as 20us"},
    {"--out", [](CommandLine& c, std::string_view v) { return c.options.out = v, !v.empty(); }, "a file's name"},
    {"--thp", [](CommandLine& c, std::string_view v) { return c.thp_off = v == "never"; },
        "never (madvise is a matter of GLIBC_TUNABLES=glibc.malloc.hugetlb=1, always of /sys)"},
    {"--prefault",
     [](CommandLine& c, std::string_view v) {
       std::uint64_t bytes = 0;
       const bool good = read_bytes(v, bytes) && bytes > 0 && bytes <= PTRDIFF_MAX;
       c.options.prefault = bytes;
       return good;
     },
     "a size, as 256MiB"},
    {"--footprint",
     [](CommandLine& c, std::string_view v) {
       std::uint64_t bytes = 0;
       const bool good = read_bytes(v, bytes) && bytes > 0;
       c.footprint = bytes;
       return good;
     },
     "a size, as 16MiB"},
    {"--iterations", [](CommandLine& c, std::string_view v) { return read_count(v, c.iterations, 1LL); },
        "a number of at least 1"},
    {"--setting", [](CommandLine& c, std::string_view v) {
       return c.setting = v, !v.empty() && v.find_first_of("/ =") == v.npos;
     }, "a name without / and = and spaces"},
    {"--benchmark_filter", [](CommandLine& c, std::string_view v) { return c.filter = v, true; },
        "a regular expression"},
    {"--benchmark_list_tests", [](CommandLine& c, std::string_view v) {
       return c.list = v == "true", v == "true" || v == "false";
     }, "true or false"},
};

struct Flag {
  const char* name;
  void (*set)(CommandLine&);
};

const Flag kFlags[] = {
    {"-L", [](CommandLine& c) { c.options.lock = true; }},
    {"--onfault", [](CommandLine& c) { c.options.lock_onfault = true; }},
    {"--check", [](CommandLine& c) { choose(c, Mode::kCheck, "--check"); }},
    {"--latency", [](CommandLine& c) { choose(c, Mode::kLatency, "--latency"); }},
    {"--threads-scaling", [](CommandLine& c) { choose(c, Mode::kThreads, "--threads-scaling"); }},
    {"--memory", [](CommandLine& c) { choose(c, Mode::kMemory, "--memory"); }},
    {"--benchmark_list_tests", [](CommandLine& c) { c.list = true; }},
    {"--help", [](CommandLine& c) { c.mode = Mode::kHelp; }},
    {"-h", [](CommandLine& c) { c.mode = Mode::kHelp; }},
};

Mistake unknown(const std::string& argument) {
  std::vector<std::string> known;
  for (const Valued& v : kValued) known.push_back(v.name);
  for (const Flag& f : kFlags) known.push_back(f.name);
  const std::string meant = nearest(argument.substr(0, argument.find('=')), known);
  return {argument + ": there is no such option",
      meant.empty() ? "malloc_bench --help lists them" : "did you mean " + meant + "?"};
}

// Reads arguments[at]; when its value is the next argument, `at` moves on.
Mistake read_argument(const std::vector<std::string>& arguments, std::size_t& at, CommandLine& c) {
  const std::string& argument = arguments[at];
  for (const Flag& f : kFlags)
    if (argument == f.name) return f.set(c), Mistake{};
  if (argument.starts_with("-m")) {
    std::string_view knobs = std::string_view(argument).substr(2);
    if (knobs.empty() && at + 1 < arguments.size()) knobs = arguments[++at];
    return read_knobs(knobs, c.options.knobs);
  }
  const std::string name = argument.substr(0, argument.find('='));
  for (const Valued& v : kValued) {
    if (name != v.name) continue;
    if (name == argument && at + 1 == arguments.size())
      return {argument + ": a value is missing", std::string("it is ") + v.form};
    const std::string value = name == argument ? arguments[++at] : argument.substr(name.size() + 1);
    if (v.read(c, value)) return {};
    return {name + "=" + value + ": cannot be read", std::string("it is ") + v.form};
  }
  if (!argument.starts_with("--benchmark_") && !argument.starts_with("--v=")) return unknown(argument);
  c.rest.push_back(argument);
  return {};
}

}  // namespace

std::string setting_name(const CommandLine& c) {
  static constexpr struct {
    const char *key, *name;
  } kShort[] = {{"M_TRIM_THRESHOLD", "trim"}, {"M_TOP_PAD", "pad"}, {"M_MMAP_THRESHOLD", "mmap"},
      {"M_MMAP_MAX", "mmapmax"}};
  std::string all;
  const auto add = [&](const std::string& one) { all += (all.empty() ? "" : "-") + one; };
  if (c.thp_off) add("nothp");
  if (c.options.lock) add(c.options.lock_onfault ? "mlock.onfault" : "mlock");
  for (const Knob& k : c.options.knobs) {
    const auto* const s = std::find_if(std::begin(kShort), std::end(kShort),
        [&](const auto& x) { return k.name == x.key; });
    std::string name = s != std::end(kShort) ? s->name : k.name.starts_with("M_") ? k.name.substr(2) : k.name;
    std::transform(name.begin(), name.end(), name.begin(),
        [](char x) { return 'A' <= x && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x; });
    add(name + std::to_string(k.value));
  }
  if (c.options.prefault > 0) add("prefault" + std::to_string(c.options.prefault));
  return all.empty() ? "default" : all;
}

Mistake read_command_line(const std::vector<std::string>& arguments, CommandLine& c) {
  for (std::size_t at = 0; at < arguments.size(); ++at)
    if (Mistake m = read_argument(arguments, at, c)) return m;
  if (c.mode == Mode::kHelp) return {};
  if (c.mode_option.find(' ') != c.mode_option.npos)
    return {c.mode_option + ": each is a mode of its own", "one at a time"};
  if (c.options.rt_seconds > 0 && c.mode != Mode::kLatency)
    return {"--rt is the limit of a single call's time, and only --latency times single calls", "add --latency"};
  if (c.options.lock_onfault && !c.options.lock)
    return {"--onfault says how to lock memory, and nothing is locked", "add -L"};
  if (c.setting.empty()) c.setting = setting_name(c);
  return {};
}

}  // namespace malloc_bench

#include "check.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mode_words.h"
#include "out.h"
#include "platform.h"

namespace malloc_bench {
namespace {

std::string malloc_file() {
  char path[1024];
  if (platform::malloc_library(path, sizeof path)) return path;
  return std::string("static (") + platform::platform_name() + ")";
}

std::string_view base(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// One setting on its way to a Check.
struct Setting {
  std::string name, canonical, value;
};

// "glibc.malloc.mmap_threshold" is about what M_MMAP_THRESHOLD is.
std::string canonical(std::string_view tunable) {
  std::string name(tunable.substr(std::strlen("glibc.malloc.")));
  std::transform(name.begin(), name.end(), name.begin(),
      [](char c) { return 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return name;
}

std::vector<Setting> settings_of(const CommandLine& c) {
  std::vector<Setting> all;
  for (const Knob& k : c.options.knobs)
    all.push_back({k.name, k.name.starts_with("M_") ? k.name.substr(2) : k.name, std::to_string(k.value)});
  const char* const tunables = std::getenv("GLIBC_TUNABLES");
  std::string_view rest = tunables != nullptr ? tunables : "";
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::size_t equals = one.find('=');
    if (one.starts_with("glibc.malloc.") && equals != one.npos)
      all.push_back({std::string(one.substr(0, equals)), canonical(one.substr(0, equals)),
          std::string(one.substr(equals + 1))});
  }
  if (c.options.lock)
    all.push_back({"mlockall", "LOCK", c.options.lock_onfault ? "current, future, onfault" : "current, future"});
  if (c.thp_off) all.push_back({"thp", "THP", "never"});
  return all;
}

// Runs the probe in a child and returns what it saw.
Seen in_child(const Effect& e) {
  Seen seen;
  void* const memory = mmap(nullptr, sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
  if (memory == MAP_FAILED) return seen;
  Seen* const there = new (memory) Seen;
  there->say(Check::kUntestable, "the probe ended early");
  const pid_t pid = fork();
  if (pid == 0) {
    e.probe(e, *there);
    _exit(0);
  }
  if (pid > 0) waitpid(pid, nullptr, 0);
  seen = *there;
  munmap(memory, sizeof(Seen));
  return seen;
}

long long value_of(const std::vector<Setting>& all, const char* name) {
  for (const Setting& s : all)
    if (s.canonical == name) return std::strtoll(s.value.c_str(), nullptr, 0);
  return -1;
}

Check check_one(const Setting& s, const std::vector<Setting>& all, bool onfault) {
  Check c{s.name, s.value, Check::kUntestable, ""};
  const bool of_malloc = s.canonical != "LOCK" && s.canonical != "THP";
  if (of_malloc && !platform::knobs_reach_malloc()) {
    c.status = Check::kNone;
    c.detail = "malloc comes from " + malloc_file() + ", which it does not reach";
    return c;
  }
  Effect e{s.canonical.c_str(), std::strtoll(s.value.c_str(), nullptr, 0), value_of(all, "MMAP_THRESHOLD"),
      value_of(all, "MMAP_MAX"), value_of(all, "TOP_PAD"), onfault, effect_probe(s.canonical)};
  if (e.probe == nullptr) {
    c.detail = "it changes nothing that can be seen from outside";
    return c;
  }
  const Seen seen = in_child(e);
  c.status = seen.status;
  c.detail = seen.detail;
  return c;
}

// A preload that cannot be loaded is only a line on standard error to the loader.
void check_preload(std::vector<Check>& checks) {
  const char* const preload = std::getenv("LD_PRELOAD");
  if (preload == nullptr || *preload == 0) return;
  Check c{"LD_PRELOAD", preload, Check::kNone, "malloc comes from " + malloc_file()};
  const std::string file = malloc_file();
  std::string_view rest = preload;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find_first_of(": "));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    if (!one.empty() && base(one) == base(file)) c.status = Check::kTook;
  }
  checks.push_back(c);
}

}  // namespace

void Seen::say(Check::Status s, const char* format, ...) noexcept {
  status = s;
  va_list list;
  va_start(list, format);
  std::vsnprintf(detail, sizeof detail, format, list);
  va_end(list);
}

const char* status_name(Check::Status s) noexcept {
  return s == Check::kTook ? "took effect" : s == Check::kNone ? "no effect" : "not testable";
}

std::vector<Check> check_settings(const CommandLine& c) {
  std::vector<Check> checks;
  check_preload(checks);
  const std::vector<Setting> all = settings_of(c);
  for (const Setting& s : all) checks.push_back(check_one(s, all, c.options.lock_onfault));
  return checks;
}

std::vector<std::pair<std::string, std::string>> describe(const CommandLine& c, const std::vector<Check>& checks) {
  std::vector<std::pair<std::string, std::string>> text = {
      {"platform", platform::platform_name()},
      {"malloc_library", malloc_file()},
      {"page_bytes", std::to_string(platform::page_bytes())},
      {"pinned_cpu", c.options.cpu < 0 ? "none" : std::to_string(c.options.cpu)},
      {"locked_bytes", std::to_string(platform::locked_bytes())},
      {"memlock_limit", std::to_string(platform::memlock_limit())},
      {"thp", platform::thp_mode()},
      {"footprint", std::to_string(c.footprint)},
  };
  for (const Check& k : checks)
    text.emplace_back("knob_" + k.name, k.value + ": " + status_name(k.status) + ": " + k.detail);
  return text;
}

int run_check(const CommandLine& c, const std::vector<Check>& checks) {
  const int fd = open_answer(c.options);
  if (fd < 0) return 1;
  bool good = true;
  Out out(fd);
  out.open('{');
  for (const auto& [key, value] : describe(c, {})) out.field(key.c_str(), value.c_str());
  out.open('[', "checks");
  for (const Check& k : checks) {
    good = good && k.status != Check::kNone;
    out.open('{');
    out.field("name", k.name.c_str());
    out.field("value", k.value.c_str());
    out.field("status", status_name(k.status));
    out.field("detail", k.detail.c_str());
    out.close('}');
  }
  out.close(']');
  out.close('}');
  out.print("\n");
  if (!close_answer(c.options, out, fd)) return 1;
  return good ? 0 : 3;
}

}  // namespace malloc_bench

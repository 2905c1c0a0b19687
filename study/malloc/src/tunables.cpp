#include "tunables.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "out.h"
#include "platform.h"

namespace malloc_bench {
namespace {

constexpr std::string_view kMalloc = "glibc.malloc.";

// A number as strtoull reads it: decimal, 0x…, 0…; a negative one gives its bits.
bool number(std::string_view text, long long& n) {
  const std::string copy(text);
  const char* const digits = copy.c_str() + copy.starts_with('-');
  if (*digits < '0' || *digits > '9') return false;
  char* end;
  errno = 0;
  n = static_cast<long long>(std::strtoull(copy.c_str(), &end, 0));
  return *end == 0 && errno == 0;
}

bool between(const Tunable& t, long long n, bool negative) {
  if (t.is_signed) return t.lowest <= n && n <= t.highest && negative == (n < 0);
  const auto u = [](long long x) { return static_cast<unsigned long long>(x); };
  return u(t.lowest) <= u(n) && u(n) <= u(t.highest);
}

std::string shown(const Tunable& t, long long n) {
  return t.is_signed ? std::to_string(n) : std::to_string(static_cast<unsigned long long>(n));
}

Mistake check_one(std::string_view one, const std::vector<Tunable>& known, bool all_known) {
  const std::string what = "GLIBC_TUNABLES: \"" + std::string(one) + "\"";
  const std::size_t equals = one.find('=');
  if (equals == one.npos || equals == 0 || equals + 1 == one.size())
    return {what + " is not NAME=VALUE",
        "for example GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1"};
  const std::string_view name = one.substr(0, equals), value = one.substr(equals + 1);
  const auto t = std::find_if(known.begin(), known.end(), [&](const Tunable& x) { return x.name == name; });
  if (t == known.end()) {
    if (!all_known && name.starts_with("glibc.") && !name.starts_with(kMalloc)) return {};
    std::vector<std::string> names;
    for (const Tunable& x : known) names.push_back(x.name);
    std::string meant = nearest(name, names);
    // "tcache_count", "malloc.tcache_count"
    if (meant.empty()) meant = nearest(std::string(kMalloc) + std::string(name.substr(name.rfind('.') + 1)), names);
    return {what + ": the C library has no tunable " + std::string(name), meant.empty()
        ? "ld.so --list-tunables lists them" : "did you mean " + meant + "?"};
  }
  if (!name.starts_with(kMalloc)) return {};
  long long n = 0;
  if (!number(value, n))
    return {what + ": \"" + std::string(value) + "\" is no number", "bytes are written as 131072 or 0x20000"};
  if (!between(*t, n, value.starts_with('-')))
    return {what + ": out of range", t->name + " takes " + shown(*t, t->lowest) + " to " + shown(*t, t->highest)};
  return {};
}

// The tunables of malloc in glibc 2.36 to 2.41 (elf/dl-tunables.list and, for the
// types' own limits, scripts/gen-tunables.awk).
std::vector<Tunable> built_in() {
  std::vector<Tunable> all = {{"glibc.malloc.check", 0, 3, true}, {"glibc.malloc.perturb", 0, 255, true},
      {"glibc.malloc.mmap_max", 0, INT_MAX, true}};
  for (const char* name : {"top_pad", "mmap_threshold", "trim_threshold", "tcache_max", "tcache_count",
      "tcache_unsorted_limit", "mxfast", "hugetlb"}) all.push_back({std::string(kMalloc) + name, 0, -1, false});
  for (const char* name : {"arena_max", "arena_test"}) all.push_back({std::string(kMalloc) + name, 1, -1, false});
  return all;
}

// The text between `from` and `to` in a line, or "".
std::string_view part(std::string_view line, std::string_view from, char to) {
  const std::size_t at = line.find(from);
  if (at == line.npos) return {};
  line.remove_prefix(at + from.size());
  return line.substr(0, line.find(to));
}

}  // namespace

std::vector<Tunable> read_tunables(std::string_view listing) {
  std::vector<Tunable> all;
  while (!listing.empty()) {
    const std::string_view line = listing.substr(0, listing.find('\n'));
    listing.remove_prefix(std::min(listing.size(), line.size() + 1));
    const std::string_view lowest = part(line, "(min: ", ','), highest = part(line, ", max: ", ')');
    Tunable t{std::string(line.substr(0, line.find(':'))), 0, 0, !highest.starts_with("0x")};
    if (!t.name.starts_with("glibc.")) continue;
    const bool limits = number(lowest, t.lowest) && number(highest, t.highest);
    if (limits || !t.name.starts_with(kMalloc)) all.push_back(t);  // others' values are not checked
  }
  return all;
}

Mistake check_tunables(std::string_view text, const std::vector<Tunable>& known, bool all_known) {
  for (;;) {
    const std::size_t colon = text.find(':');
    if (Mistake m = check_one(text.substr(0, colon), known, all_known)) return m;
    if (colon == text.npos) return {};
    text.remove_prefix(colon + 1);
  }
}

Mistake check_environment_tunables() {
  const char* const text = std::getenv("GLIBC_TUNABLES");
  if (text == nullptr || *text == 0) return {};
  if (!platform::has_tunables()) {
    Out(2).print("malloc_bench: GLIBC_TUNABLES has no effect: this program runs on %s\n", platform::platform_name());
    return {};
  }
  static char listing[64 * 1024];
  std::vector<Tunable> known = read_tunables({listing, platform::list_tunables(listing, sizeof listing)});
  const bool all_known = std::any_of(known.begin(), known.end(),
      [](const Tunable& t) { return t.name.starts_with(kMalloc); });
  if (!all_known) known = built_in();
  return check_tunables(text, known, all_known);
}

}  // namespace malloc_bench

#include "knobs.h"

#include <algorithm>
#include <charconv>
#include <climits>

#include "mode_words.h"
#include "platform.h"

namespace malloc_bench {
namespace {

// The number of letters to insert, leave out or replace.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

bool read_value(std::string_view text, long long& value) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::uint64_t bytes = 0;
  if (!read_bytes(text, bytes) || bytes > LLONG_MAX) return false;
  value = negative ? -static_cast<long long>(bytes) : static_cast<long long>(bytes);
  return true;
}

std::string here_names(const KnobKey* keys, std::size_t n) {
  std::string names;
  for (std::size_t i = 0; i < n; ++i)
    if (keys[i].here) names += (names.empty() ? "" : ", ") + std::string(keys[i].name);
  return names.empty() ? "none: this C library has no mallopt keys" : names;
}

const KnobKey* find(std::string_view name, const KnobKey* keys, std::size_t n) {
  const KnobKey* const end = keys + n;
  const KnobKey* const k = std::find_if(keys, end, [&](const KnobKey& key) { return name == key.name; });
  return k == end ? nullptr : k;
}

Mistake read_one(std::string_view setting, std::vector<Knob>& knobs) {
  const std::string shown = "-m" + std::string(setting);
  const std::size_t equals = setting.find('=');
  if (equals == setting.npos)
    return {shown + ": a setting is KEY=VALUE", "for example -mM_TRIM_THRESHOLD=0,M_TOP_PAD=0"};
  const std::string_view name = setting.substr(0, equals), value = setting.substr(equals + 1);
  std::size_t n;
  const KnobKey* const keys = platform::knob_keys(&n);
  const KnobKey* const key = find(name, keys, n);
  if (key == nullptr) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < n; ++i) known.push_back(keys[i].name);
    const std::string meant = nearest(name, known);
    return {shown + ": mallopt has no key " + std::string(name),
        meant.empty() ? "the keys here are " + here_names(keys, n) : "did you mean " + meant + "?"};
  }
  if (!key->here)
    return {shown + ": " + key->name + " is a key of " + key->where + ", and this program runs on " +
        platform::platform_name(), "the keys here are " + here_names(keys, n)};
  long long v = 0;
  if (!read_value(value, v))
    return {shown + ": \"" + std::string(value) + "\" is no number", "bytes may be written as 131072 or 128KiB"};
  if (v < key->lowest || v > key->highest)
    return {shown + ": out of range", std::string(key->name) + " takes " + std::to_string(key->lowest) + " to " +
        std::to_string(key->highest)};
  for (const Knob& k : knobs)
    if (k.key == key->key)
      return {shown + ": " + k.name + " is already set to " + std::to_string(k.value), "name each key once"};
  knobs.push_back({key->name, key->key, static_cast<int>(v)});
  return {};
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 4) + 1;
  for (const std::string& k : known)
    if (const std::size_t d = distance(word, k); d < least) {
      least = d;
      best = k;
    }
  return best;
}

Mistake read_knobs(std::string_view text, std::vector<Knob>& knobs) {
  for (;;) {
    const std::size_t comma = text.find(',');
    if (Mistake m = read_one(text.substr(0, comma), knobs)) return m;
    if (comma == text.npos) return {};
    text.remove_prefix(comma + 1);
  }
}

Mistake set_knobs(const std::vector<Knob>& knobs) {
  for (const Knob& k : knobs)
    if (!platform::set_knob(k.key, k.value) && platform::knobs_reach_malloc())
      return {"mallopt(" + k.name + ", " + std::to_string(k.value) + ") was refused by the C library",
          "its value is probably out of this version's range"};
  return {};
}

}  // namespace malloc_bench

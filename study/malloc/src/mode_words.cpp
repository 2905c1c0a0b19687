#include "mode_words.h"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace malloc_bench {
namespace {

bool read_number(std::string_view text, std::uint64_t& n) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc{} && end == text.data() + text.size();
}

bool read_word(std::string_view key, std::string_view value, Words& words) {
  std::uint64_t n = 0;
  if (key == "seed") return read_number(value, words.seed);
  if (key == "warmup") {
    if (!read_number(value, n) || n > INT64_MAX) return false;
    words.warmup = static_cast<std::int64_t>(n);
    return true;
  }
  if (key == "prefault") {
    if (!read_bytes(value, n)) return false;
    words.prefault = static_cast<std::size_t>(n);
    return true;
  }
  if (key == "live") {
    if (!read_bytes(value, n) || n == 0) return false;
    words.live = static_cast<std::size_t>(n);
    return true;
  }
  if (key == "replay") {
    words.replay = value == "on";
    return value == "on" || value == "off";
  }
  if (key != "form") return false;
  if (value == "json")
    words.format = Format::kJson;
  else if (value == "text")
    words.format = Format::kText;
  else if (value == "gobench")
    words.format = Format::kGobench;
  else
    return false;
  return true;
}

}  // namespace

bool read_bytes(std::string_view text, std::uint64_t& bytes) {
  static constexpr struct {
    std::string_view suffix;
    int shift;
  } kUnits[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"K", 10}, {"M", 20}, {"G", 30}};
  int shift = 0;
  for (const auto& unit : kUnits)
    if (text.ends_with(unit.suffix)) {
      text.remove_suffix(unit.suffix.size());
      shift = unit.shift;
      break;
    }
  if (!read_number(text, bytes) || bytes > UINT64_MAX >> shift) return false;
  bytes <<= shift;
  return true;
}

bool read_words(const Options& options, const char* mode, Words& words) {
  std::string_view rest = options.pattern;
  for (bool first = true; !rest.empty(); first = false) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    rest = comma == rest.npos ? std::string_view{} : rest.substr(comma + 1);
    const std::size_t equals = word.find('=');
    if (equals == word.npos && first) {
      words.pattern = word;
      continue;
    }
    if (equals != word.npos && read_word(word.substr(0, equals), word.substr(equals + 1), words)) continue;
    Out error(2);
    error.print("malloc_bench %s: --pattern=%s: cannot read \"%.*s\"\n", mode, options.pattern.c_str(),
                static_cast<int>(word.size()), word.data());
    error.print(
        "hint: a pattern's name, then seed=N, warmup=N, prefault=BYTES (64MiB), live=BYTES (64MiB), replay=on|off, "
        "form=json|text|gobench, with commas between\n");
    return false;
  }
  return true;
}

int open_answer(const Options& options) {
  if (options.out.empty()) return STDOUT_FILENO;
  const int fd = open(options.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    Out error(2);
    error.print("malloc_bench: opening %s for the answer: %s\n", options.out.c_str(), std::strerror(errno));
  }
  return fd;
}

bool close_answer(const Options& options, Out& out, int fd) {
  out.flush();
  bool failed = out.failed();
  if (fd != STDOUT_FILENO) failed = close(fd) != 0 || failed;
  if (!failed) return true;
  Out error(2);
  error.print("malloc_bench: writing the answer to %s failed\n",
              options.out.empty() ? "standard output" : options.out.c_str());
  return false;
}

}  // namespace malloc_bench

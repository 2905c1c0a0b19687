#include "out.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <unistd.h>

namespace malloc_bench {

void Out::put(const char* text, std::size_t n) noexcept {
  if (n_ + n > sizeof buffer_) flush();
  if (n > sizeof buffer_) n = sizeof buffer_;
  std::memcpy(buffer_ + n_, text, n);
  n_ += n;
}

void Out::flush() noexcept {
  for (std::size_t done = 0; done < n_ && !failed_;) {
    const ssize_t n = write(fd_, buffer_ + done, n_ - done);
    if (n > 0)
      done += static_cast<std::size_t>(n);
    else if (errno != EINTR)
      failed_ = true;
  }
  n_ = 0;
}

void Out::print(const char* format, ...) noexcept {
  char text[4096];  // the help is the longest
  va_list arguments;
  va_start(arguments, format);
  const int n = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (n > 0) put(text, static_cast<std::size_t>(n) < sizeof text ? static_cast<std::size_t>(n) : sizeof text - 1);
}

void Out::quoted(const char* text) noexcept {
  put("\"", 1);
  for (; *text != '\0'; ++text) {
    const unsigned char c = static_cast<unsigned char>(*text);
    if (c == '"' || c == '\\')
      print("\\%c", c);
    else if (c < 0x20)
      print("\\u%04x", c);
    else
      put(text, 1);
  }
  put("\"", 1);
}

void Out::begin(const char* key) noexcept {
  if (!first_) put(",", 1);
  first_ = false;
  if (key == nullptr) return;
  quoted(key);
  put(":", 1);
}

void Out::open(char bracket, const char* key) noexcept {
  begin(key);
  put(&bracket, 1);
  first_ = true;
}

void Out::close(char bracket) noexcept {
  put(&bracket, 1);
  first_ = false;
}

void Out::field(const char* key, std::uint64_t value) noexcept {
  begin(key);
  print("%llu", static_cast<unsigned long long>(value));
}

void Out::field(const char* key, std::int64_t value) noexcept {
  begin(key);
  print("%lld", static_cast<long long>(value));
}

void Out::field(const char* key, double value) noexcept {
  begin(key);
  if (std::isfinite(value))
    print("%.10g", value);
  else
    print("null");
}

void Out::field(const char* key, bool value) noexcept {
  begin(key);
  print(value ? "true" : "false");
}

void Out::field(const char* key, const char* text) noexcept {
  begin(key);
  quoted(text);
}

}  // namespace malloc_bench

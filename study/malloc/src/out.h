// Output that allocates nothing: printf into the program's own memory, written to a file
// descriptor. stdio's first use would take its buffer from the malloc under test.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>

namespace malloc_bench {

class Out {
 public:
  explicit Out(int fd) noexcept : fd_(fd) {}
  ~Out() { flush(); }
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;

  // At most 1,000 bytes a call; longer text is cut.
  __attribute__((format(printf, 2, 3))) void print(const char* format, ...) noexcept;

  // JSON, one value after another: the commas are set between them. A key is
  // given inside an object and left out inside an array.
  void open(char bracket, const char* key = nullptr) noexcept;  // '{' or '['
  void close(char bracket) noexcept;
  void field(const char* key, std::uint64_t value) noexcept;
  void field(const char* key, std::int64_t value) noexcept;
  void field(const char* key, double value) noexcept;  // "null" when not finite
  void field(const char* key, bool value) noexcept;
  void field(const char* key, const char* text) noexcept;

  void flush() noexcept;
  bool failed() const noexcept { return failed_; }  // something could not be written

 private:
  void begin(const char* key) noexcept;
  void quoted(const char* text) noexcept;
  void put(const char* text, std::size_t n) noexcept;

  int fd_;
  bool first_ = true;  // no comma is due
  bool failed_ = false;
  std::size_t n_ = 0;
  char buffer_[16 * 1024];
};

}  // namespace malloc_bench

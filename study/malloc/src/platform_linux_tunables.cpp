// The tunables of this process's C library, as its program interpreter lists them.
#include "platform.h"

#if defined(__linux__)

#include <cerrno>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

namespace malloc_bench::platform {
namespace {

// The program's interpreter, as its headers in memory name it; nullptr if it has none.
const char* interpreter() noexcept {
  const auto* const headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  const unsigned long n = headers != nullptr ? getauxval(AT_PHNUM) : 0;
  std::uintptr_t base = 0;
  for (unsigned long i = 0; i < n; ++i)
    if (headers[i].p_type == PT_PHDR) base = reinterpret_cast<std::uintptr_t>(headers) - headers[i].p_vaddr;
  for (unsigned long i = 0; i < n; ++i)
    if (headers[i].p_type == PT_INTERP) return reinterpret_cast<const char*>(base + headers[i].p_vaddr);
  return nullptr;
}

// Without the environment: a tunable that is set would be listed with its value, and
// a preload would be loaded.
[[noreturn]] void list(const char* program, int out) noexcept {
  char* const argv[] = {const_cast<char*>(program), const_cast<char*>("--list-tunables"), nullptr};
  char* const envp[] = {nullptr};
  const int none = open("/dev/null", O_WRONLY);
  if (none >= 0) dup2(none, STDERR_FILENO);
  if (dup2(out, STDOUT_FILENO) >= 0) execve(program, argv, envp);
  _exit(1);
}

}  // namespace

bool has_tunables() noexcept {
#if defined(__GLIBC__)
  return true;
#else
  return false;
#endif
}

// By fork and not by posix_spawn, whose file actions come from the malloc under test.
std::size_t list_tunables(char* text, std::size_t size) noexcept {
  const char* const program = interpreter();
  int ends[2];
  if (program == nullptr || pipe2(ends, O_CLOEXEC) != 0) return 0;
  const pid_t pid = fork();
  if (pid == 0) list(program, ends[1]);
  close(ends[1]);
  std::size_t n = 0;
  while (pid > 0 && n < size) {
    const ssize_t got = read(ends[0], text + n, size - n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    n += static_cast<std::size_t>(got);
  }
  close(ends[0]);
  int status = 1;
  if (pid > 0)
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? n : 0;
}

}  // namespace malloc_bench::platform

#endif

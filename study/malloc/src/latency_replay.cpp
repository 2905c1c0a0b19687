#include "latency_replay.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform.h"

extern char** environ;

namespace malloc_bench {
namespace {

constexpr const char* kVariable = "MALLOC_BENCH_REPLAY";  // the descriptor of the shared list
constexpr std::size_t kMostArguments = 512, kMostVariables = 4096;

#if defined(__linux__)

// A shared list of n bytes behind a descriptor that a child inherits; -1 and errno.
int shared_file(std::size_t bytes) noexcept {
  const int fd = memfd_create("replay", 0);
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(bytes)) == 0) return fd;
  const int error = errno;
  if (fd >= 0) close(fd);
  errno = error;
  return -1;
}

// This program's arguments as the kernel has them, into `text`; their number, 0 if
// there are too many.
std::size_t arguments(char* text, std::size_t size, char** argv) noexcept {
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  std::size_t n = 0;
  ssize_t got;
  while (n < size && (got = read(fd, text + n, size - n)) > 0) n += static_cast<std::size_t>(got);
  close(fd);
  if (n == 0 || n == size) return 0;
  std::size_t argc = 0;
  for (std::size_t at = 0; at < n && argc < kMostArguments; at += std::strlen(text + at) + 1) argv[argc++] = text + at;
  argv[argc] = nullptr;
  return argc < kMostArguments ? argc : 0;
}

int spawn_and_wait(char* const* argv, char* const* envp) noexcept {
  posix_spawn_file_actions_t quiet;
  int error = posix_spawn_file_actions_init(&quiet);
  if (error != 0) return error;
  pid_t child = 0;
  for (int fd : {STDOUT_FILENO, STDERR_FILENO})
    if (error == 0) error = posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_WRONLY, 0);
  if (error == 0) error = posix_spawn(&child, "/proc/self/exe", &quiet, nullptr, argv, envp);
  posix_spawn_file_actions_destroy(&quiet);
  if (error != 0) return error;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return errno;
  return WIFEXITED(status) ? 0 : ECHILD;
}

int spawn_replay(int fd) noexcept {
  static char text[64 * 1024];
  static char* argv[kMostArguments + 1];
  static char* envp[kMostVariables + 2];
  if (arguments(text, sizeof text, argv) == 0) return E2BIG;
  static char variable[64];
  std::snprintf(variable, sizeof variable, "%s=%d", kVariable, fd);
  std::size_t n = 0;
  for (char** e = environ; *e != nullptr; ++e) {
    if (n == kMostVariables) return E2BIG;
    envp[n++] = *e;
  }
  envp[n++] = variable;
  envp[n] = nullptr;
  return spawn_and_wait(argv, envp);
}

#endif

}  // namespace

WatchedList replay_of_parent() noexcept {
  const char* const text = std::getenv(kVariable);
  if (text == nullptr) return {};
  const int fd = std::atoi(text);
  struct stat st {};
  if (fstat(fd, &st) != 0 || st.st_size <= 0) return {};
  void* const map = mmap(nullptr, static_cast<std::size_t>(st.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return {};
  return {static_cast<Watched*>(map), static_cast<std::size_t>(st.st_size) / sizeof(Watched)};
}

int run_replay(WatchedList list) noexcept {
#if defined(__linux__)
  const std::size_t bytes = list.n * sizeof(Watched);
  const int fd = shared_file(bytes);
  if (fd < 0) return errno;
  int error = 0;
  void* const map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) {
    error = errno;
  } else {
    std::memcpy(map, list.calls, bytes);
    error = spawn_replay(fd);
    if (error == 0) std::memcpy(static_cast<void*>(list.calls), map, bytes);
    munmap(map, bytes);
  }
  close(fd);
  return error;
#else
  (void)list;
  return ENOSYS;
#endif
}

}  // namespace malloc_bench

// Runs a program under limits, without the right to exceed them:
//
//   limited [memlock=BYTES] [as=BYTES] PROGRAM ARGUMENTS...
//
// or the limit in force, where that is lower. root keeps CAP_IPC_LOCK, with which RLIMIT_MEMLOCK
// does not count: it is dropped.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <linux/capability.h>

int main(int argc, char** argv) {
  int at = 1;
  for (; at < argc && std::strchr(argv[at], '=') != nullptr && argv[at][0] != '/'; ++at) {
    const char* const value = std::strchr(argv[at], '=') + 1;
    const auto resource = std::strncmp(argv[at], "as=", 3) == 0 ? RLIMIT_AS : RLIMIT_MEMLOCK;
    rlimit limit;
    getrlimit(resource, &limit);
    limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(limit.rlim_max, std::strtoull(value, nullptr, 10));
    if (setrlimit(resource, &limit) != 0) {
      std::perror("limited: setrlimit");
      return 1;
    }
  }
  if (getuid() == 0 && prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK, 0, 0, 0) != 0) {
    std::perror("limited: dropping CAP_IPC_LOCK");
    return 1;
  }
  if (at == argc) return 2;
  execv(argv[at], argv + at);
  std::perror(argv[at]);
  return 1;
}

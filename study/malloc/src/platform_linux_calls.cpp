// Counting system calls without privileges: a seccomp filter turns each into SIGSYS,
// whose handler counts it and makes it. (ptrace may be forbidden in containers, and
// perf's tracepoints need rights.) A filter stays for a process's life and slows it,
// so that it is only ever installed in a child that times nothing.
#include "platform.h"

#if defined(__linux__)

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

// The only address range from which the filter lets calls through.
#if defined(__x86_64__)
#define MALLOC_BENCH_AUDIT_ARCH AUDIT_ARCH_X86_64
asm(R"(
.text
.hidden malloc_bench_call, malloc_bench_call_end
.globl malloc_bench_call, malloc_bench_call_end
.type malloc_bench_call, @function
malloc_bench_call:
  mov %rdi, %rax
  mov %rsi, %rdi
  mov %rdx, %rsi
  mov %rcx, %rdx
  mov %r8, %r10
  mov %r9, %r8
  mov 8(%rsp), %r9
  syscall
  ret
malloc_bench_call_end:
)");
#elif defined(__aarch64__)
#define MALLOC_BENCH_AUDIT_ARCH AUDIT_ARCH_AARCH64
asm(R"(
.text
.hidden malloc_bench_call, malloc_bench_call_end
.globl malloc_bench_call, malloc_bench_call_end
.type malloc_bench_call, %function
malloc_bench_call:
  mov x8, x0
  mov x0, x1
  mov x1, x2
  mov x2, x3
  mov x3, x4
  mov x4, x5
  mov x5, x6
  svc #0
  ret
malloc_bench_call_end:
)");
#endif

namespace malloc_bench::platform {

#if !defined(MALLOC_BENCH_AUDIT_ARCH)

bool count_calls(Calls*, int, void (*)(void*, volatile int*), void*, const char** why) noexcept {
  *why = "system calls are counted on x86-64 and arm64 only";
  return false;
}

#else

namespace {

extern "C" long malloc_bench_call(long number, long, long, long, long, long, long) noexcept;
extern "C" const char malloc_bench_call_end[];

// Shared between the child that counts and the parent that reads.
struct Shared {
  volatile bool installed, done;
  volatile int error;
  Calls calls[];
};

Shared* shared;
volatile int selected;
int n_calls;

std::int64_t& counter(Calls& c, long number) noexcept {
  switch (number) {
    case SYS_brk: return c.brk;
    case SYS_mmap: return c.mmap;
    case SYS_munmap: return c.munmap;
    case SYS_madvise: return c.madvise;
    case SYS_mprotect: return c.mprotect;
    case SYS_mremap: return c.mremap;
    case SYS_futex: return c.futex;
    default: return c.other;
  }
}

void on_call(int, siginfo_t* info, void* context) noexcept {
  const int saved = errno;
  const int s = selected;
  if (s >= 0 && s < n_calls) ++counter(shared->calls[s], info->si_syscall);
  auto& m = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  auto* const r = reinterpret_cast<long long*>(m.gregs);
  r[REG_RAX] = malloc_bench_call(info->si_syscall, static_cast<long>(r[REG_RDI]), static_cast<long>(r[REG_RSI]),
                                 static_cast<long>(r[REG_RDX]), static_cast<long>(r[REG_R10]),
                                 static_cast<long>(r[REG_R8]), static_cast<long>(r[REG_R9]));
#else
  auto* const r = reinterpret_cast<long long*>(m.regs);
  r[0] = malloc_bench_call(info->si_syscall, static_cast<long>(r[0]), static_cast<long>(r[1]), static_cast<long>(r[2]),
      static_cast<long>(r[3]),
                           static_cast<long>(r[4]), static_cast<long>(r[5]));
#endif
  errno = saved;
}

// Traps every call but the return from the handler, the end of the process, and those
// from malloc_bench_call.
bool install() noexcept {
  struct sigaction action {};
  action.sa_sigaction = on_call;
  action.sa_flags = SA_SIGINFO;
  if (sigaction(SIGSYS, &action, nullptr) != 0) return false;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  const auto from = reinterpret_cast<std::uint64_t>(&malloc_bench_call),
      to = reinterpret_cast<std::uint64_t>(malloc_bench_call_end);
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  if (high(from) != high(to)) return errno = ERANGE, false;  // the test below compares the lower halves
  const auto field = [](std::size_t offset) { return static_cast<std::uint32_t>(offset); };
  const std::uint32_t ip = field(offsetof(seccomp_data, instruction_pointer));
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, field(offsetof(seccomp_data, arch))),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MALLOC_BENCH_AUDIT_ARCH, 0, 9),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, field(offsetof(seccomp_data, nr))),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 7, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 6, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ip + 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, high(from), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ip),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, low(from), 0, 1),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, low(to), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof code / sizeof code[0], code};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

[[noreturn]] void child(void (*work)(void*, volatile int*), void* context) noexcept {
  selected = -1;
  if (!install()) {
    shared->error = errno;
    _exit(1);
  }
  shared->installed = true;
  work(context, &selected);
  selected = -1;
  shared->done = true;
  _exit(0);
}

}  // namespace

bool count_calls(Calls* calls, int n, void (*work)(void*, volatile int*), void* context, const char** why) noexcept {
  const std::size_t bytes = sizeof(Shared) + static_cast<std::size_t>(n) * sizeof(Calls);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *why = "no memory for the counts";
  if (memory == MAP_FAILED) return false;
  shared = static_cast<Shared*>(memory);
  n_calls = n;
  const pid_t pid = fork();
  if (pid == 0) child(work, context);
  *why = "no process for the counting";
  int status = 0;
  if (pid > 0)
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  const bool good = pid > 0 && shared->done;
  if (good) std::memcpy(calls, shared->calls, static_cast<std::size_t>(n) * sizeof(Calls));
  else if (pid > 0)
    *why = shared->installed ? "the counting child ended early" : "the system has no seccomp filters (an emulator?)";
  munmap(memory, bytes);
  return good;
}

#endif

}  // namespace malloc_bench::platform

#endif

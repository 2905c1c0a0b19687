// The probe: uses an allocator as a program does, and says what is wrong with it.
//
//   LD_PRELOAD=libother.so ./probe [MILLISECONDS]
//
// A child does the calls, and notes in memory that it shares with its parent what it is about to
// do. So it is known where it was when it died, ended or did not come back. Nothing here needs
// malloc but the calls that are judged. Standard output has one fact a line:
//
//   malloc FILE                        which library malloc is from
//   fill BYTES of BYTES                so much of a freed block was written over
//   died SIGNAL | ended STATUS | late  how the child ended, unless it came to its end
//   at FUNCTION SIZE CALLS             what it was doing then, after so many calls
//   wrong TEXT                         what an allocator must not do
//   ok
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kLive = 600, kSteps = 20000, kCalls = 200000, kFreed = 1 << 16 };

struct block {
  unsigned char *at;
  size_t size;
  unsigned char fill;
  int second;  // its address was freed before
};

struct shared {
  const char *volatile function;
  volatile size_t size;
  volatile long calls;
  volatile int done;
  int filled, fill_of;
  char wrong[400];
  struct block live[kLive];
  uintptr_t freed[kFreed];
};

static struct shared *seen;

static void wrong(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(seen->wrong, sizeof seen->wrong, format, list);
  va_end(list);
  _exit(0);
}

static void enter(const char *function, size_t size) {
  seen->function = function;
  seen->size = size;
}

static void leave(void) { seen->calls++; }

// The alignment that C asks of a block: that of the largest type that fits into it.
static size_t alignment(size_t size) {
  size_t a = _Alignof(max_align_t);
  while (a > size) a /= 2;
  return a;
}

static void *judge(const char *function, void *p, size_t size, size_t align, int error) {
  if (p == NULL) wrong("%s(%zu) returned NULL (%s)", function, size, error != 0 ? strerror(error) : "errno is 0");
  if (align > 1 && (uintptr_t)p % align != 0)
    wrong("%s(%zu) returned an address that ends in %02x, and it must be a multiple of %zu", function, size,
        (unsigned)((uintptr_t)p & 0xff), align);
  return p;
}

static void *get(size_t size) {
  enter("malloc", size);
  errno = 0;
  void *const p = malloc(size);
  leave();
  return judge("malloc", p, size, alignment(size), errno);
}

static void give(void *p, size_t size) {
  enter("free", size);
  free(p);
  leave();
}

static void must_be_apart(const unsigned char *p, size_t size, const unsigned char *other, size_t other_size) {
  if (p < other + other_size && other < p + size)
    wrong("two blocks overlap: malloc(%zu) returned memory of a block of %zu bytes that was not freed", size,
        other_size);
}

static void must_hold(const char *function, const unsigned char *p, size_t size, unsigned char want) {
  for (size_t i = 0; i < size; ++i)
    if (p[i] != want) wrong("%s(%zu) returned a block whose byte %zu is %u, not %u", function, size, i, p[i], want);
}

static const size_t sizes[] = {1, 8, 16, 24, 64, 100, 256, 1000, 4096, 32768, 131072, 1 << 20};
enum { kSizes = sizeof sizes / sizeof *sizes };

// Before anything is written: what is written to one of two blocks that overlap may break the
// allocator's own lists.
static void two_of_each(void) {
  for (size_t i = 0; i < kSizes; ++i) {
    unsigned char *const p = get(sizes[i]), *const other = get(sizes[i]);
    must_be_apart(other, sizes[i], p, sizes[i]);
    give(other, sizes[i]);
    give(p, sizes[i]);
  }
}

// Each function once at sizes from one byte to 1 MiB.
static void each_function(void) {
  give(NULL, 0);
  for (size_t i = 0; i < kSizes; ++i) {
    const size_t n = sizes[i];
    unsigned char *p = get(n);
    memset(p, 0x5a, n);
    enter("realloc", 2 * n);
    p = realloc(p, 2 * n);
    leave();
    judge("realloc", p, 2 * n, alignment(2 * n), errno);
    must_hold("realloc", p, n, 0x5a);
    memset(p, 0x5a, 2 * n);
    give(p, 2 * n);
    enter("calloc", n);
    p = calloc(1, n);
    leave();
    judge("calloc", p, n, alignment(n), errno);
    must_hold("calloc", p, n, 0);
    give(p, n);
  }
}

static int same_library(const char *function) {
  Dl_info of_malloc, of_this;
  void *const this = dlsym(RTLD_DEFAULT, function);
  return this != NULL && dladdr(this, &of_this) != 0 && dladdr(dlsym(RTLD_DEFAULT, "malloc"), &of_malloc) != 0 &&
      of_this.dli_fbase == of_malloc.dli_fbase;
}

// Only where the library has it: what the C library aligns is not for another's free.
static void aligned(void) {
  if (!same_library("posix_memalign")) return;
  for (size_t align = 2 * sizeof(void *); align <= 65536; align *= 4) {
    void *p = NULL;
    enter("posix_memalign", align);
    const int error = posix_memalign(&p, align, 100);
    leave();
    judge("posix_memalign", p, align, align, error);
    memset(p, 1, 100);
    give(p, 100);
  }
}

// How much of a freed block was written over: memory that is gone cannot be read, which is no fault.
static void look_after_free(void) {
  static unsigned char after[4096];
  enum { n = 256 };
  unsigned char *const p = get(n);
  memset(p, 0x5a, n);
  give(p, n);
  const struct iovec here = {after, n}, there = {p, n};
  if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != n) return;
  seen->fill_of = n;
  for (int i = 0; i < n; ++i) seen->filled += after[i] != 0x5a;
}

static uint64_t state = 0x9e3779b97f4a7c15;

static size_t below(size_t n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (size_t)(state % n);
}

static uintptr_t *slot(const void *p) { return &seen->freed[(uintptr_t)p / 8 % kFreed]; }

static void must_not_overlap(const struct block *b) {
  for (const struct block *o = seen->live; o < seen->live + kLive; ++o)
    if (o != b && o->at != NULL) must_be_apart(b->at, b->size, o->at, o->size);
}

static void must_be_whole(const struct block *b) {
  for (size_t i = 0; i < b->size; ++i)
    if (b->at[i] != b->fill)
      wrong("it wrote into a block that its caller owns%s: byte %zu of %zu",
          b->second ? ", which had been freed and given out again" : "", i, b->size);
}

// Many blocks are alive, each with bytes of its own, and are freed in random order.
static void live_set(void) {
  for (int i = 0; i < kSteps + kLive; ++i) {
    struct block *const b = &seen->live[i < kSteps ? below(kLive) : (size_t)(i - kSteps)];
    if (b->at != NULL) {
      must_be_whole(b);
      *slot(b->at) = (uintptr_t)b->at;
      unsigned char *const p = b->at;
      b->at = NULL;
      give(p, b->size);
    }
    if (i >= kSteps) continue;
    b->size = 1 + below(512);
    b->fill = (unsigned char)(1 + below(255));
    b->at = get(b->size);
    b->second = *slot(b->at) == (uintptr_t)b->at;
    must_not_overlap(b);
    memset(b->at, b->fill, b->size);
  }
}

static void many_calls(void) {
  for (int i = 0; i < kCalls / 2; ++i) {
    const size_t n = 16 + below(48);
    unsigned char *const p = get(n);
    p[0] = p[n - 1] = 1;
    give(p, n);
  }
}

static void child(void) {
  two_of_each();
  each_function();
  aligned();
  look_after_free();
  live_set();
  many_calls();
  seen->done = 1;
  _exit(0);
}

static const char *name_of(int signal) {
  switch (signal) {
    case SIGSEGV: return "SIGSEGV";
    case SIGABRT: return "SIGABRT";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGFPE: return "SIGFPE";
    case SIGTRAP: return "SIGTRAP";
    case SIGSYS: return "SIGSYS";
    case SIGKILL: return "SIGKILL";
  }
  return "a signal";
}

static void say(const char *format, ...) {
  char line[1500];
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  if (write(1, line, (size_t)n) != n) _exit(2);
}

// Waits for the child, no longer than the limit. Returns whether it ended by itself.
static int wait_for(pid_t pid, long limit_ms, int *status) {
  const struct timespec ms = {0, 1000000};
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (;;) {
    if (waitpid(pid, status, WNOHANG) == pid) return 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 > limit_ms) break;
    nanosleep(&ms, NULL);
  }
  kill(pid, SIGKILL);
  waitpid(pid, status, 0);
  return 0;
}

int main(int argc, char **argv) {
  const long limit_ms = argc > 1 ? strtol(argv[1], NULL, 10) : 5000;
  Dl_info from;
  if (dladdr(dlsym(RTLD_DEFAULT, "malloc"), &from) != 0) say("malloc %s\n", from.dli_fname);
  seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (seen == MAP_FAILED) return 2;
  enter("fork", 0);
  const pid_t pid = fork();
  if (pid < 0) return 2;
  if (pid == 0) child();
  int status = 0;
  const int ended = wait_for(pid, limit_ms, &status);
  if (seen->fill_of > 0) say("fill %d of %d\n", seen->filled, seen->fill_of);
  if (seen->wrong[0] != 0) say("wrong %s\n", seen->wrong);
  else if (ended && seen->done) say("ok\n");
  else {
    if (!ended) say("late\n");
    else if (WIFSIGNALED(status)) say("died %s\n", name_of(WTERMSIG(status)));
    else say("ended %d\n", WEXITSTATUS(status));
    say("at %s %zu %ld\n", seen->function, seen->size, seen->calls);
  }
  _exit(0);
}

// Tells what the GNU C library's malloc has, and tries malloc_trim, when it is asked: a thread of the program waits
// for somebody to write into a pipe. It is no signal handler: one may interrupt malloc while it holds a lock that
// malloc_info takes. What it needs is opened before main, in the main thread, so that it has no arena of its own.
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern int malloc_info(int, FILE *) __attribute__((weak));
extern int malloc_trim(size_t) __attribute__((weak));

static char ask[PATH_MAX], told[PATH_MAX], done[PATH_MAX];
static FILE *to;
static char buffer[1 << 16];

static long resident(void) {
  char text[128] = "";
  long size = 0, pages = 0;
  int f = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (f < 0 || read(f, text, sizeof text - 1) <= 0) return 0;
  close(f);
  sscanf(text, "%ld %ld", &size, &pages);
  return pages * sysconf(_SC_PAGESIZE);
}

static void *wait_for_it(void *unused) {
  (void)unused;
  char c;
  int f = open(ask, O_RDONLY | O_CLOEXEC);
  if (f < 0 || read(f, &c, 1) != 1) return NULL;
  close(f);
  malloc_info(0, to);
  fflush(to);
  struct timespec a, b;
  long before = resident();
  clock_gettime(CLOCK_MONOTONIC, &a);
  malloc_trim(0);
  clock_gettime(CLOCK_MONOTONIC, &b);
  fprintf(to, "trim %ld %ld %lld\n", before, resident(), (b.tv_sec - a.tv_sec) * 1000000000LL + (b.tv_nsec - a.tv_nsec));
  fflush(to);
  rename(told, done);
  return NULL;
}

__attribute__((constructor)) static void begin(void) {
  const char *dir = getenv("MEMCOST_ARENAS");
  if (!dir || !malloc_info || !malloc_trim) return;
  snprintf(ask, sizeof ask, "%s/%d.ask", dir, getpid());
  snprintf(told, sizeof told, "%s/%d.part", dir, getpid());
  snprintf(done, sizeof done, "%s/%d.told", dir, getpid());
  if (mkfifo(ask, 0600) != 0) return; // one that it was before it became another program has one
  to = fopen(told, "we");
  if (!to) return;
  setvbuf(to, buffer, _IOFBF, sizeof buffer);
  sigset_t all, old;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old); // the program's signals are the program's threads'
  if (pthread_create(&thread, NULL, wait_for_it, NULL) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

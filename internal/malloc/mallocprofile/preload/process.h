// The profile of a process, and the records of its threads: how they begin and end.
#ifndef PROCESS_H
#define PROCESS_H

#include "sample.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

// next are the functions of the allocator that is counted.
static struct {
	void *(*malloc)(size_t);
	void (*free)(void *);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
} next;

enum { NONE, BUSY, READY, OFF };
static int state; // one of these

#define own static __thread __attribute__((tls_model("initial-exec")))
own struct thread *mine; // the record of this thread; NULL until it has one
own int busy;			 // this thread sets the profile up: what it allocates meanwhile is boot memory
own int refused;		 // there is no record left for this thread

static uint64_t early;
static pthread_key_t key;
static int keyed;
static char folder[4000];

// Boot memory is given out while the functions of the allocator are looked up, which may itself
// allocate. It is never given back; the filter has its addresses.
static char boot[32768] __attribute__((aligned(64)));
static size_t booted;

static int is_boot(const void *p) { return (const char *)p >= boot && (const char *)p < boot + sizeof boot; }

static void *boot_memory(size_t align, size_t n) {
	size_t at = (booted + 16 + align - 1) / align * align; // its size stands in front of it
	if (n > sizeof boot || at + n > sizeof boot)
		return NULL;
	memcpy(boot + at - sizeof n, &n, sizeof n);
	booted = at + n;
	filter[place_of(boot + at)] = 255;
	return boot + at;
}

static size_t boot_size(const void *p) {
	size_t n;
	memcpy(&n, (const char *)p - sizeof n, sizeof n);
	return n;
}

static void look_up(void) {
	*(void **)&next.malloc = dlsym(RTLD_NEXT, "malloc");
	*(void **)&next.free = dlsym(RTLD_NEXT, "free");
	*(void **)&next.calloc = dlsym(RTLD_NEXT, "calloc");
	*(void **)&next.realloc = dlsym(RTLD_NEXT, "realloc");
	*(void **)&next.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
	*(void **)&next.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
	*(void **)&next.memalign = dlsym(RTLD_NEXT, "memalign");
	*(void **)&next.valloc = dlsym(RTLD_NEXT, "valloc");
	*(void **)&next.pvalloc = dlsym(RTLD_NEXT, "pvalloc");
	*(void **)&usable = dlsym(RTLD_NEXT, "malloc_usable_size");
	filter[place_of(NULL)] = 255; // free(NULL) goes the way of sampled blocks, which counts it apart
}

// path appends a number and an ending to the folder.
static void path(char *to, const char *between, unsigned number) {
	char digits[12];
	int n = 0;
	size_t length = strlen(folder);
	memcpy(to, folder, length);
	to[length++] = '/';
	for (; *between; between++)
		to[length++] = *between;
	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n > 0)
		to[length++] = digits[--n];
	to[length] = 0;
}

// among reports whether this process is among the first 500: each has a file of its own, and the
// file `processes` a byte for each of them.
static int among(void) {
	char name[sizeof folder + 64];
	struct stat info;
	path(name, "processes", 0);
	int fd = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return 0;
	int ok = write(fd, "", 1) == 1 && fstat(fd, &info) == 0 && info.st_size <= 500;
	close(fd);
	return ok;
}

// map makes the file of this process. One pid may have several: a program that calls exec.
static struct profile *map(void) {
	char name[sizeof folder + 64];
	int fd = -1;
	if (!folder[0] || !among())
		return NULL;
	for (unsigned i = 0; i < 100 && fd < 0; i++) {
		char prefix[] = "profile00.";
		prefix[7] = (char)('0' + i / 10);
		prefix[8] = (char)('0' + i % 10);
		path(name, prefix, (unsigned)getpid());
		fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			return NULL;
	}
	if (fd < 0)
		return NULL;
	void *at = MAP_FAILED;
	if (ftruncate(fd, sizeof(struct profile)) == 0)
		at = mmap(NULL, sizeof(struct profile), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

static void fill(struct header *h) {
	h->format = FORMAT;
	h->pid = (uint32_t)getpid();
	h->thread_size = sizeof(struct thread);
	h->block_count = BUCKETS * WAYS;
	h->early = early;
	h->start = h->last = now();
	if (readlink("/proc/self/exe", h->program, sizeof h->program - 1) < 0)
		h->program[0] = 0;
	memcpy(h->magic, "mallocs\n", 8);
}

// The record of a thread that ends stays its own until the thread is gone: it may still free.
static void retire(void *record) {
	struct thread *t = record;
	__atomic_store_n(&t->retired, 1, __ATOMIC_RELEASE);
	add(shared->header.threads_now, -1);
}

static void before_fork(void) {
	if (shared)
		add(shared->header.forks, 1);
}

// A child has a file of its own. Blocks that its parent sampled are unknown to it.
static void in_child(void) {
	if (!shared)
		return;
	munmap(shared, sizeof *shared);
	pthread_setspecific(key, NULL);
	shared = NULL;
	mine = NULL;
	refused = 0;
	early = 0;
	state = NONE;
}

// begin sets the profile up, at the first call or in the constructor. Before libc is set up there
// is no environment: then it is left to a later call.
static void begin(void) {
	int none = NONE;
	if (busy)
		return;
	if (!__atomic_compare_exchange_n(&state, &none, BUSY, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == BUSY)
			sched_yield();
		return;
	}
	busy = 1;
	int then = OFF, error = errno;
	if (!next.malloc)
		look_up();
	if (!environ) {
		then = NONE;
	} else {
		const char *dir = folder[0] ? NULL : getenv("MEMCOST_MALLOC_PROFILE");
		if (dir && strlen(dir) < sizeof folder)
			strcpy(folder, dir);
		if ((shared = map())) {
			fill(&shared->header);
			if (!keyed && pthread_key_create(&key, retire) == 0 && pthread_atfork(before_fork, NULL, in_child) == 0)
				keyed = 1;
			then = READY;
		}
	}
	busy = 0;
	errno = error;
	__atomic_store_n(&state, then, __ATOMIC_RELEASE);
}

__attribute__((constructor(101))) static void at_start(void) { begin(); }

__attribute__((destructor(101))) static void at_end(void) {
	if (shared)
		shared->header.last = now();
}

// reuse returns the record of a thread that is gone.
static struct thread *reuse(uint64_t records) {
	for (uint64_t i = 0; i < records; i++) {
		struct thread *t = &shared->threads[i];
		int one = 1;
		if (!get(t->retired) ||
			!__atomic_compare_exchange_n(&t->retired, &one, 2, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		if (t->tid == (uint32_t)syscall(SYS_gettid) ||
			(syscall(SYS_tgkill, getpid(), t->tid, 0) != 0 && errno == ESRCH))
			return t;
		__atomic_store_n(&t->retired, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

// attach gives this thread its record; NULL where there is none.
static struct thread *attach(void) {
	int error = errno;
	struct header *h = &shared->header;
	uint64_t records = get(h->records);
	struct thread *t = reuse(records < MOST_THREADS ? records : MOST_THREADS);
	if (!t) {
		uint64_t at = add(h->records, 1) - 1;
		if (at >= MOST_THREADS) {
			add(h->records, -1);
			add(h->uncounted, 1);
			refused = 1;
			return NULL;
		}
		t = &shared->threads[at];
		t->random = 0x9E3779B97F4A7C15ull * (at + 1);
	}
	t->serial = (uint32_t)add(h->threads, 1);
	t->tid = (uint32_t)syscall(SYS_gettid);
	t->used += t->interval - t->left;
	draw(t);
	raise_to(&h->threads_peak, add(h->threads_now, 1));
	__atomic_store_n(&t->retired, 0, __ATOMIC_RELEASE);
	mine = t; // before what may allocate
	if (keyed)
		pthread_setspecific(key, t);
	errno = error;
	return t;
}

// enter returns the record of a thread that has none yet; NULL where calls are passed on only.
static struct thread *enter(void) {
	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == NONE)
		begin();
	if (busy || refused)
		return NULL;
	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == READY)
		return attach();
	early += state == NONE;
	return NULL;
}

#endif

// Makes calls of malloc whose number is known: calls MODE [COUNT SIZE].
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void pairs(long n, size_t size) {
	void *volatile sink; // of each thread: what is not used may be left out
	for (long i = 0; i < n; i++) {
		sink = malloc(size);
		free(sink);
	}
}

static void *volatile nothing;

static void kinds(void) {
	pairs(1000, 100);
	for (int i = 0; i < 500; i++) {
		char *p = calloc(10, 20);
		for (int j = 0; j < 200; j++)
			if (p[j])
				abort();
		free(p);
	}
	char *p = NULL;
	for (size_t n = 1; n <= 40; n++) { // 40 calls, one block
		p = realloc(p, n * 1000);
		memset(p + (n - 1) * 1000, (int)n, 1000);
	}
	for (size_t n = 0; n < 40; n++)
		if (p[n * 1000] != (char)(n + 1))
			abort();
	free(p);
	for (int i = 0; i < 60; i++)
		free(reallocarray(NULL, 3, 50));
	if (reallocarray(NULL, SIZE_MAX, 3)) // refused: not counted
		abort();
	for (int i = 0; i < 30; i++)
		free(aligned_alloc(64, 640));
	for (int i = 0; i < 20; i++) {
		void *q;
		if (posix_memalign(&q, 4096, 100) || (uintptr_t)q % 4096)
			abort();
		free(q);
	}
	for (int i = 0; i < 10; i++)
		free(memalign(128, 300));
	for (int i = 0; i < 5; i++)
		free(valloc(10));
	free(pvalloc(10));
	for (int i = 0; i < 7; i++)
		free(nothing);
}

static void *work(void *arg) {
	pairs((long)(intptr_t)arg, 48);
	return NULL;
}

static void threads(int n, long each) {
	pthread_t all[64];
	for (int i = 0; i < n; i++)
		pthread_create(&all[i], NULL, work, (void *)(intptr_t)each);
	for (int i = 0; i < n; i++)
		pthread_join(all[i], NULL);
}

static void *blocks[100000];

static void *consume(void *arg) {
	for (long i = 0; i < (long)(intptr_t)arg; i++)
		free(blocks[i]);
	return NULL;
}

// foreign lets another thread free three blocks in four.
static void foreign(void) {
	pthread_t t;
	for (int i = 0; i < 100000; i++)
		blocks[i] = malloc(64);
	pthread_create(&t, NULL, consume, (void *)(intptr_t)75000);
	pthread_join(t, NULL);
	for (int i = 75000; i < 100000; i++)
		free(blocks[i]);
}

static void forks(char *self) {
	pairs(1000, 33);
	if (fork() == 0) {
		pairs(2000, 33);
		_exit(0);
	}
	wait(NULL);
	if (fork() == 0) {
		execl(self, self, "three", (char *)NULL);
		_exit(1);
	}
	wait(NULL);
	pairs(500, 33);
}

// ages keeps 100 blocks in a queue, so that each lives for 198 calls.
static void ages(void) {
	for (int i = 0; i < 200000; i++) {
		if (i >= 100)
			free(blocks[i % 100]);
		blocks[i % 100] = malloc(200);
	}
}

static void live(void) { // 40,000 blocks of 1000 bytes, half of which stay
	for (int i = 0; i < 40000; i++)
		blocks[i] = malloc(1000);
	for (int i = 0; i < 40000; i += 2)
		free(blocks[i]);
}

// held keeps blocks of one size, among as many that are freed at once.
static void held(int n, size_t size) {
	for (int i = 0; i < n; i++) {
		pairs(1, size);
		blocks[i] = malloc(size);
	}
}

static void swings(void) { // ten times up to 32 MiB and down
	for (int k = 0; k < 10; k++) {
		for (int i = 0; i < 512; i++)
			blocks[i] = malloc(65536);
		for (int i = 0; i < 512; i++)
			free(blocks[i]);
	}
}

static pthread_key_t late;

static void free_late(void *p) {
	pairs(10, 77);
	free(p);
}

static void *ends(void *arg) {
	pthread_setspecific(late, malloc(77));
	return arg;
}

// endings lets threads allocate while they end, one after the other.
static void endings(void) {
	pthread_key_create(&late, free_late);
	for (int i = 0; i < 200; i++) {
		pthread_t t;
		pthread_create(&t, NULL, ends, NULL);
		pthread_join(t, NULL);
	}
}

static char *before;

__attribute__((constructor)) static void early(void) { before = malloc(19); }

int main(int argc, char **argv) {
	const char *mode = argc > 1 ? argv[1] : "";
	free(before);
	if (!strcmp(mode, "kinds"))
		kinds();
	else if (!strcmp(mode, "million"))
		pairs(10000000, 24);
	else if (!strcmp(mode, "threads"))
		threads(8, 100000), threads(20, 1000);
	else if (!strcmp(mode, "foreign"))
		foreign();
	else if (!strcmp(mode, "forks"))
		forks(argv[0]);
	else if (!strcmp(mode, "three"))
		pairs(3000, 33);
	else if (!strcmp(mode, "segv"))
		pairs(1234, 33), raise(SIGSEGV);
	else if (!strcmp(mode, "kill"))
		pairs(1234, 33), raise(SIGKILL);
	else if (!strcmp(mode, "_exit"))
		pairs(1234, 33), _exit(3);
	else if (!strcmp(mode, "ages"))
		ages();
	else if (!strcmp(mode, "live"))
		live();
	else if (!strcmp(mode, "held"))
		held(atoi(argv[2]), (size_t)atol(argv[3]));
	else if (!strcmp(mode, "swings"))
		swings();
	else if (!strcmp(mode, "endings"))
		endings();
	else if (!strcmp(mode, "dlsym"))
		for (int i = 0; i < 100; i++) {
			dlsym(RTLD_DEFAULT, "there is no such function");
			dlerror();
		}
	return 0;
}

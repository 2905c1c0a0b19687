// The functions of malloc: each counts its call in the record of its thread, without atomic
// operations, and passes it on. What is not in the common case stands in functions of its own.
#define _GNU_SOURCE
#include "process.h"

#define exported __attribute__((visibility("default")))
#define rare __attribute__((noinline, cold))

// due counts an allocation and reports whether it is to be sampled.
static inline int due(struct thread *t, enum kind kind, size_t n) {
	size_t cost = n + EXTRA;
	t->allocations++;
	t->sizes[kind][class_of(n)]++;
	if (unlikely(cost > t->left))
		return 1;
	t->left -= cost;
	return 0;
}

static rare void *sampled_malloc(struct thread *t, size_t n) {
	void *p = next.malloc(n);
	sample(t, p, n);
	return p;
}

static rare void *first_malloc(size_t n) {
	struct thread *t = enter();
	if (busy)
		return boot_memory(16, n);
	return t ? malloc(n) : next.malloc(n);
}

exported void *malloc(size_t n) {
	struct thread *t = mine;
	if (unlikely(!t))
		return first_malloc(n);
	if (unlikely(due(t, MALLOC, n)))
		return sampled_malloc(t, n);
	return next.malloc(n);
}

// known_free frees what the filter has: NULL, boot memory, sampled blocks, and now and then
// another one.
static rare void known_free(struct thread *t, void *p) {
	struct block b;
	if (!p) {
		t->nulls++;
		return;
	}
	if (is_boot(p))
		return;
	if (take(p, &b))
		ended(t, &b);
	next.free(p);
}

static rare void first_free(void *p) {
	if (!p || is_boot(p)) {
		if (enter())
			free(p);
		return;
	}
	if (enter())
		free(p);
	else if (next.free)
		next.free(p);
}

exported void free(void *p) {
	struct thread *t = mine;
	if (unlikely(!t)) {
		first_free(p);
		return;
	}
	t->frees++;
	if (unlikely(get(filter[place_of(p)]))) {
		known_free(t, p);
		return;
	}
	next.free(p);
}

static rare void *sampled_calloc(struct thread *t, size_t n, size_t size) {
	void *p = next.calloc(n, size);
	sample(t, p, n * size);
	return p;
}

static rare void *first_calloc(size_t n, size_t size) {
	struct thread *t = enter();
	if (busy)
		return boot_memory(16, n * size); // never given out before: it is 0
	return t ? calloc(n, size) : next.calloc(n, size);
}

exported void *calloc(size_t n, size_t size) {
	struct thread *t = mine;
	size_t bytes;
	if (unlikely(!t))
		return first_calloc(n, size);
	if (unlikely(__builtin_mul_overflow(n, size, &bytes)))
		return next.calloc(n, size);
	if (unlikely(due(t, CALLOC, bytes)))
		return sampled_calloc(t, n, size);
	return next.calloc(n, size);
}

// resize is a realloc of a thread with a record. A block that is resized ends, and another begins.
static void *resize(struct thread *t, enum kind kind, void *p, size_t n) {
	struct block b;
	int sampling = due(t, kind, n), known = 0;
	t->resized += p != NULL;
	if (p && unlikely(get(filter[place_of(p)]))) {
		if (is_boot(p)) {
			void *q = next.malloc(n);
			return q ? memcpy(q, p, n < boot_size(p) ? n : boot_size(p)) : NULL;
		}
		known = take(p, &b); // before another thread can be given its address
	}
	void *q = next.realloc(p, n);
	if (unlikely(known)) {
		if (!q && n)
			put(p, &b); // it failed, and the block lives on
		else
			ended(t, &b);
	}
	if (unlikely(sampling))
		sample(t, q, n);
	return q;
}

static rare void *first_realloc(void *p, size_t n) {
	struct thread *t = enter();
	if (t)
		return realloc(p, n);
	if (!busy && !is_boot(p))
		return next.realloc(p, n);
	void *q = busy ? boot_memory(16, n) : next.malloc(n);
	return q && p ? memcpy(q, p, n < boot_size(p) ? n : boot_size(p)) : q;
}

exported void *realloc(void *p, size_t n) {
	struct thread *t = mine;
	return likely(t) ? resize(t, REALLOC, p, n) : first_realloc(p, n);
}

// glibc's reallocarray would call realloc above, and count twice.
exported void *reallocarray(void *p, size_t n, size_t size) {
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	struct thread *t = mine ? mine : enter();
	return likely(t) ? resize(t, REALLOCARRAY, p, bytes) : first_realloc(p, bytes);
}

// aligned counts an allocation of a kind that few programs use.
static void *aligned(enum kind kind, void *(*function)(size_t, size_t), size_t align, size_t n) {
	struct thread *t = mine ? mine : enter();
	if (busy)
		return boot_memory(align < 16 ? 16 : align, n);
	int sampling = t && due(t, kind, n);
	void *p = function(align, n);
	if (sampling)
		sample(t, p, n);
	return p;
}

exported void *aligned_alloc(size_t align, size_t n) {
	if (!next.malloc)
		enter();
	return aligned(ALIGNED_ALLOC, next.aligned_alloc, align, n);
}

exported void *memalign(size_t align, size_t n) {
	if (!next.malloc)
		enter();
	return aligned(MEMALIGN, next.memalign, align, n);
}

exported int posix_memalign(void **to, size_t align, size_t n) {
	struct thread *t = mine ? mine : enter();
	if (busy)
		return (*to = boot_memory(align, n)) ? 0 : ENOMEM;
	int sampling = t && due(t, POSIX_MEMALIGN, n), error = next.posix_memalign(to, align, n);
	if (sampling)
		sample(t, error ? NULL : *to, n);
	return error;
}

static void *paged(void *(*function)(size_t), size_t n) {
	struct thread *t = mine ? mine : enter();
	if (busy)
		return boot_memory((size_t)sysconf(_SC_PAGESIZE), n);
	int sampling = t && due(t, VALLOC, n);
	void *p = function(n);
	if (sampling)
		sample(t, p, n);
	return p;
}

exported void *valloc(size_t n) {
	if (!next.malloc)
		enter();
	return paged(next.valloc, n);
}

exported void *pvalloc(size_t n) {
	if (!next.malloc)
		enter();
	return paged(next.pvalloc, n);
}

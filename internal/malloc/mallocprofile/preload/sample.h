// Sampled blocks: which ones are taken, and what becomes of them. The distance between two
// samples is exponential in bytes, so that a block of n bytes is taken with probability
// 1 − exp(−(n + EXTRA) / period), whatever came before it; the seed is fixed.
#ifndef SAMPLE_H
#define SAMPLE_H

#include "layout.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define add(at, n) __atomic_add_fetch(&(at), (n), __ATOMIC_RELAXED)
#define get(at) __atomic_load_n(&(at), __ATOMIC_RELAXED)

static struct profile *shared;		// of this process; NULL until there is one
static size_t (*usable)(void *);	// malloc_usable_size of the allocator; may be NULL
static unsigned char filter[65536]; // how many sampled blocks there are, by place_of

enum { FULL = 250 }; // of a place in the filter

// place_of is where the filter has an address. Neighbours stand beside each other, so that a free
// seldom brings a line of its own into the cache.
static inline uint16_t place_of(const void *p) {
	return (uint16_t)((uintptr_t)p >> 4 ^ (uintptr_t)p >> 20);
}

// bucket_of is the part of the table in which a sampled block stands.
static struct block *bucket_of(const void *p) {
	return shared->blocks[((uintptr_t)p >> 4) * 0x9E3779B97F4A7C15ull >> 52];
}

static inline unsigned log2_of(uint64_t x) { return 63 - (unsigned)__builtin_clzll(x); }

// class_of returns 4(e + 1) + q for sizes of 2^e (1 + q/4) and above; 0 to 3 bytes have a class each.
static inline unsigned class_of(size_t n) {
	uint64_t x = (uint64_t)n << 2 | 3;
	unsigned e = log2_of(x);
	return 4 * e + (unsigned)(x >> ((e - 2) & 63) & 3) - 4;
}

static unsigned group_of(uint64_t size) { return size < SMALL ? 0 : size < LARGE ? 1 : 2; }

static uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// clock_of is the number of calls that a thread has made.
static uint64_t clock_of(const struct thread *t) { return get(t->allocations) + get(t->frees); }

// taken returns 1 − exp(−x) for x ≥ 0. libm would be one more library in the program.
static double taken(double x) {
	if (x > 40)
		return 1;
	int doublings = 0;
	for (; x > 0.25; x /= 2)
		doublings++;
	double sum = 0, term = -1;
	for (int i = 1; i < 12; i++) {
		term *= -x / i;
		sum += term;
	}
	for (; doublings > 0; doublings--)
		sum *= 2 - sum; // 1 − e² = (1 − e)(2 − (1 − e))
	return sum;
}

// exponential draws from the exponential distribution with mean 1.
static double exponential(struct thread *t) {
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	uint64_t r = t->random; // never 0
	unsigned zeros = (unsigned)__builtin_clzll(r);
	double m = (double)(r << zeros) / 9223372036854775808.0; // 1 to 2
	double z = (m - 1) / (m + 1), square = z * z, sum = 0;
	for (int i = 21; i > 0; i -= 2)
		sum = sum * square + 1.0 / i;
	return (zeros + 1) * 0.6931471805599453 - 2 * z * sum;
}

// period_after is the mean distance after so many samples: it grows to PERIOD soon, and to twice
// that in programs that would spend much time on samples.
static uint64_t period_after(uint64_t samples) {
	uint64_t steps = samples / EXACT;
	if (steps < 10)
		return (uint64_t)EXTRA << steps;
	return steps < 64 ? PERIOD : 2 * PERIOD;
}

// draw begins the interval until the next sample. The first blocks are all taken; then the period
// grows with the samples taken, and with those that live, so that the table never fills.
static void draw(struct thread *t) {
	uint64_t samples = get(shared->header.samples), kept = (uint64_t)get(shared->header.kept) / EXACT;
	if (samples < EXACT) {
		t->period = 0;
		t->left = t->interval = 0;
		return;
	}
	t->period = period_after(samples) << (kept < 20 ? kept : 20);
	t->left = t->interval = (uint64_t)(exponential(t) * (double)t->period);
}

static void raise_to(int64_t *at, int64_t value) {
	int64_t old = get(*at);
	while (old < value && !__atomic_compare_exchange_n(at, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

// much reports whether the live bytes moved by a quarter of their peak, by 1 MiB, and by more than
// what chance in the samples makes of bytes that do not move: eight standard deviations.
static int much(const struct header *h, int64_t bytes) {
	double units = (double)bytes / 256;
	return bytes >= h->peak / 4 && bytes >= 1 << 20 && units * units >= 64 * (double)h->peak_square;
}

// turns counts how often the live bytes fall and rise again by much. A thread that finds another
// there leaves it to that one.
static void turns(struct header *h, int64_t live) {
	if (__atomic_exchange_n(&h->turning, 1, __ATOMIC_ACQUIRE))
		return;
	if (h->falling) {
		h->low = live < h->low ? live : h->low;
		if (much(h, live - h->low)) {
			h->turns++;
			h->turned += h->high - h->low;
			h->falling = 0;
			h->high = live;
		}
	} else {
		h->high = live > h->high ? live : h->high;
		if (much(h, h->high - live)) {
			h->falling = 1;
			h->low = live;
		}
	}
	__atomic_store_n(&h->turning, 0, __ATOMIC_RELEASE);
}

// account adds a block to what lives, or takes it off (sign −1).
static void account(const struct block *b, int sign) {
	struct header *h = &shared->header;
	double bytes = (double)b->size * (double)b->weight, units = (double)b->size / 256;
	int64_t square = (int64_t)(units * units * (double)b->weight * ((double)b->weight - 1));
	int64_t kept = add(h->kept, sign), squares = add(h->live_square, sign * square);
	int64_t live = add(h->live, sign * (int64_t)bytes);
	if (sign > 0 && live > get(h->peak)) {
		raise_to(&h->peak, live);
		h->peak_square = squares;
		h->peak_kept = kept;
	}
	turns(h, live);
}

// put keeps a block in the table, and reports whether there was room.
static int put(void *p, const struct block *b) {
	unsigned at = place_of(p);
	struct block *bucket = bucket_of(p);
	if (get(filter[at]) >= FULL)
		return 0;
	for (int i = 0; i < WAYS; i++) {
		uint64_t none = 0;
		if (!__atomic_compare_exchange_n(&bucket[i].address, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		bucket[i].size = b->size;
		bucket[i].birth = b->birth;
		bucket[i].weight = b->weight;
		bucket[i].thread = b->thread;
		bucket[i].serial = b->serial;
		add(filter[at], 1);
		__atomic_store_n(&bucket[i].address, (uint64_t)(uintptr_t)p, __ATOMIC_RELEASE);
		account(b, 1);
		return 1;
	}
	return 0;
}

// take removes a block from the table, and reports whether it was there.
static int take(void *p, struct block *b) {
	struct block *bucket = bucket_of(p);
	for (int i = 0; i < WAYS; i++) {
		uint64_t address = (uint64_t)(uintptr_t)p;
		if (__atomic_load_n(&bucket[i].address, __ATOMIC_ACQUIRE) != address)
			continue;
		*b = bucket[i];
		if (!__atomic_compare_exchange_n(&bucket[i].address, &address, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return 0; // freed twice at once: the program's own mistake
		add(filter[place_of(p)], -1);
		account(b, -1);
		return 1;
	}
	return 0;
}

// living is the number of blocks that live, exact but for calls that other threads make meanwhile.
static int64_t living(void) {
	uint64_t n = 0, records = get(shared->header.records);
	for (uint64_t i = 0; i < records && i < MOST_THREADS; i++) {
		const struct thread *t = &shared->threads[i];
		n += get(t->allocations) - get(t->resized) - get(t->frees) + get(t->nulls);
	}
	return (int64_t)n;
}

// sample takes a block that a call has just returned, and draws the next interval.
static void sample(struct thread *t, void *p, size_t n) {
	struct header *h = &shared->header;
	t->used += t->interval - t->left + EXTRA + (p ? n : 0);
	if (!p) {
		t->failed++;
		t->left = t->interval = 0;
		draw(t);
		return;
	}
	struct block b = {.size = n, .birth = clock_of(t), .serial = (uint16_t)t->serial};
	b.thread = (uint16_t)(t - shared->threads);
	b.weight = t->period ? (float)(1 / taken((double)(n + EXTRA) / (double)t->period)) : 1;
	t->asked += (double)n * b.weight;
	t->usable += (double)(usable ? usable(p) : n) * b.weight;
	uint64_t samples = add(h->samples, 1);
	if (samples % 16 == 0)
		h->last = now();
	if (samples % (1 + get(h->records) / 16) == 0) // with many threads seldom: it asks each
		raise_to(&h->most_blocks, living());
	if (!put(p, &b))
		add(h->dropped, 1);
	draw(t);
}

// ended records the lifetime of a sampled block, in calls of the thread that allocated it: those
// between its allocation and its end.
static void ended(struct thread *t, const struct block *b) {
	const struct thread *owner = &shared->threads[b->thread];
	uint64_t age = clock_of(owner) - b->birth - (owner == t);
	double square = (double)b->weight * ((double)b->weight - 1);
	struct age *a = &t->ages[group_of(b->size)][age ? 1 + log2_of(age) : 0];
	a->weight += b->weight;
	a->square += square;
	a->blocks++;
	t->freed += b->weight;
	t->freed_square += square;
	t->freed_blocks++;
	if (b->serial != (uint16_t)t->serial) {
		t->foreign += b->weight;
		t->foreign_square += square;
		t->foreign_blocks++;
	}
}

#endif

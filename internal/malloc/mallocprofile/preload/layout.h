// The layout of a profile, which profile.go of the Go package reads: a header, the table of
// sampled blocks that live, and a record for each thread. The file is mapped by the program
// that is counted, so that what it counted is there however it ends.
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdint.h>

#define FORMAT 1

enum kind { MALLOC, CALLOC, REALLOC, REALLOCARRAY, ALIGNED_ALLOC, POSIX_MEMALIGN, MEMALIGN, VALLOC, KINDS };

enum {
	SIZES = 256,  // classes of sizes: four to a power of two, see class_of
	AGES = 64,	  // classes of lifetimes: 0 calls, then one to a power of two
	GROUPS = 3,	  // of sizes, whose lifetimes stand apart
	SMALL = 1024, // bytes, below which a block is in the first group
	LARGE = 128 * 1024, // from which it is in the third: glibc maps such blocks by default

	WAYS = 8,
	BUCKETS = 4096,
	MOST_THREADS = 1024, // that live at once

	EXTRA = 128,			 // bytes that a call counts beside the block's size, when samples are drawn
	PERIOD = 128 * 1024,	 // mean distance of samples in bytes, extra bytes among them
	EXACT = 1024,			 // so many blocks are all taken, before sampling begins
};

// age is what is known of the lifetimes in a class: each sampled block stands for `weight` blocks.
struct age {
	double weight, square; // sums of the weights, and of weight × (weight − 1)
	uint64_t blocks;
};

struct thread {
	uint64_t allocations, frees, nulls; // nulls: free(NULL), which frees has, too
	uint64_t left;						// bytes until the next sample
	uint64_t interval;					// from which left began
	uint64_t used;						// bytes of the intervals before it
	uint64_t period;					// mean of the interval; 0 takes each block
	uint64_t random;
	uint32_t serial; // of the thread: a record is used again when its thread has ended
	uint32_t tid;
	int32_t retired; // its thread ends
	int32_t reserved;
	double freed, foreign;				   // weights of the sampled blocks it freed; of another thread's
	double freed_square, foreign_square;   // as in age
	uint64_t foreign_blocks, freed_blocks; // how many samples
	double asked, usable;				   // weighted bytes of the samples: asked for, and had
	uint64_t failed;					   // sampled calls that gave NULL
	uint64_t resized; // reallocs of a block
	uint64_t room[7];
	uint64_t sizes[KINDS][SIZES]; // calls: exact
	struct age ages[GROUPS][AGES];
} __attribute__((aligned(4096)));

// block is a sampled block that lives.
struct block {
	uint64_t address; // 0 is free, 1 is being written
	uint64_t size;
	uint64_t birth; // clock of its thread
	float weight;
	uint16_t thread, serial;
};

struct header {
	char magic[8];
	uint32_t format, pid;
	uint64_t thread_size, block_count; // of this layout, for the reader to check
	uint64_t start, last;			   // CLOCK_MONOTONIC in nanoseconds
	uint64_t early;					   // calls before the environment was there
	uint64_t samples, dropped;		   // blocks taken; of them, without room in the table
	uint64_t records;				   // threads that have a record
	uint64_t threads, uncounted;	   // threads that came; that found no record
	int64_t threads_now, threads_peak;
	int64_t live, peak;						// estimated bytes that live
	int64_t live_square, peak_square;		// variance of these estimates, in units of 256 × 256 bytes
	int64_t kept, peak_kept;				// sampled blocks that live
	int64_t most_blocks;					// that live: counted, at the times of samples
	int64_t low, high;						// extremes since the last turn, see turns
	int64_t turns, turned;					// live bytes fell and rose again: how often, by how many bytes
	int32_t falling, turning;				// turning is a lock
	uint64_t forks;
	char program[1024];
} __attribute__((aligned(4096)));

struct profile {
	struct header header;
	struct block blocks[BUCKETS][WAYS];
	struct thread threads[MOST_THREADS];
};

#endif

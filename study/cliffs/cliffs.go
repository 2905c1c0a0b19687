// Package cliffs holds what is claimed about the block sizes at which malloc changes
// what it does. The claims are those of the malloc_bench study (Linux, glibc) about
// which mechanism serves a block, and what glibc's documentation says.
//
// There are no benchmarks here: memcost run malloc --cliffs finds the sizes by trying,
// with the program of the study malloc, one record BenchmarkCliff/…/cause=… for each.
//
//memcost:question At which block sizes does malloc change what it does, under which setting?
//memcost:command memcost malloc cliffs
//memcost:claim cliff-tcache allocator:glibc setting:default cause:tcache bytes in 1033..1048 # the thread cache holds blocks of up to 1032 bytes (glibc manual, glibc.malloc.tcache_max)
//memcost:claim cliff-mmap allocator:glibc setting:default cause:first-mmap bytes in 131000..132000 # with default settings the first blocks are mmapped from 128 KiB (mallopt(3), M_MMAP_THRESHOLD)
//memcost:claim cliff-dynamic allocator:glibc setting:default cause:mmap bytes > 16MiB # blocks of up to and including 16 MiB stay on the heap once one was freed (E1: fast up to 16 MiB)
//memcost:claim cliff-dynamic-cap allocator:glibc setting:default cause:mmap bytes in 33550313..33554448 # the dynamic threshold ends at 32 MiB (mallopt(3))
//memcost:claim cliff-sbrk allocator:glibc setting:trim0 cause:mmap bytes > 256KiB # published: with M_TRIM_THRESHOLD=0 blocks come from sbrk from 256 KiB on (in fact they are mmapped from 128 KiB)
//memcost:claim cliff-frozen allocator:glibc setting:trim0 cause:mmap bytes in 131000..132000 # setting M_TRIM_THRESHOLD freezes the mmap threshold at 128 KiB (mallopt(3))
//memcost:claim cliff-trim allocator:glibc setting:trim0-pad0 cause:trim bytes <= 64KiB # E3: with M_TRIM_THRESHOLD=0 and M_TOP_PAD=0 memory returns to the system from 64 KiB
//memcost:claim cliff-mmap0 allocator:glibc setting:mmap0 cause:mmap bytes <= 132KiB # with M_MMAP_THRESHOLD=0 what the heap's first 132 KiB have no room for is mmapped
//memcost:table Where glibc changes what it does, at blocks of at most by setting: leaves the thread cache = allocator:glibc cause:tcache bytes | first block grows the heap = allocator:glibc cause:first-brk bytes | first block is mmapped = allocator:glibc cause:first-mmap bytes | trimmed at each free = allocator:glibc cause:trim bytes | mmapped each time = allocator:glibc cause:mmap bytes | malloc fails = allocator:glibc cause:null bytes
//memcost:table What glibc's rules predict, at most by setting: leaves the thread cache = allocator:glibc cause:tcache predicted-bytes | first block grows the heap = allocator:glibc cause:first-brk predicted-bytes | first block is mmapped = allocator:glibc cause:first-mmap predicted-bytes | trimmed at each free = allocator:glibc cause:trim predicted-bytes | mmapped each time = allocator:glibc cause:mmap predicted-bytes | malloc fails = allocator:glibc cause:null predicted-bytes
//memcost:table Where other allocators change what they do, at blocks of at most by allocator: cost jumps = -allocator:glibc cause:cost bytes | given back by madvise = -allocator:glibc cause:madvise bytes | first block grows the heap = -allocator:glibc cause:first-brk bytes | mmapped each time = -allocator:glibc cause:mmap bytes
package cliffs

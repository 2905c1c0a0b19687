// Package cliffs holds what is claimed about the block sizes at which malloc changes
// what it does. The claims are those of the malloc_bench study (Linux, glibc) about
// which mechanism serves a block, and what glibc's documentation says.
//
// There are no benchmarks here: memcost run malloc --cliffs finds the sizes by trying,
// with the program of the study malloc, one record BenchmarkCliff/…/cause=… for each.
//
//memcost:claim cliff-tcache allocator:glibc setting:default cause:tcache bytes in 1033..1048
//memcost:more # The thread cache holds blocks of up to 1032 bytes (glibc manual, glibc.malloc.tcache_max)
//memcost:claim cliff-mmap allocator:glibc setting:default cause:first-mmap bytes in 131000..132000
//memcost:more # The first blocks are mmapped from 128 KiB with the default settings (mallopt(3),
//memcost:more M_MMAP_THRESHOLD)
//memcost:claim cliff-dynamic allocator:glibc setting:default cause:mmap bytes > 16MiB
//memcost:more # Blocks of up to and including 16 MiB stay on the heap once one was freed (E1: fast up to 16 MiB)
//memcost:claim cliff-dynamic-cap allocator:glibc setting:default cause:mmap bytes in 33550313..33554448
//memcost:more # The dynamic threshold ends at 32 MiB (mallopt(3))
//memcost:claim cliff-sbrk [published: sbrk from 256 KiB on; in fact they are mmapped from 128 KiB]
//memcost:more allocator:glibc setting:trim0 cause:mmap bytes > 256KiB
//memcost:more # Blocks of up to 256 KiB and more come from sbrk with M_TRIM_THRESHOLD=0
//memcost:claim cliff-frozen allocator:glibc setting:trim0 cause:mmap bytes in 131000..132000
//memcost:more # Setting M_TRIM_THRESHOLD freezes the mmap threshold at 128 KiB (mallopt(3))
//memcost:claim cliff-trim allocator:glibc setting:trim0-pad0 cause:trim bytes <= 64KiB
//memcost:more # Memory returns to the system from 64 KiB with M_TRIM_THRESHOLD=0 and M_TOP_PAD=0 (E3)
//memcost:claim cliff-mmap0 allocator:glibc setting:mmap0 cause:mmap bytes <= 64
//memcost:more # Every block is mmapped with M_MMAP_THRESHOLD=0 in a program whose heap is empty
package cliffs

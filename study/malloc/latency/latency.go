// Package latency holds what is shown and claimed of the worst calls of malloc and free,
// of threads and of memory, under each allocator and setting of study malloc.
//
// There are no benchmarks here: memcost run malloc --latency runs malloc_bench in its
// other modes, one process for each setting. A longest call is an observed one, and no
// bound on what may come.
//
//memcost:claim rt-recipe .name:RealTime allocator:glibc setting:rt faults == 0 for every size
//memcost:more # M_MMAP_MAX=0 with a huge M_TRIM_THRESHOLD gives no page fault per operation, after warm-up with
//memcost:more one block alive
//memcost:claim default-faults .name:RealTime allocator:glibc setting:default faults == 0 for every size
//memcost:more # The default settings give no page fault per operation
//memcost:claim rt-fit .name:RealTime allocator:glibc setting:rt late-suspect == 0 for every size
//memcost:more # No call is late by the allocator, or for no known cause, with M_MMAP_MAX=0 and a huge
//memcost:more M_TRIM_THRESHOLD (--rt)
//memcost:claim rt-first .name:Situation allocator:glibc setting:rt situation:(first OR filling) fault-operations == 0
//memcost:more for every situation, size
//memcost:more # M_MMAP_MAX=0 with a huge M_TRIM_THRESHOLD gives no page fault at first use (--rt)
//memcost:claim rt-prefault .name:Situation allocator:glibc setting:rt-prefault -situation:threads fault-operations == 0
//memcost:more for every situation, size
//memcost:more # The recipe gives no page fault in one thread where a pool is resident beforehand (--rt)
//memcost:claim rt-threads .name:Situation allocator:glibc setting:rt-prefault situation:threads fault-operations == 0
//memcost:more for every size
//memcost:more # The recipe gives no page fault in two threads where a pool is resident beforehand (--rt)
//memcost:claim rt-one-arena .name:Situation allocator:glibc setting:rt-one-arena fault-operations == 0
//memcost:more for every situation, size
//memcost:more # The recipe gives no page fault in any situation with a resident pool and M_ARENA_MAX=1 (--rt)
//memcost:claim explained .name:SlowCalls caused-share >= 0.9 for every allocator, setting, size
//memcost:more # Nine of ten slow calls have a cause: a counter saw it, a control accounts for it, it is slow
//memcost:more again when run again, or it is too short for anything but caches
//memcost:claim returned .name:Memory allocator:glibc setting:default size:64 pattern:grow freed-RSS-B <= 8388608
//memcost:more # Freed memory goes back to the system
package latency

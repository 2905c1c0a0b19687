// The settings and allocators in which memcost run malloc measures every cell: each is
// a process of its own, with these arguments and variables. The first six are the
// published matrix.
//
//memcost:sample 12ms
//memcost:vary allocator=glibc setting=default:
//memcost:vary allocator=glibc setting=trim0: -mM_TRIM_THRESHOLD=0
//memcost:vary allocator=glibc setting=trim0-pad0: -mM_TRIM_THRESHOLD=0,M_TOP_PAD=0
//memcost:vary allocator=glibc setting=mmap0: -mM_MMAP_THRESHOLD=0
//memcost:vary allocator=glibc setting=lock: -L
//memcost:vary allocator=glibc setting=lock-mmap0: -L -mM_MMAP_THRESHOLD=0
//
// Ours: the real-time recipe, alone, with a pool that is resident, with one arena besides and
// with locked memory; no thread cache, huge pages.
//memcost:vary allocator=glibc setting=rt: -mM_MMAP_MAX=0,M_TRIM_THRESHOLD=2147483647
//memcost:vary allocator=glibc setting=rt-prefault: -mM_MMAP_MAX=0,M_TRIM_THRESHOLD=2147483647 --prefault=256MiB
//memcost:vary allocator=glibc setting=rt-one-arena: -mM_MMAP_MAX=0,M_TRIM_THRESHOLD=2147483647,M_ARENA_MAX=1
//memcost:more --prefault=256MiB
//memcost:vary allocator=glibc setting=rt-lock: -L -mM_MMAP_MAX=0,M_TRIM_THRESHOLD=2147483647,M_ARENA_MAX=1
//memcost:more --prefault=256MiB
//memcost:vary allocator=glibc setting=no-tcache: GLIBC_TUNABLES=glibc.malloc.tcache_count=0
//memcost:vary allocator=glibc setting=thp-never: --thp=never
//memcost:vary allocator=glibc setting=thp-madvise: GLIBC_TUNABLES=glibc.malloc.hugetlb=1
//memcost:vary allocator=glibc setting=hugetlb: GLIBC_TUNABLES=glibc.malloc.hugetlb=2
//
// Other allocators as they are.
//memcost:vary allocator=jemalloc setting=default: LD_PRELOAD=libjemalloc.so.2 # apt-get install libjemalloc2
//memcost:vary allocator=mimalloc setting=default: LD_PRELOAD=libmimalloc.so.2* # apt-get install libmimalloc2.0
//memcost:vary allocator=tcmalloc setting=default: LD_PRELOAD=libtcmalloc_minimal.so.4
//memcost:more # apt-get install libtcmalloc-minimal4
//memcost:vary allocator=tbb setting=default: LD_PRELOAD=libtbbmalloc_proxy.so.2 # apt-get install libtbbmalloc2
//memcost:vary allocator=scudo setting=default: LD_PRELOAD=libclang_rt.scudo_standalone*.so
//memcost:more # apt-get install libclang-rt-19-dev
//
// Static builds, whose malloc is in the program: musl's, and glibc's as its control.
//memcost:vary allocator=musl setting=default: preset:static-musl # apt-get install musl-tools
//memcost:vary allocator=glibc-static setting=default: preset:static-glibc # apt-get install libc6-dev
//
// The quick profile: the published matrix at eight sizes, the allocators at four.
//memcost:full setting:(rt OR rt-prefault OR rt-one-arena OR rt-lock)
//memcost:full setting:(no-tcache OR thp-never OR thp-madvise OR hugetlb)
//memcost:full -size:(64 OR 4096 OR 32768 OR 65536 OR 262144 OR 1048576 OR 16777216 OR 33554432)
//memcost:full -allocator:glibc -size:(64 OR 4096 OR 65536 OR 262144 OR 16777216)
//memcost:full -allocator:glibc method:published size:64
//memcost:full allocator:glibc-static -op:malloc_free
//memcost:full op:(free OR memset OR timer)
//memcost:full op:noop -setting:default
//memcost:full op:walk -size:(4096 OR 65536 OR 262144 OR 16777216 OR 33554432)
//memcost:full op:calloc -size:(4096 OR 65536 OR 262144 OR 33554432)
//memcost:full op:walk_after_memset -size:(4096 OR 262144 OR 33554432)
//memcost:full -allocator:glibc -op:(malloc_free OR walk)
//memcost:full method:batch -size:(64 OR 4096)
//memcost:full method:batch (-setting:default OR -op:malloc_free)
//
//memcost:claim E1 allocator:glibc setting:mmap0 op:malloc_free method:published size:(65536 OR 262144 OR 1048576
//memcost:more OR 16777216)
//memcost:more / allocator:glibc setting:default op:malloc_free method:published size:(65536 OR 262144 OR 1048576
//memcost:more OR 16777216) > 2 for every size
//memcost:more # Blocks of up to 16 MiB are at least twice as fast with the default settings as with
//memcost:more M_MMAP_THRESHOLD=0
//memcost:claim E1-then allocator:glibc setting:mmap0 op:malloc_free method:published size:33554432 / allocator:glibc
//memcost:more setting:default op:malloc_free method:published size:33554432 in 0.67..1.5
//memcost:more # Blocks of 32 MiB cost the same with the default settings as with M_MMAP_THRESHOLD=0, within 1.5 times
//memcost:claim E2-trim0 allocator:glibc setting:trim0 op:malloc_free method:published size:(4096 OR 32768) /
//memcost:more allocator:glibc setting:default op:malloc_free method:published size:(4096 OR 32768) in 0.67..1.5 for
//memcost:more every size
//memcost:more # Blocks of up to 32 KiB cost the same with M_TRIM_THRESHOLD=0 as with the default settings, within 1.5
//memcost:more times
//memcost:claim E2-pad0 allocator:glibc setting:trim0-pad0 op:malloc_free method:published size:(4096 OR 32768) /
//memcost:more allocator:glibc setting:default op:malloc_free method:published size:(4096 OR 32768) in 0.67..1.5 for
//memcost:more every size
//memcost:more # Blocks of up to 32 KiB cost the same with M_TRIM_THRESHOLD=0 and M_TOP_PAD=0 as with the default
//memcost:more settings, within 1.5 times
//memcost:claim E2-mmap0 allocator:glibc setting:mmap0 op:malloc_free method:published size:(4096 OR 32768) /
//memcost:more allocator:glibc setting:default op:malloc_free method:published size:(4096 OR 32768) in 0.67..1.5 for
//memcost:more every size
//memcost:more # Blocks of up to 32 KiB cost the same with M_MMAP_THRESHOLD=0 as with the default settings, within 1.5
//memcost:more times
//memcost:claim E3 allocator:glibc setting:trim0-pad0 op:malloc_free method:published size:(65536 OR 262144 OR
//memcost:more 1048576) free-calls/op >= 0.9 for every size
//memcost:more # Memory goes back to the system from 64 KiB up with M_TRIM_THRESHOLD=0 and M_TOP_PAD=0
//memcost:claim E3-below allocator:glibc setting:trim0-pad0 op:malloc_free method:published size:(4096 OR 32768)
//memcost:more free-calls/op <= 0.1 for every size
//memcost:more # Memory stays with the process below 64 KiB with M_TRIM_THRESHOLD=0 and M_TOP_PAD=0
//memcost:claim E4 allocator:glibc setting:trim0 op:malloc_free method:published size:65536 / allocator:glibc
//memcost:more setting:default op:malloc_free method:published size:65536 in 0.67..1.5
//memcost:more # Blocks of 64 KiB cost the same with M_TRIM_THRESHOLD=0 and the default top pad as with the default
//memcost:more settings, within 1.5 times
//memcost:claim E5 allocator:glibc setting:mmap0 op:malloc_free method:published size:(65536 OR 262144 OR 1048576 OR
//memcost:more 16777216) / allocator:glibc setting:trim0-pad0 op:malloc_free method:published size:(65536 OR 262144
//memcost:more OR 1048576 OR 16777216) in 0.67..1.5 for every size
//memcost:more # M_MMAP_THRESHOLD=0 costs the same as moving the break, within 1.5 times
//memcost:claim E5-cause [own] allocator:glibc setting:trim0-pad0 op:malloc_free method:published size:(262144 OR
//memcost:more 1048576 OR 16777216) mmap-calls/op >= 0.9 for every size
//memcost:more # What the article calls sbrk from 256 KiB up is mmap: M_TRIM_THRESHOLD=0 freezes the mmap
//memcost:more threshold at 128 KiB
//memcost:claim E6 allocator:glibc setting:lock-mmap0 op:malloc_free method:published size:(262144 OR 1048576 OR
//memcost:more 16777216 OR 33554432)
//memcost:more / allocator:glibc setting:mmap0 op:malloc_free method:published size:(262144 OR 1048576 OR 16777216
//memcost:more OR 33554432) > 1 for every size
//memcost:more # Allocating takes longer under mlockall than without
//memcost:claim E6-linear allocator:glibc setting:lock-mmap0 op:malloc_free method:published size:(1048576 OR
//memcost:more 16777216 OR 33554432) linear in size
//memcost:more # The time to allocate under mlockall is linear in size
//memcost:claim E7 allocator:glibc setting:default op:calloc method:published size:33554432 / allocator:glibc
//memcost:more setting:default op:malloc method:published size:33554432 in 0.5..2
//memcost:more # Calloc of 32 MiB that is not locked clears nothing: it costs what malloc does, within 2 times
//memcost:claim E7-published [published: about 10 µs] allocator:glibc setting:default op:calloc method:published
//memcost:more size:33554432 sec/op in 5us..20us
//memcost:more # Calloc of 32 MiB that is not locked takes 5 to 20 µs
//memcost:claim E8 allocator:glibc setting:mmap0 op:walk method:published size:(262144 OR 1048576 OR 16777216 OR
//memcost:more 33554432)
//memcost:more / allocator:glibc setting:lock-mmap0 op:walk method:published size:(262144 OR 1048576 OR 16777216
//memcost:more OR 33554432) > 1 for every size
//memcost:more # Walking memory that is not locked takes longer than walking locked memory
//memcost:claim faults allocator:glibc setting:mmap0 op:walk method:published size:33554432 minor-faults/op in
//memcost:more 8190..8194
//memcost:more # Mapping and touching 32 MiB takes 8192 page faults, and one for the header of the block
//memcost:claim floor [own] allocator:glibc setting:default op:malloc_free method:published
//memcost:more / allocator:glibc setting:default op:noop method:published > 1 for every size
//memcost:more # A no-op allocator is faster than malloc and free at every size
#pragma once

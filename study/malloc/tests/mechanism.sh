# What the counters say of glibc's documented rules (malloc/malloc.c, glibc 2.36).
. "${0%/*}/lib.sh"
bench --check
grep -q '"malloc_library":"[^"]*\(libc\.so\|static (Linux, glibc\)' "$work/out" || skip "malloc is not glibc's"
unset GLIBC_TUNABLES
for size in 131072 1048576 16777216; do
  cell malloc_free $size published -mM_MMAP_THRESHOLD=0
  holds "M_MMAP_THRESHOLD=0, $size: mmapped" "$(field mmapped-blocks/op)" "==" 1
  holds "M_MMAP_THRESHOLD=0, $size: bytes mapped" "$(field mapped-B/op)" ">=" "$size"
  cell malloc_free $size published
  holds "default, $size: mmapped" "$(field mmapped-blocks/op)" "==" 0
done
cell malloc_free 33554432 published
holds "default, 32 MiB: mmapped" "$(field mmapped-blocks/op)" "==" 1
case $BENCH in
*" "*) ;; # an emulator has faults of its own
*)
  cell walk 33554432 published -mM_MMAP_MAX=0,M_TRIM_THRESHOLD=2147483647 --iterations=3
  holds "the real-time recipe: faults" "$(field minor-faults/op)" "==" 0
  ;;
esac
cell malloc_free 1048576 published
[ -n "$(field malloc-calls/op)" ] || { finish; skip "system calls cannot be counted here"; }
holds "default, 1 MiB: system calls" "$(field malloc-calls/op)" "==" 0
cell malloc_free 1048576 published -mM_TRIM_THRESHOLD=0
holds "frozen threshold, 1 MiB: mmap" "$(field mmap-calls/op)" "==" 1
holds "frozen threshold, 1 MiB: munmap" "$(field munmap-calls/op)" "==" 1
cell malloc_free 65536 published -mM_TRIM_THRESHOLD=0,M_TOP_PAD=0
holds "trimming, 64 KiB: brk there and back" "$(field brk-calls/op)" "==" 2
cell malloc_free 32768 published -mM_TRIM_THRESHOLD=0,M_TOP_PAD=0
holds "trimming, 32 KiB: brk" "$(field brk-calls/op)" "==" 0
finish

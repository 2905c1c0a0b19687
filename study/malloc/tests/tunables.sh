# GLIBC_TUNABLES that the C library would ignore in silence is refused.
. "${0%/*}/lib.sh"
bench --check
if ! grep -q glibc "$work/out"; then
  GLIBC_TUNABLES=glibc.malloc.tcache_cont=0 bench --check
  [ "$status" -eq 3 ] || complain "without glibc: status $status" # a setting without effect
  says "without glibc" err "has no effect"
  finish
  exit
fi
wrong() { # TEXT, what the message and the hint say
  GLIBC_TUNABLES=$1 bench --sizes=64 --benchmark_filter=noop
  [ "$status" -eq 2 ] || complain "$1: status $status"
  says "$1" err "$2"
  says "$1" err "$3"
  [ -s "$work/out" ] && complain "$1: it answers all the same"
}
wrong glibc.malloc.tcache_cont=0 "no tunable glibc.malloc.tcache_cont" "did you mean glibc.malloc.tcache_count?"
wrong tcache_count=0 "no tunable tcache_count" "did you mean glibc.malloc.tcache_count?"
wrong glibc.malloc.arena_max=1:glibc.malloc.topp_pad=0 "no tunable glibc.malloc.topp_pad" "did you mean glibc.malloc.top_pad?"
wrong glibc.malloc.perturb=256 "out of range" "takes 0 to 255"
wrong glibc.malloc.perturb=-1 "out of range" "takes 0 to 255"
wrong glibc.malloc.arena_max=0 "out of range" "takes 1 to 18446744073709551615"
wrong glibc.malloc.tcache_count=4k '"4k" is no number' "131072"
wrong glibc.malloc.tcache_count "is not NAME=VALUE" "for example"
wrong glibc.malloc.tcache_count=0: "is not NAME=VALUE" "for example"
wrong =0 "is not NAME=VALUE" "for example"
# Each that malloc has, and others' as they are.
for tunable in tcache_count=3 tcache_max=0x200 mmap_max=0 mmap_threshold=65536 arena_max=2 arena_test=1 perturb=255 mxfast=0 hugetlb=0 top_pad=4096 trim_threshold=-1; do
  GLIBC_TUNABLES=glibc.malloc.$tunable:glibc.rtld.nns=3 bench --benchmark_list_tests --sizes=64
  [ "$status" -eq 0 ] || complain "$tunable: status $status: $(cat "$work/err")"
done
GLIBC_TUNABLES= bench --benchmark_list_tests --sizes=64
[ "$status" -eq 0 ] || complain "an empty text: status $status"
finish

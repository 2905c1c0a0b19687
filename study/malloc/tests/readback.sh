# Each knob is read back by what it does: a mallopt that only says yes is found out.
. "${0%/*}/lib.sh"
bench --check
grep -q '"malloc_library":"[^"]*libc\.so' "$work/out" || skip "not glibc's malloc, preloadable"
unset GLIBC_TUNABLES
for knob in M_TRIM_THRESHOLD=0 M_TRIM_THRESHOLD=-1 M_TRIM_THRESHOLD=128KiB M_TRIM_THRESHOLD=200000 M_TRIM_THRESHOLD=1MiB M_TRIM_THRESHOLD=64MiB M_TOP_PAD=0 M_TOP_PAD=1MiB \
  M_MMAP_THRESHOLD=0 M_MMAP_THRESHOLD=64KiB M_MMAP_THRESHOLD=32MiB M_MMAP_MAX=0 M_MMAP_MAX=3 M_PERTURB=85 M_MXFAST=0 M_MXFAST=64 M_MXFAST=160 M_ARENA_MAX=1 M_ARENA_MAX=3; do
  bench -m$knob --check
  [ "$status" -eq 0 ] || complain "$knob: status $status"
  says "$knob" out '"status":"took effect"'
  LD_PRELOAD=$TOOLS/libyes.so bench -m$knob --check
  [ "$status" -eq 3 ] || complain "$knob with a mallopt that does nothing: status $status"
  tr '{' '\n' <"$work/out" | grep '"name":"M_' | grep -q '"status":"no effect"' || complain "$knob with a mallopt that does nothing: $(cat "$work/out")"
done
# A threshold that is set, to another value: 0 and glibc's default of 131072 look alike
# as long as there is a top pad.
trim_is() { # STATUS: what the answer says of M_TRIM_THRESHOLD
  tr '{' '\n' <"$work/out" | grep '"name":"M_TRIM' | grep -q "\"status\":\"$1\"" || complain "M_TRIM_THRESHOLD=$told that is $WRONG_TRIM: not \"$1\": $(cat "$work/out")"
}
for pair in 0:131072 131072:0 131072:262144 1048576:131072 1048576:1200000 200000:131072; do
  told=${pair%:*}
  export WRONG_TRIM=${pair#*:}
  LD_PRELOAD=$TOOLS/libwrong_trim.so bench -mM_TRIM_THRESHOLD=$told --check
  trim_is "no effect"
  WRONG_TRIM=$told
  LD_PRELOAD=$TOOLS/libwrong_trim.so bench -mM_TRIM_THRESHOLD=$told,M_TOP_PAD=64KiB --check
  trim_is "took effect"
done
unset WRONG_TRIM
for tunable in trim_threshold=0 trim_threshold=131072 top_pad=0 mmap_threshold=65536 arena_max=2 mxfast=0 tcache_count=3 tcache_max=512; do
  GLIBC_TUNABLES=glibc.malloc.$tunable bench --check
  [ "$status" -eq 0 ] || complain "glibc.malloc.$tunable: status $status: $(cat "$work/out")"
  says "$tunable" out '"status":"took effect"'
done
bench -mM_KEEP=1 --check
[ "$status" -eq 3 ] || complain "M_KEEP, which glibc ignores: status $status"
LD_PRELOAD=libnosuch.so bench --check
[ "$status" -eq 3 ] || complain "a preload that does not exist: status $status"
bench -mM_TRIM_THRESHOLD=0 --sizes=64 --benchmark_filter=noop --benchmark_format=json --benchmark_min_time=0.001
says "context" out '"knob_M_TRIM_THRESHOLD": "0: took effect'
for library in libjemalloc.so.2 libmimalloc.so.2.0 libtcmalloc_minimal.so.4 libtbbmalloc_proxy.so.2; do
  LD_PRELOAD=$library bench -mM_TOP_PAD=0 --check
  grep -q "malloc_library\":\"[^\"]*$library" "$work/out" || { echo "$library is not installed" >&2; continue; }
  says "$library" out '"name":"LD_PRELOAD","value":"'$library'","status":"took effect"'
  says "$library" out '"name":"M_TOP_PAD","value":"0","status":"no effect"'
done
finish

# malloc that returns NULL is an error with its reason, and no figure. mlockall
# succeeds under RLIMIT_MEMLOCK, and what is too much then is refused by malloc.
. "${0%/*}/lib.sh"
case $BENCH in *" "*) skip "an emulator's own memory counts against the limits" ;; esac
plain=$BENCH
BENCH="$TOOLS/limited memlock=33554432 $plain"
bench -L --check
effect=$status
[ "$effect" -eq 0 ] || echo "RLIMIT_MEMLOCK cannot be raised to hold the program and more: no NULL under a lock here" >&2
for method in batch published; do
  [ "$effect" -eq 0 ] || break
  cell malloc_free 67108864 $method -L --iterations=1
  [ "$status" -eq 1 ] || complain "locked, $method: status $status"
  says "locked, $method" out '"error_occurred"'
  says "locked, $method" out "returned NULL"
  says "locked, $method" out "RLIMIT_MEMLOCK is "
  holds "locked, $method: iterations" "$(field iterations)" "==" 0
  cell malloc_free 64 $method -L --iterations=100
  [ "$status" -eq 0 ] || complain "locked, $method, a small block: status $status"
done
# mlockall succeeds, and nothing more can be locked: no cell has a figure, however small.
for limit in 6291456 7340032 8388608 9437184 10485760; do
  BENCH="$TOOLS/limited memlock=$limit $plain"
  bench -L --check
  grep -q 'returns NULL then' "$work/out" || continue
  cell walk 4096 published -L --iterations=10
  grep -q 'mlockall(' "$work/err" && continue # too little for the program itself, by now
  [ "$status" -eq 1 ] || complain "locked without effect: status $status"
  says "locked without effect" out "mlockall did not take effect: malloc("
  holds "locked without effect: iterations" "$(field iterations)" "==" 0
done
BENCH="$TOOLS/limited memlock=1048576 $plain"
bench -L --sizes=64
[ "$status" -eq 1 ] || complain "no right to lock: status $status"
says "no right to lock" err "mlockall"
says "no right to lock" err "ulimit -l"
bench -L --check
[ "$status" -eq 3 ] || complain "no right to lock, check: status $status"
BENCH="$TOOLS/limited as=1073741824 $plain"
cell malloc_free 1073741824 published --iterations=1
[ "$status" -eq 1 ] || complain "RLIMIT_AS: status $status"
says "RLIMIT_AS" out "skipped"
says "RLIMIT_AS" out "RLIMIT_AS"
finish

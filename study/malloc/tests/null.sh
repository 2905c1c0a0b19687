# malloc that returns NULL is an error with its reason, and no figure. mlockall
# succeeds under RLIMIT_MEMLOCK, and what is too much then is refused by malloc.
. "${0%/*}/lib.sh"
case $BENCH in *" "*) skip "an emulator's own memory counts against the limits" ;; esac
plain=$BENCH
BENCH="$TOOLS/limited memlock=33554432 $plain"
bench -L --sizes=64 --benchmark_filter=noop --benchmark_min_time=0.001
[ "$status" -eq 0 ] || skip "RLIMIT_MEMLOCK cannot be raised to hold even the program: $(cat "$work/err")"
for method in batch published; do
  cell malloc_free 67108864 $method -L --iterations=1
  [ "$status" -eq 1 ] || complain "locked, $method: status $status"
  says "locked, $method" out '"error_occurred"'
  says "locked, $method" out "returned NULL"
  says "locked, $method" out "RLIMIT_MEMLOCK is "
  holds "locked, $method: iterations" "$(field iterations)" "==" 0
  cell malloc_free 64 $method -L --iterations=100
  [ "$status" -eq 0 ] || complain "locked, $method, a small block: status $status"
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

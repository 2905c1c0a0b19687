# An answer that cannot be written is no success.
. "${0%/*}/lib.sh"
[ -c /dev/full ] || skip "there is no /dev/full"
cell malloc_free 64 batch --benchmark_out=/dev/full --benchmark_out_format=json
[ "$status" -eq 1 ] || complain "--benchmark_out=/dev/full: status $status"
says "--benchmark_out" err "/dev/full"
says "--benchmark_out" err "No space left on device"
$BENCH --sizes=64 --benchmark_filter=noop --benchmark_format=json --benchmark_min_time=0.001 >/dev/full 2>"$work/err" && complain "standard output on /dev/full: status 0"
says "standard output" err "standard output"
cell malloc_free 64 batch "--benchmark_out=$work/file" --benchmark_out_format=json
[ "$status" -eq 0 ] || complain "a file: status $status: $(cat "$work/err")"
says "a file" file '"real_time"'
finish

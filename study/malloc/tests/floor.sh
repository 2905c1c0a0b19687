# The loop with an allocator that does nothing costs less than with malloc, in a small
# part of the time; and the timer at most 1% of what it times.
. "${0%/*}/lib.sh"
for size in 8 64 4096 65536 1048576 33554432; do
  for method in batch published; do
    cell noop $size $method
    noop=$(field real_time)
    holds "noop $size $method: timer" "$(field timer-share)" "<=" 0.01
    cell malloc_free $size $method
    holds "malloc_free $size $method over its floor" "$(field real_time)" ">" "1.5 * $noop"
    holds "malloc_free $size $method: timer" "$(field timer-share)" "<=" 0.01
  done
  for op in malloc free calloc walk memset walk_after_memset; do
    case $op in malloc | free | calloc) n=16384 ;; *) n=$((20000000 / size + 1)) ;; esac
    [ "$op-$size" = calloc-1048576 ] && n=512
    cell $op $size batch --iterations=$n
    holds "$op $size: timer" "$(field timer-share)" "<=" 0.01
  done
done
finish

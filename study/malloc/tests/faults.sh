# 32 MiB, mmapped and touched, take a fault for each of their 8,192 pages.
. "${0%/*}/lib.sh"
bench --check
grep -q '"thp":"always"' "$work/out" && skip "transparent huge pages take 512 pages at a time"
grep -q '"page_bytes":"4096"' "$work/out" || skip "pages are not 4096 bytes"
most=8194
case $BENCH in *" "*) most=8600 ;; esac # an emulator's own
for op in walk memset; do
  cell $op 33554432 batch --iterations=2
  holds "$op: faults in the timed loop" "$(field minor-faults/op)" ">=" 8190
  holds "$op: faults in the timed loop" "$(field minor-faults/op)" "<=" $most
  holds "$op: faults at the touch" "$(field touch-faults/op)" ">=" 8190
  holds "$op: faults at the touch" "$(field touch-faults/op)" "<=" 8194
done
finish

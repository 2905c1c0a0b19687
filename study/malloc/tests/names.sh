# A cell is found by its exact name, keeps it, and does the iterations that it is told.
. "${0%/*}/lib.sh"
name=Malloc/op=walk/size=4096/method=batch/setting=default
bench --iterations=1234 "--benchmark_filter=^$name\$" --benchmark_format=json
[ "$status" -eq 0 ] || complain "status $status: $(cat "$work/err")"
holds "cells" "$(grep -o '"real_time"' "$work/out" | wc -l)" "==" 1
tr -d ' ' <"$work/out" | grep -q "\"name\":\"$name\"" || complain "the name is $(grep -o '"name":[^,]*' "$work/out")"
holds "iterations" "$(field iterations)" "==" 1234
bench --benchmark_list_tests --sizes=64
grep -qx "Malloc/op=walk/size=64/method=published/setting=default" "$work/out" || complain "the list: $(cat "$work/out")"
bench --benchmark_list_tests --sizes=64 --setting=mine
grep -qx "Malloc/op=walk/size=64/method=published/setting=mine" "$work/out" || complain "the list: $(cat "$work/out")"
bench --probe=64,32MiB --times=3
holds "lines of the probe" "$(wc -l <"$work/out")" "==" 2
holds "faults at the probe's touch" "$(tail -n 1 "$work/out" | tr ',' '\n' | sed -n 's/^"touch_faults":\([0-9]*\).*/\1/p' | tail -n 1)" ">" 0
finish

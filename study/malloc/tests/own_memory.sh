# Between the first and the last block of the cells, the malloc under test is asked
# for nothing else; nor is it for anything large before.
. "${0%/*}/lib.sh"
bench --check
grep -q '"malloc_library":"[^"]*libc\.so' "$work/out" || skip "not preloadable"
export WITNESS_SIZE=4242
LD_PRELOAD=$TOOLS/libwitness.so cell malloc_free 4242 '[a-z]*' --iterations=1000
[ "$status" -eq 0 ] || complain "status $status"
line=$(grep '^witness:' "$work/err")
set -- $line
holds "blocks of the cells" "${3:-}" ">=" 2000
holds "other calls between them" "${7:-}" "==" 0
# libstdc++'s reserve for exceptions, 71 KiB, is the one that nothing here can avoid.
holds "the largest other block" "${11:-}" "<=" 72704
finish

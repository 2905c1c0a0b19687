#!/bin/sh
# The README's pictures of the report, into docs/images:
#
#   scripts/screenshots.sh                of the newest run in results, or of a new quick one
#   RUN=results/x scripts/screenshots.sh  of this run
#
# It draws them in a real browser: scripts/setup.sh test installs one.
set -eu
cd "$(dirname "$0")/.."
export GOFLAGS=-mod=readonly GOTOOLCHAIN=local

newest() {
	for dir in results/*/; do # their names begin with the time: the last is the newest
		[ -f "$dir/samples.txt" ] && run=${dir%/}
	done
	:
}
run=${RUN:-}
[ -n "$run" ] || newest
if [ -z "$run" ]; then
	${GO:-go} run ./cmd/memcost run --quick
	newest
fi
case $run in
/*) ;;
*) run=$PWD/$run ;;
esac
if [ ! -f "$run/samples.txt" ]; then
	echo "screenshots: reading run folder $run: it has no samples.txt; RUN names the folder of a run" >&2
	exit 1
fi
MEMCOST_NEED_BROWSER=1 MEMCOST_RUN=$run MEMCOST_SCREENSHOTS=$PWD/docs/images \
	${GO:-go} test -count=1 -run '^TestScreenshots$' ./internal/report/blocks
ls -l docs/images/report-*.png

#!/bin/sh
# What memcost reaches on this machine, in Markdown for docs/performance.md, on
# standard output; progress on standard error.
#
#   scripts/bench.sh                      everything, about 20 minutes
#   scripts/bench.sh start run aa read    these parts
#   scripts/bench.sh --quick aa           with few repetitions, to try a part
#
# A machine with nothing else to do gives the figures that are worth keeping. An
# interrupted aa goes on where it was. MEMCOST_BENCH_DIR holds the samples
# (default: memcost-bench in the user's cache folder).
set -eu
cd "$(dirname "$0")/.."
export GOFLAGS=-mod=readonly GOTOOLCHAIN=local

scale=1
parts=""
for arg in "$@"; do
	case $arg in
	--quick) scale=0.04 ;;
	--scale=*) scale=${arg#--scale=} ;;
	start | run | aa | read) parts="$parts $arg" ;;
	*)
		echo "usage: scripts/bench.sh [--quick | --scale=0.5] [start] [run] [aa] [read]" >&2
		exit 2
		;;
	esac
done

dir=${MEMCOST_BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/memcost-bench}
mkdir -p "$dir"
${GO:-go} build -trimpath -ldflags='-s -w' -o "$dir/memcost" ./cmd/memcost
${GO:-go} -C bench build -o "$dir/performance" ./performance

# Each part in a process of its own: the kernel cannot tell a child's peak of
# memory from a higher one of the process that started it.
part() { "$dir/performance" -memcost "$dir/memcost" -dir "$dir" -scale "$scale" "$1"; }
echo "## Figures"
echo
part machine
echo
printf '    scripts/bench.sh%s\n' "${*:+ $*}"
for p in ${parts:-start run aa read}; do
	echo
	part "$p"
done

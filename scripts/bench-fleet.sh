#!/bin/sh
# What packing the samples of many machines takes, and a report on one study of them, in Markdown on
# standard output; progress on standard error.
#
#   scripts/bench-fleet.sh RUN                        a hundred million samples of 100 machines
#   scripts/bench-fleet.sh RUN -samples 1e6 -machines 10
#
# RUN is the run folder of a real run, such as a quick one of all studies, of whose samples those of the
# machines are made up. A hundred million take 8 GB in MEMCOST_BENCH_DIR (default: memcost-bench in the
# user's cache folder), which are removed at the end.
set -eu
if [ $# -eq 0 ]; then
	sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi
run=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
export GOFLAGS=-mod=readonly GOTOOLCHAIN=local
dir=${MEMCOST_BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/memcost-bench}
mkdir -p "$dir"
${GO:-go} build -o "$dir/memcost" ./cmd/memcost
${GO:-go} -C bench build -o "$dir/fleet" ./fleet
pack=$dir/fleet.pack
rm -rf "$pack"
trap 'rm -rf "$pack"' EXIT
trap 'exit 130' INT TERM
"$dir/fleet" -from "$run" -samples 1e8 -machines 100 "$@" -o "$pack"
echo
"$dir/fleet" -memcost "$dir/memcost" -o "$pack"

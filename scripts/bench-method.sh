#!/bin/sh
# How well the instrument guards itself and what the method reaches, in Markdown on
# standard output; progress on standard error.
#
#   scripts/bench-method.sh                    mutants, faults and methods
#   scripts/bench-method.sh mutants faults     these parts: the mistakes in the method that its
#                                              tests notice, and the faults in benchmarks that its
#                                              guards catch; each fails when something gets through
#   scripts/bench-method.sh methods            memcost, benchstat, tango's rule and Wilcoxon's test
#                                              beside each other, 20 minutes
#   scripts/bench-method.sh --minutes=60 methods   with more repetitions: what is done counts
#   scripts/bench-method.sh --quick methods    a trial of 3 minutes
#   scripts/bench-method.sh draw               its tables and picture again, without measuring
#   scripts/bench-method.sh studies 5          how many claims a run of all studies decides, with
#                                              so many seeds, 5 minutes each
#
# A machine with nothing else to do gives the figures that are worth keeping. An
# interrupted part goes on where it was. MEMCOST_BENCH_DIR holds the samples, the figures
# (methods.json) and the picture (methods.svg; default: memcost-bench in the user's cache
# folder).
set -eu
cd "$(dirname "$0")/.."
export GOFLAGS=-mod=readonly GOTOOLCHAIN=local

usage() {
	echo "usage: scripts/bench-method.sh [--quick] [--minutes=20] [mutants] [faults] [methods] [draw] [studies [N]]" >&2
	exit 2
}

parts="" minutes=20 scale=1 seeds=5
for arg in "$@"; do
	case $arg in
	--quick) minutes=3 scale=0.25 ;;
	--minutes=*) minutes=${arg#--minutes=} ;;
	mutants | faults | methods | draw | studies) parts="$parts $arg" ;;
	[1-9]*)
		case $parts in
		*" studies") seeds=$arg ;;
		*) usage ;;
		esac
		;;
	*) usage ;;
	esac
done

out=$(mktemp)
trap 'rm -f "$out"' EXIT INT TERM
status=0

# part TITLE LINES COMMAND...: runs a test, and shows the lines that match
part() {
	title=$1 lines=$2
	shift 2
	echo "## $title"
	echo
	if "$@" >"$out" 2>&1; then
		grep -E "$lines" "$out" || {
			echo "it said nothing: $*" >&2
			status=1
		}
	else
		status=1
		cat "$out"
	fi
	echo
}

# performance PART: a part of bench/performance
dir=${MEMCOST_BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/memcost-bench}
performance() {
	"$dir/performance" -memcost "$dir/memcost" -dir "$dir" -scale "$scale" -minutes "$minutes" -seeds "$seeds" "$1"
}
build() {
	[ -z "${built:-}" ] || return 0
	mkdir -p "$dir"
	"${GO:-go}" build -o "$dir/memcost" ./cmd/memcost
	"${GO:-go}" -C bench build -o "$dir/performance" ./performance
	built=yes
	performance machine
	echo
}

for p in ${parts:-mutants faults methods}; do
	case $p in
	mutants)
		part "Mistakes in the method that a test notices" '^mutant' \
			env MEMCOST_LONG=1 "${GO:-go}" test -count=1 -timeout 90m -v -run 'TestMutants$' .
		;;
	faults)
		part "Faults in benchmarks that a guard catches" 'caught' \
			env MEMCOST_LONG=1 "${GO:-go}" test -count=1 -timeout 30m -v -run PlantedFaults ./internal/cli
		;;
	*)
		build
		performance "$p" || status=1
		echo
		;;
	esac
done
exit $status

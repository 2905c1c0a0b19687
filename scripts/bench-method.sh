#!/bin/sh
# How well the instrument guards itself, on standard output: the mistakes in the method
# that its tests notice, and the faults in benchmarks that its guards catch. Each part
# fails when something gets through.
#
#   scripts/bench-method.sh                    both parts
#   scripts/bench-method.sh mutants faults     these parts
set -eu
cd "$(dirname "$0")/.."
export GOFLAGS=-mod=readonly GOTOOLCHAIN=local

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

for p in ${*:-mutants faults}; do
	case $p in
	mutants)
		part "Mistakes in the method that a test notices" '^mutant' \
			env MEMCOST_LONG=1 "${GO:-go}" test -count=1 -timeout 90m -v -run 'TestMutants$' .
		;;
	faults)
		part "Faults in benchmarks that a guard catches" 'caught' \
			"${GO:-go}" test -count=1 -timeout 30m -v -run PlantedFaults ./internal/cli
		;;
	*)
		echo "usage: scripts/bench-method.sh [mutants] [faults]" >&2
		exit 2
		;;
	esac
done
exit $status

#!/bin/sh
# Measures the current commit and compares it with the last one that was measured, without its
# code: for benchmarks of which the old code does not build any more, or that take too long twice.
#
#   baseline.sh FOLDER [FLAG ...]    FOLDER holds the baseline from one run of the script to the
#                                    next: a cache, or a folder of a machine that stays. Flags are
#                                    those of memcost run.
#
# It is compared with the first one, too: what drifts by little each time is seen in the end.
# Remove FOLDER/first to begin anew.
#
# The two were not measured in turns. So the statement is the weaker one, and only large
# differences on the same machine are worth a look: the script closes no gate.
set -eu

folder=${1:?name the folder that holds the baseline, as in: baseline.sh ~/memcost-baseline}
shift
mkdir -p "$folder"
rm -rf memcost-runs
memcost run ./... --results memcost-runs "$@"
for run in memcost-runs/*/run.json; do
	now=$(dirname "$run")
done
if [ -e "$folder/baseline/run.json" ]; then
	memcost compare "$folder/baseline" "$now" --margin 5%
	if [ -e "$folder/first/run.json" ] && ! cmp -s "$folder/first/run.json" "$folder/baseline/run.json"; then
		echo "Beside the first one that was kept:"
		memcost compare "$folder/first" "$now" --margin 5%
	fi
fi
rm -rf "$folder/baseline"
cp -R "$now" "$folder/baseline"
if [ ! -e "$folder/first/run.json" ]; then
	cp -R "$now" "$folder/first"
fi

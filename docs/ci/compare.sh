#!/bin/sh
# Compares the benchmarks of the current commit with those of its base, and stops at a regression.
#
#   compare.sh BASE [FLAG ...]       BASE is a branch: origin/main. Flags are those of memcost compare.
#
# What it says is in memcost.md, for a comment on the change, and in the page of the run folder below
# memcost-runs. The exit status is 0 if the gate is open, 3 if a regression closes it, 4 if too little was
# measured to say, and 1 or 2 if nothing could be compared.
set -eu

base=${1:?name the branch that the change goes to, as in: compare.sh origin/main}
shift
# The commit from which the change began. A shallow clone lacks it: git fetch --unshallow.
commit=$(git merge-base "$base" HEAD)

status=0
memcost compare "$commit" . ./... --results memcost-runs --gate --label "$(git log -1 --format=%s)" "$@" ||
	status=$?
for run in memcost-runs/*/run.json; do
	if [ -e "$run" ]; then
		memcost report "$(dirname "$run")" --format md -o memcost.md
	fi
done
exit "$status"

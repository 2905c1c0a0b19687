#!/bin/sh
# Records what each toolchain's compiler says with -m=2 about the package in this folder:
# GOVERSION.txt is "go build", GOVERSION-test.txt is "go test -c".
# The go.mod of the copy names the toolchain's own language version, as memcost's builds do.
# usage: sh capture.sh go1.13.15 go1.26.8 ...
set -eu
cd "$(dirname "$0")"
export GOENV=off GOFLAGS= # old toolchains refuse flags that newer ones know
for go in "$@"; do
	dir=$(mktemp -d)
	cp ./*.go "$dir"
	lang=$(echo "${go#go}" | cut -d. -f1,2)
	printf 'module lair\n\ngo %s\n' "$lang" >"$dir/go.mod"
	# -gcflags goes to the package in the folder alone; a cached build says the same again.
	for cmd in "build" "test -c -o lair.test"; do
		case $cmd in build) out=../$go.txt ;; *) out=../$go-test.txt ;; esac
		(cd "$dir" && GOTOOLCHAIN=$go go $cmd -gcflags=-m=2 .) 2>&1 |
			sed "s|$(GOTOOLCHAIN=$go go env GOROOT)|/usr/local/go|g" >"$out"
	done
	rm -rf "$dir"
	echo "$go: $(wc -l <"../$go.txt") lines"
done

#!/bin/sh
# Records what each toolchain's compiler says with -m=2 about the package in a folder beside
# this script into NAME-GOVERSION.txt, and with FLAG=-trimpath into NAME-GOVERSION-trimpath.txt.
# The go.mod of the copy names the toolchain's own language version, as memcost's builds do.
# usage: [FLAG=-trimpath] sh capture.sh causes go1.13.15 go1.26.8 ...
set -eu
cd "$(dirname "$0")"
name=$1
shift
export GOENV=off GOFLAGS= GODEBUG=goindex=0 # Go 1.19 as a module needs the latter
for go in "$@"; do
	dir=$(mktemp -d)
	cp "$name"/*.go "$dir"
	lang=$(echo "${go#go}" | cut -d. -f1,2)
	printf 'module %s\n\ngo %s\n' "$name" "$lang" >"$dir/go.mod"
	(cd "$dir" && GOTOOLCHAIN=$go go build ${FLAG:-} -gcflags=-m=2 .) 2>&1 |
		sed "s|$(GOTOOLCHAIN=$go go env GOROOT)|/usr/local/go|g" >"$name-$go${FLAG:-}.txt"
	rm -rf "$dir"
	echo "$go: $(wc -l <"$name-$go${FLAG:-}.txt") lines"
done

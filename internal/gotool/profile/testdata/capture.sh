#!/bin/sh
# Writes testdata/goV-NAME.prof, and beside it what that Go's own pprof says of it,
# goV-NAME.top: sh testdata/capture.sh 1.15.15 1.27.4
set -eu
here=$(cd "$(dirname "$0")" && pwd)
study=$here/../../../study/gccost
for v; do
	d=$(mktemp -d)
	cp -r "$study" "$here/phases" "$d"
	cd "$d"
	printf 'module memcost/study\n\ngo %s\n' "${v%.*}" > go.mod
	export GOTOOLCHAIN="go$v"
	go build -trimpath -o create ./gccost/programs/create
	go build -trimpath -o phase ./phases
	for by in copy pointer; do
		./create -by $by -cpuprofile $by.prof
	done
	./phase .
	for p in *.prof; do
		cp "$p" "$here/go$v-$p"
		go tool pprof -top -nodefraction=0 -nodecount=1000000 -unit=ns "$p" > "$here/go$v-${p%.prof}.top" 2>/dev/null
	done
	go tool pprof -top -nodefraction=0 -nodecount=1000000 -sample_index=alloc_space -unit=B heap.prof > "$here/go$v-heap-alloc_space.top" 2>/dev/null
	cd "$here"
	rm -rf "$d"
done

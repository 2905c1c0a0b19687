#!/bin/sh
# Installs what building memcost needs and what is missing here. With "test", also
# what the tests need; with "long", also what only make test-long needs; with
# "programs", what scripts/bench-alloc.sh measures; with "fleet", what make test-fleet starts. What cannot be installed is named,
# with the command that would do it; nothing else is touched.
set -eu

missing=""
need() { # need COMMAND PACKAGE
	command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

if ! command -v "${GO:-go}" >/dev/null 2>&1; then
	echo "setup: Go is missing: install Go 1.26 or newer (https://go.dev/dl/) and put it on PATH" >&2
	exit 1
fi
need cc gcc
need git git
# The malloc study: Google Benchmark, and the allocators that it compares. Packages that
# this release does not have are left out by name, and so are their cells.
need cmake cmake
need c++ g++
library() { # library FILE PACKAGE
	for dir in /usr/lib/*-linux-gnu* /usr/lib64 /usr/lib /usr/local/lib /usr/lib/llvm-*/lib/clang/*/lib/*; do
		# shellcheck disable=SC2086 # a pattern
		ls "$dir"/$1 >/dev/null 2>&1 && return
	done
	missing="$missing $2"
}
if [ "$(uname)" = Linux ]; then
	library 'libbenchmark.so*' libbenchmark-dev
	library libjemalloc.so.2 libjemalloc2
	library 'libmimalloc.so*' libmimalloc2.0
	library libtcmalloc_minimal.so.4 libtcmalloc-minimal4
	library libtbbmalloc_proxy.so.2 libtbbmalloc2
	library 'libclang_rt.scudo_standalone*.so' libclang-rt-19-dev
fi
# The page is tested in a real browser, and drawn for the README.
if [ "${1:-}" = test ] || [ "${1:-}" = long ]; then
	command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || missing="$missing chromium fonts-dejavu-core"
fi
if [ "${1:-}" = long ]; then
	need qemu-aarch64 qemu-user
	need musl-gcc musl-tools
	need aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
fi
# DuckDB runs the queries of docs/fleet.md; it is a module of Python, in a folder of its own.
if [ "${1:-}" = long ] && ! command -v duckdb >/dev/null 2>&1; then
	duckdb=${XDG_CACHE_HOME:-$HOME/.cache}/memcost/duckdb
	if ! "$duckdb/bin/python3" -c 'import duckdb' 2>/dev/null; then
		python3 -m venv "$duckdb" 2>/dev/null && "$duckdb/bin/python3" -m pip install --quiet duckdb 2>/dev/null ||
			echo "setup: duckdb cannot be had here (python3 with venv, pip install duckdb): its test is skipped" >&2
	fi
fi
# A Slurm of three nodes and three boards behind ssh: their daemons, for test-fleet starts its own.
if [ "${1:-}" = fleet ]; then
	need slurmctld slurm-wlm
	need sbatch slurm-client
	need munged munge
	need parallel parallel
	need rsync rsync
	need ssh openssh-client
	need /usr/sbin/sshd openssh-server
	need pgrep procps
	need nsenter util-linux
fi
# Programs that memcost alloc is tried on.
if [ "${1:-}" = programs ] || [ "${1:-}" = long ]; then
	for program in sqlite3 jq python3; do
		need "$program" "$program"
	done
	need redis-server redis-server
	need redis-benchmark redis-tools
fi
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: please install:$missing" >&2
	exit 0
fi
sudo=""
if [ "$(id -u)" != 0 ]; then
	if ! sudo -n true 2>/dev/null; then
		echo "setup: no right to install; what is missing is skipped. To install: sudo apt-get install -y$missing" >&2
		exit 0
	fi
	sudo="sudo -n"
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # the list is words
$sudo apt-get install -y -qq $missing >/dev/null 2>&1 || {
	$sudo apt-get update -qq
	# One by one: a release that lacks one of them still gets the others.
	for package in $missing; do
		$sudo apt-get install -y -qq "$package" >/dev/null 2>&1 || echo "setup: $package cannot be had here: what needs it is left out" >&2
	done
}

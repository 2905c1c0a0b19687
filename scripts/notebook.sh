#!/bin/sh
# The malloc study's notebook, executed:
#
#   scripts/notebook.sh CONFIG [FOLDER]   of a config {"plot label": "result file", ...}; the
#                                         page, the pictures and the medians go to FOLDER (figures)
#   scripts/notebook.sh                   proves it: on results of malloc_bench and on a made-up run
#
# Its Python packages go into a virtual environment in the user's cache folder
# (MEMCOST_NOTEBOOK names another). MALLOC_BENCH names a malloc_bench that is built;
# else the proof builds one. Exit status 77: a tool is missing, and nothing was proved.
set -eu
start=$PWD
cd "$(dirname "$0")/.."
here=$PWD/study/malloc
venv=${MEMCOST_NOTEBOOK:-${XDG_CACHE_HOME:-$HOME/.cache}/memcost/notebook}
export PYTHONDONTWRITEBYTECODE=1

missing() {
	echo "notebook: skipped: $*" >&2
	exit 77
}

install() {
	python3 -c 'import venv, ensurepip' 2>/dev/null || missing "python3 or its venv module is missing: apt-get install -y python3-venv"
	python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || missing "$(python3 --version) is too old: Python 3.11 or newer"
	cmp -s "$here/analyse/requirements.txt" "$venv/installed" && return
	rm -f "$venv/installed"
	mkdir -p "$(dirname "$venv")"
	python3 -m venv --clear "$venv"
	if ! "$venv/bin/python" -m pip install --quiet -r "$here/analyse/requirements.txt" 2>"$venv/pip.log"; then
		tail -5 "$venv/pip.log" >&2
		# pip says the same of a pin that does not exist and of a network that is not there.
		"$venv/bin/python" -m pip download --quiet --no-cache-dir --no-deps --dest "$venv/probe" pip >/dev/null 2>&1 ||
			missing "PyPI cannot be reached"
		echo "notebook: installing study/malloc/analyse/requirements.txt into $venv failed" >&2
		exit 1
	fi
	cp "$here/analyse/requirements.txt" "$venv/installed"
}

execute() { # execute CONFIG FOLDER, both absolute
	mkdir -p "$2"
	if ! (cd "$here" && MEMCOST_CONFIG=$1 MEMCOST_FIGURES=$2 "$venv/bin/python" -m nbconvert --to html --execute analyse.ipynb --output-dir "$2") 2>"$2/log.txt"; then
		tail -15 "$2/log.txt" >&2
		echo "notebook: executing study/malloc/analyse.ipynb on $1 failed" >&2
		exit 1
	fi
	rm "$2/log.txt"
}

absolute() { case $1 in /*) echo "$1" ;; *) echo "$start/$1" ;; esac; }

if [ $# -gt 2 ]; then
	echo "usage: scripts/notebook.sh [CONFIG [FOLDER]]" >&2
	exit 2
fi
if [ $# -gt 0 ]; then
	install
	folder=$(absolute "${2:-figures}")
	execute "$(absolute "$1")" "$folder"
	echo "$folder/analyse.html"
	exit
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
install
bench=${MALLOC_BENCH:-}
if [ -z "$bench" ]; then
	command -v cmake >/dev/null && command -v c++ >/dev/null || missing "cmake or a C++ compiler is missing: apt-get install -y cmake g++ libbenchmark-dev"
	if ! { cmake -S "$here" -B "$tmp/build" -DBUILD_TESTING=OFF && cmake --build "$tmp/build" --parallel; } >"$tmp/build.log" 2>&1; then
		tail -15 "$tmp/build.log" >&2
		grep -q 'benchmarkConfig.cmake' "$tmp/build.log" && missing "Google Benchmark is missing: apt-get install -y libbenchmark-dev"
		echo "notebook: building malloc_bench failed" >&2
		exit 1
	fi
	bench=$tmp/build/malloc_bench
fi
check() { (cd "$here" && "$venv/bin/python" -m "$@"); }
check unittest --quiet analyse.test_read

mkdir "$tmp/real"
measure() { # measure FILE SETTINGS...
	out=$tmp/real/$1
	shift
	"$bench" "$@" --sizes=4KiB,256KiB,4MiB,64MiB --benchmark_filter=method=published --benchmark_min_time=0.001 \
		--benchmark_repetitions=3 --benchmark_out="$out" --benchmark_out_format=json >"$tmp/bench.log" 2>&1 || {
		tail -15 "$tmp/bench.log" >&2
		echo "notebook: $bench $* failed" >&2
		exit 1
	}
}
measure default.json
measure trim0.json -mM_TRIM_THRESHOLD=0,M_TOP_PAD=0
echo '{"default": "default.json", "TRIM_THRESHOLD=0, TOP_PAD=0": "trim0.json"}' >"$tmp/real/config.json"
execute "$tmp/real/config.json" "$tmp/real/figures"
check analyse.check verify "$tmp/real/config.json" "$tmp/real/figures" "$tmp/real/figures/analyse.html" 2

check analyse.check make "$tmp/made"
execute "$tmp/made/config.json" "$tmp/made/figures"
check analyse.check verify "$tmp/made/config.json" "$tmp/made/figures" "$tmp/made/figures/analyse.html" 3 \
	"gone.json: there is no such file" "wrong.json: Expecting value" "NULL under RLIMIT_MEMLOCK" "malloc returned NULL" \
	"damaged: it is not a cell" "partly: operation malloc_free is absent"

if [ -n "${MEMCOST_FIGURES:-}" ]; then # to be looked at
	mkdir -p "$MEMCOST_FIGURES"
	cp -r "$tmp/real/figures" "$MEMCOST_FIGURES/real"
	cp -r "$tmp/made/figures" "$MEMCOST_FIGURES/made"
fi

#!/bin/sh
# Which allocator for programs of the distribution: memcost alloc on each, in Markdown for
# docs/studies/programs.md, on standard output; progress on standard error.
#
#   scripts/bench-alloc.sh                     all six, 2 minutes each
#   scripts/bench-alloc.sh --budget 20s jq     one of sqlite3 jq git cc1plus python3 redis
#   scripts/bench-alloc.sh --rounds 6 --small  exactly 6 rounds of small loads, to try it
#   scripts/bench-alloc.sh --aa 20 sqlite3     false alarms: glibc against itself under three
#                                              names, 20 times; more than 5% are exit status 1
#
# The programs that are missing are installed where that is allowed (not with --no-install); a
# program that cannot be had is named and left out, and where none can the exit status is 77.
# --out DIR (default: memcost-alloc in the user's cache folder) gets the loads, the run folders
# and each answer, PROGRAM.json. MEMCOST names a memcost that is built; else one is built.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
out=${XDG_CACHE_HOME:-$HOME/.cache}/memcost-alloc
budget="--budget 2m" rounds="" small="" aa="" install=yes programs=""
usage() {
	echo "usage: scripts/bench-alloc.sh [--budget 2m | --rounds N] [--small] [--aa N] [--out DIR] [--no-install] [PROGRAM ...]" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	case $1 in
	--small) small=yes ;;
	--no-install) install="" ;;
	--budget | --rounds | --aa | --out)
		[ $# -gt 1 ] || usage
		case $1 in
		--budget) budget="--budget $2" ;;
		--rounds) rounds=$2 budget="--rounds $2" ;;
		--aa) aa=$2 ;;
		--out) out=$2 ;;
		esac
		shift
		;;
	sqlite3 | jq | git | cc1plus | python3 | redis) programs="$programs $1" ;;
	*) usage ;;
	esac
	shift
done
case $aa$rounds in *[!0-9]*) usage ;; esac
[ -z "$install" ] || "$here/scripts/setup.sh" programs
command -v jq >/dev/null || {
	echo "bench-alloc: skipped: jq is missing, which reads the answers: apt-get install -y jq" >&2
	exit 77
}
mkdir -p "$out"
out=$(cd "$out" && pwd)
if [ -z "${MEMCOST:-}" ]; then
	MEMCOST=$out/memcost
	(cd "$here" && GOFLAGS=-mod=readonly GOTOOLCHAIN=local ${GO:-go} build -o "$MEMCOST" ./cmd/memcost)
fi
mkdir -p "$out/load${small:+.small}"
cd "$out/load${small:+.small}"
export HOME="$PWD" LC_ALL=C
unset LD_PRELOAD MALLOC_CONF GLIBC_TUNABLES
failed=""

size() { [ -n "$small" ] && echo "$1" || echo "$2"; } # size SMALL FULL

# measure NAME ARG...: memcost alloc with the arguments, with its answer in NAME.json and what it
# says of the time that it took in NAME.err.
measure() {
	name=$1
	shift
	printf '%s: ' "$name" >&2
	# shellcheck disable=SC2086 # words
	if "$MEMCOST" alloc --json --results "$out/runs" --label "$name" $budget "$@" >"$out/$name.json" 2>"$out/$name.err" </dev/null; then
		grep '^stopped: ' "$out/$name.err" >&2
		return
	fi
	tail -3 "$out/$name.err" >&2
	rm -f "$out/$name.json"
	failed="$failed $name"
}

# Each program: its load is made, and then it is measured with the arguments given behind its name.
# A process takes about 0.1 seconds: where the processor changes its speed every few seconds, a whole
# round then meets one speed.
run_sqlite3() {
	cat >load.sql <<-SQL
		create table t(a integer primary key, b text, c integer);
		with recursive n(i) as (select 1 union all select i+1 from n where i < 50000)
		insert into t select i, printf('name %d of the table', i * 7919 % 100003), i * 31 % 1009 from n;
		create index tb on t(b);
		select count(*), sum(c) from t where b > 'name 5';
	SQL
	measure "$@" -- sqlite3 :memory: '.read load.sql'
}

run_jq() {
	awk -v n="20000" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "%s{\"id\":%d,\"name\":\"item %d\",\"tags\":[\"t%d\",\"u%d\"],\"value\":%.3f}\n",
				i ? "," : "[", i, i * 7919 % 100003, i % 97, i % 13, i / 7
		print "]"
	}' >big.json
	measure "$@" -- jq -c 'map(select(.id % 3 == 0) | .value) | add' big.json
}

# A repository of six files with a history in which most lines change: repack computes every delta
# anew, in one thread.
run_git() {
	rm -rf repo
	git init -q repo
	awk -v n="$(size 15 30)" 'BEGIN {
		for (c = 0; c < n; c++) {
			printf "commit refs/heads/main\ncommitter A <a@example.com> %d +0000\ndata 1\nx\n", 1700000000 + c
			for (f = 0; f < 6; f++) {
				text = ""
				for (l = 0; l < 300; l++)
					text = text sprintf("line %d of file %d says %d\n", l, f, (l * 7919 + (l % 120 <= c ? c : 0) * 31 * (f + 1)) % 100003)
				printf "M 100644 inline f%d\ndata %d\n%s\n", f, length(text), text
			}
		}
	}' | git -C repo fast-import --quiet
	git -C repo repack -adfq
	[ -n "$aa" ] || set -- "$@" --vary M_TRIM_THRESHOLD=0
	measure "$@" -- git -C repo -c pack.threads=1 repack -a -d -f -q
}

run_cc1plus() {
	cat >a.cc <<-'C'
		#include <map>
		#include <string>
		#include <vector>
		int f(const std::map<std::string, std::vector<int>> &m) { return m.size(); }
	C
	g++ -E a.cc -o a.ii
	measure "$@" -- "$(g++ -print-prog-name=cc1plus)" -quiet -fpreprocessed -fsyntax-only a.ii
}

run_python3() {
	cat >work.py <<-PY
		words = {}
		for i in range($(size 20000 60000)):
		    key = "word %d" % (i * 7919 % 50021)
		    words.setdefault(key, []).append((i, str(i)))
		print(len(words), sum(len(v) for v in words.values()))
	PY
	python=$(command -v python3)
	[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3 # not a script that looks for one
	PYTHONMALLOC=malloc
	export PYTHONMALLOC
	measure "$@" -- "$python" work.py
	unset PYTHONMALLOC
}

run_redis() {
	rm -f redis.sock
	measure "$@" --until "redis-benchmark -s redis.sock -q -n $(size 10000 40000) -r 50000 -d 100 -P 16 -t set,lpush" \
		-- redis-server --port 0 --unixsocket redis.sock --save '' --daemonize no
}

# commands PROGRAM: what it needs.
commands() {
	case $1 in
	cc1plus) echo g++ ;;
	redis) echo redis-server redis-benchmark ;;
	*) echo "$1" ;;
	esac
}

# rows NAME: its answer as rows of the table.
rows() {
	jq -r --arg name "$1" --arg took "$(sed -n 's/^stopped: //p' "$out/$1.err")" '
		def n: if . == null then "–" elif . > 10 then round | tostring
			else (. * 100 | round) as $h | "\($h / 100 | floor).\(100 + $h % 100 | tostring | .[1:])" end;
		def ratio: if .value == null then "–" else "\(.value | n) [\(.lo | n), \(.hi | n)]" end;
		.allocators[] | "| \($name) | \(.name) | \(if .says == "baseline" then "1 | 1" else
			"\(.cpu_time.ratio | ratio) | \(.peak_rss.ratio | ratio)" end) | \(.says) | \(
			if .says == "baseline" then $took | sub(" of measuring"; "") else "" end) |"' "$out/$1.json"
	jq -r --arg name "$1" '.not_measured[] | "| \($name) | \(.name) | – | – | \(.why) | |"' "$out/$1.json"
}

ran=""
for program in ${programs:-sqlite3 jq git cc1plus python3 redis}; do
	for command in $(commands "$program"); do
		command -v "$command" >/dev/null || {
			echo "bench-alloc: $program is left out: $command is missing" >&2
			continue 2
		}
	done
	if [ -z "$aa" ]; then
		run_"$program" "$program"
		ran="$ran $program"
		continue
	fi
	for seed in $(seq "$aa"); do
		run_"$program" "$program.aa$seed" --seed "$seed" --with glibc --vary MEMCOST_AA=1 --vary MEMCOST_AA=2
		ran="$ran $program.aa$seed"
	done
done
[ -n "$ran" ] || exit 77

if [ -z "$aa" ]; then
	echo "| program | allocator | CPU time, ratio [95%] | peak RSS, ratio [95%] | verdict | stopped |"
	echo "|---|---|---|---|---|---|"
	for name in $ran; do
		[ ! -f "$out/$name.json" ] || rows "$name"
	done
else
	# Every figure of every copy is a verdict on two things that are the same.
	# shellcheck disable=SC2086 # words
	(cd "$out" && for name in $ran; do [ ! -f "$name.json" ] || cat "$name.json"; done) | jq -rs '
		[.[] | .allocators[1:][] | (.cpu_time, .wall_time, .peak_rss) | .verdict // empty] as $all
		| ([$all[] | select(. == "changed")] | length) as $alarms
		| "\($alarms) of \($all | length) verdicts on a program against itself are false alarms; \(
			[$all[] | select(. == "equivalent")] | length) say equivalent.",
		if ($all | length) == 0 or $alarms > 0.05 * ($all | length) then "bench-alloc: more than 5%\n" | halt_error(1) else empty end'
fi
[ -z "$failed" ] || {
	echo "bench-alloc: failed:$failed" >&2
	exit 1
}

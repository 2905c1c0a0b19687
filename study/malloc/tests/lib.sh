# For the test scripts. $BENCH is the program, with an emulator before it when it was
# built for another processor; $TOOLS the folder of the test's own programs. Status 77
# means that something cannot be tried here.
set -u
fails=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# bench ARGUMENTS: runs the program; leaves $status, $work/out, $work/err.
bench() {
  $BENCH "$@" >"$work/out" 2>"$work/err"
  status=$?
}

# cell OP SIZE METHOD ARGUMENTS: measures one cell, shortly.
cell() {
  op=$1 size=$2 method=$3
  shift 3
  bench --sizes="$size" "--benchmark_filter=^Malloc/op=$op/size=$size/method=$method/" --benchmark_format=json --benchmark_min_time=0.005 "$@"
}

# field NAME: the first number of that name in the answer, whatever its layout.
field() {
  tr '{},' '\n\n\n' <"$work/out" | sed -n 's|^ *"'"$1"'": *\([-+0-9.e]*\)$|\1|p' | head -n 1
}

# holds WHAT LEFT OP RIGHT: compares two numbers as awk does.
holds() {
  if [ -z "$2" ] || [ -z "$4" ]; then
    complain "$1: no figure"
  elif ! awk "BEGIN { exit !(($2) $3 ($4)) }"; then
    complain "$1: $2 is not $3 $4"
  fi
}

# says WHAT FILE TEXT: the file holds the text.
says() {
  grep -qF -- "$3" "$work/$2" || complain "$1: \"$3\" is not in the $2: $(head -c 600 "$work/$2")"
}

complain() {
  echo "FAIL $*" >&2
  fails=$((fails + 1))
}

skip() {
  echo "SKIP $*" >&2
  exit 77
}

finish() {
  [ "$fails" -eq 0 ] || exit 1
}

#!/bin/sh
# The real-time verdict: broken by what is known to break it, kept by the recipe.
# The limits are far from what the machine does, or faults and NULL decide.
# Usage: latency_rt.sh MALLOC_BENCH. Exit status 77: cannot be tried here.
set -eu
bench=$1
here=$(dirname "$0")
command -v python3 >/dev/null || { echo "python3 is missing: sudo apt-get install python3"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"${CXX:-c++}" -std=c++20 -O2 -fno-builtin -shared -fPIC "$here/latency_planted.cpp" -o "$tmp/planted.so" -ldl || exit 77

preload= plant= # for the program only: the shell and Python must keep their malloc

# want STATUS NAME CONDITION ARGUMENT...: the exit status, and a Python condition on
# every cell's verdict `rt` (`n`: its operations).
want() {
  status=$1 name=$2 condition=$3
  shift 3
  got=0
  LD_PRELOAD=$preload PLANT=$plant "$bench" --latency "$@" --out="$tmp/rt.json" || got=$?
  [ "$got" = "$status" ] || { echo "FAIL $name: exit status $got, want $status"; exit 1; }
  python3 - "$tmp/rt.json" "$name" "$condition" <<'PY'
import json, sys
path, name, condition = sys.argv[1:]
for cell in json.load(open(path))["cells"]:
    rt = dict(cell["rt"])
    if rt["late"] != rt["late_own"] + rt["late_machine"] + rt["late_unexplained"] or rt["passed_allocator"] != (rt["faults"] + rt["nulls"] + rt["late_own"] == 0):
        sys.exit(f"FAIL {name}: the verdict does not agree with itself: {rt}")
    if not eval(condition, {"rt": rt, "first": rt.get("first"), "n": cell["operations"]}):
        sys.exit(f"FAIL {name}: size {cell['size']}: {rt}")
    print(f"{name}: size {cell['size']}: passed {rt['passed']}, {rt['faults']} with faults, {rt['late']} late ({rt['late_own']} + {rt['late_machine']}), {rt['nulls']} NULL")
PY
}

# Blocks that are mapped anew each time fault in malloc (its header) and in the touch.
want 3 default 'not rt["passed"] and rt["what"] == "fault" and first["cause"] in ("mmap", "preempted") and rt["faults"] == n and rt["late"] == 0 and not rt["passed_allocator"] and rt["first_own"] == first' \
  --sizes=67108864 --operations=20 --rt=10s
# The real-time recipe: no mmap, no trim, and a heap made resident beforehand.
want 0 recipe 'rt["passed"] and rt["faults"] == 0' \
  -mM_MMAP_MAX=0,M_TRIM_THRESHOLD=1073741824 --sizes=64,4096,1048576,16777216 --operations=2000 --rt=10s --pattern=pairs,prefault=64MiB
want 0 recipe-live 'rt["passed"] and rt["faults"] == 0' \
  -mM_MMAP_MAX=0,M_TRIM_THRESHOLD=1073741824 --sizes=4096,65536 --operations=20000 --rt=10s --pattern=live,prefault=256MiB
# The same without the heap made resident: it grows in the calls.
want 3 not-prefaulted 'rt["faults"] > 100 and rt["what"] == "fault"' \
  -mM_MMAP_MAX=0,M_TRIM_THRESHOLD=1073741824 --sizes=65536 --operations=20000 --rt=10s --pattern=live,warmup=0

preload=$tmp/planted.so
plant=fault
want 3 planted-fault 'rt["what"] == "fault" and rt["faults"] >= 100 and first["call"] == "malloc" and first["size"] == 64 and first["minor_faults"] == 1' \
  --sizes=64 --operations=100000 --rt=10s --pattern=pairs,warmup=0
plant=null
want 3 planted-null 'rt["what"] == "null" and rt["nulls"] == 100 and rt["faults"] == 0' --sizes=64 --operations=100000 --rt=10s --pattern=pairs,warmup=0
plant=sleep
want 3 planted-sleep 'rt["late_own"] >= 90 and rt["what"] == "latency" and not rt["passed_allocator"] and rt["first_own"]["cause"] == "blocked"' --sizes=64 --operations=100000 --rt=100us --pattern=pairs,warmup=0
# What the allocator computes it does again in the replay, and what another did to it it does not.
plant=spin
want 3 planted-spin 'rt["late"] >= 100 and rt["late_own"] >= 50 and not rt["passed_allocator"] and rt["first_own"]["ns"] > 100e3' \
  --sizes=64 --operations=100000 --rt=100us --pattern=pairs,warmup=0
plant=random
want 3 planted-random 'rt["late_unexplained"] >= 15 and rt["late_own"] <= rt["late"] / 5 and rt["first_unexplained"]["cause"] in ("outside", "unknown")' \
  --sizes=64 --operations=100000 --rt=100us --pattern=pairs,warmup=0
preload= plant=
# A limit below the ordinary: every operation is late by the allocator's own doing,
# also those for which there is no room to keep them.
want 3 impossible 'rt["late"] > 0.99 * n and rt["late_own"] > 0.9 * n and not rt["passed_allocator"]' --sizes=4096 --operations=20000 --rt=1ns
echo ok

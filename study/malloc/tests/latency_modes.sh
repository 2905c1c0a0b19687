#!/bin/sh
# The answers of the latency, threads and memory modes: their JSON says the same as
# itself, their benchmark lines can be read, and mistakes are refused with a hint.
# Usage: latency_modes.sh MALLOC_BENCH. Exit status 77: cannot be tried here.
set -eu
bench=$1
command -v python3 >/dev/null || { echo "python3 is missing: sudo apt-get install python3"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$bench" --latency --sizes=64,65536 --operations=50000 --pattern=live,seed=7 --out="$tmp/latency.json"
"$bench" --latency --sizes=64 --operations=50000 --threads=3 --out="$tmp/latency3.json"
"$bench" --threads-scaling --sizes=64 --seconds=0.1 --out="$tmp/threads.json"
"$bench" --memory --sizes=64,65536 --operations=16777216 --seconds=0.01 --out="$tmp/memory.json"
python3 - "$tmp" <<'PY'
import json, os, sys
load = lambda name: json.load(open(os.path.join(sys.argv[1], name)))

def calls_agree(call):
    slow, name = call["slow"], call["call"]
    assert sum(n for _, n in call["histogram"]) == call["count"], name
    assert call["histogram"] == sorted(call["histogram"]), name
    steps = [call[k] for k in ("min", "p50", "p90", "p99", "p99.9", "p99.99", "p99.999", "max")]
    assert steps == sorted(steps), (name, steps)
    assert slow["kept"] == min(1000, call["count"]) == len(slow["calls"]) == sum(slow["causes"].values()), name
    ordinary = [c for c in slow["calls"] if c["ns"] <= 2 * call["p50"] or c["ns"] < latency["cheapest_event_ns"]]
    assert len(ordinary) == slow["ordinary"] and slow["slow"] == slow["kept"] - slow["ordinary"], name
    assert slow["slow"] == slow["explained"] + slow["own"] + slow["misses"] + slow["outside"] + slow["unknown"], name
    assert slow["explained"] == sum(slow[k] for k in ("by_counter", "cold", "host", "stopped")), name
    share = slow["explained"] / slow["slow"] if slow["slow"] else None
    assert slow["explained_share"] == share or abs(slow["explained_share"] - share) < 1e-4, name
    times = [c["ns"] for c in slow["calls"]]
    assert times == sorted(times, reverse=True) and times[0] == call["max"], name  # the maximum is exact, and known
    assert call["max"] / call["histogram"][-1][0] <= 1.016, name

def background_agrees(answer):
    told, stops = answer["background"], {c["cause"] for cell in answer["cells"] for k in cell["calls"] for c in k["slow"]["calls"]} & {"host", "stopped"}
    assert len(stops) <= 1, stops  # the machine is the same for all calls
    if told["unseen"] > 0:
        assert 0 < told["unseen_shortest"] <= told["unseen_median"] <= told["unseen_longest"], told
        assert told["unseen_shortest"] >= 0.99 * answer["cheapest_event_ns"], told
        assert abs(told["unseen_per_sec"] * told["seconds"] / told["unseen"] - 1) < 1e-6, told
    for k in (k for cell in answer["cells"] for k in cell["calls"]):
        for c in (c for c in k["slow"]["calls"] if c["cause"] in ("cold", "host", "stopped")):
            assert c["replay_ns"] < c["ns"] / 2 and not c["ticked"], c  # by elimination, and only then
            assert c["behind_stop"] or c["cause"] != "cold", c
            assert c["cause"] == "cold" or told["interrupts_read"] and told["unseen"] > 0, (c, told)
            assert c["cause"] != "host" or told["unseen"] >= 9 * told["interrupted"] and c["ns"] >= answer["cheapest_event_ns"] / 2, (c, told)

latency = load("latency.json")
background_agrees(latency)
assert latency["seed"] == 7 and [c["size"] for c in latency["cells"]] == [64, 65536]
for cell in latency["cells"]:
    assert [c["call"] for c in cell["calls"]] == ["empty", "malloc", "touch", "free"]
    count = {c["call"]: c["count"] for c in cell["calls"]}
    assert count["malloc"] == count["touch"] == cell["operations"] and 0 <= cell["operations"] - count["free"] <= cell["slots"], count
    for call in cell["calls"]:
        calls_agree(call)
        for c in call["slow"]["calls"]:
            assert call["call"] == "empty" or cell["size"] / 2 <= c["size"] <= cell["size"], c
big = next(c for c in latency["cells"][1]["calls"] if c["call"] == "touch")
assert big["minor_faults"] > 100, big["minor_faults"]  # 64 MiB are filled for the first time

together = load("latency3.json")
assert together["background"]["seconds"] == 0, together["background"]  # no replay, so that nothing is held against it
cell = together["cells"][0]
assert {c["call"]: c["count"] for c in cell["calls"]}["malloc"] == 3 * cell["operations"]
assert {c["thread"] for call in cell["calls"] for c in call["slow"]["calls"]} == {0, 1, 2}

threads = load("threads.json")
for p in threads["points"]:
    if "skipped" in p:
        assert "even" in p["skipped"] and p["pattern"] == "producer-consumer" and p["threads"] % 2 or "more --seconds" in p["skipped"] and p["threads"] > 1, p
        continue
    assert p["repeats"] == threads["repeats"] == 5 and p["min"] <= p["ops_per_sec"] <= p["max"], p
    assert p["min"] == 0 and p["spread"] is None or abs(p["spread"] * p["min"] / p["max"] - 1) < 1e-3, p
    if p["alloc"] == "malloc":
        floor = next(f for f in threads["points"] if f["alloc"] == "none" and all(f[k] == p[k] for k in ("pattern", "size", "threads")))
        assert p.get("floor_ns_per_op") == floor.get("ns_per_op") and "floor_ns_per_op" not in floor, p
    assert 0 <= p["waited"] < 1 and (p["waited"] == 0 or p["pattern"] == "bleeding" and not p["oversubscribed"]), p
    assert p["operations"] > 0 and p["nulls"] == 0 and (p["slowest_thread"] > 0 or p["threads"] > 1), p
    assert p["oversubscribed"] == (p["threads"] > threads["cpus"]), p
    assert not (p["pinned"] and p["oversubscribed"]), p
want = {1, threads["cpus"], 2 * threads["cpus"]}
for pattern in ("private", "producer-consumer", "bleeding"):
    for alloc in ("malloc", "none"):
        assert want <= {p["threads"] for p in threads["points"] if (p["pattern"], p["alloc"]) == (pattern, alloc)}, (pattern, alloc)

runs = load("memory.json")["runs"]
assert [(r["pattern"], r["size"]) for r in runs] == [(p, s) for p in ("grow", "fragment", "churn") for s in (64, 65536)]
for r in runs:
    live = [p["live"] for p in r["series"]]
    assert max(live) == r["peak_live"] >= 16777216 and live[-1] == 0, r["pattern"]
    assert r["peak_resident"] == max(p["resident"] for p in r["series"]) >= 0.95 * r["peak_live"], r["pattern"]
    assert r["freed_resident"] == r["series"][-2]["resident"] and r["idle_resident"] == r["series"][-1]["resident"]
    assert [p["at"] for p in r["series"]] == sorted(p["at"] for p in r["series"])
PY

# Lines of the Go benchmark format: a name, a count, then pairs of number and unit.
"$bench" --threads-scaling --sizes=64 --threads=2 --seconds=0.02 --times=3 --pattern=private,form=gobench >"$tmp/lines"
[ "$(grep -c 'spread-ratio' "$tmp/lines")" = 2 ] && [ "$(grep -c '^BenchmarkThreads/.* floor-ns/op$' "$tmp/lines")" = 1 ] || { echo "FAIL threads: spread and floor"; cat "$tmp/lines"; exit 1; }
for mode in --latency --threads-scaling --memory; do
  case $mode in --latency) more="--operations=10000" ;; --threads-scaling) more="--seconds=0.01" ;; *) more="--operations=1048576 --seconds=0.01" ;; esac
  "$bench" $mode --sizes=64 $more --pattern=form=gobench >"$tmp/lines"
  [ -s "$tmp/lines" ] || { echo "FAIL $mode: no benchmark lines"; exit 1; }
  if grep -vE '^Benchmark[A-Za-z]+(/[a-z]+=[a-z0-9-]+)+ [0-9]+( [-+.e0-9]+ [A-Za-z0-9./-]+)+$' "$tmp/lines"; then echo "FAIL $mode: these lines cannot be read"; exit 1; fi
  status=0
  "$bench" $mode --pattern=no-such 2>"$tmp/err" || status=$?
  [ $status = 2 ] && grep -q no-such "$tmp/err" && grep -q hint: "$tmp/err" || { echo "FAIL $mode --pattern=no-such: exit status $status"; cat "$tmp/err"; exit 1; }
  status=0
  "$bench" $mode --pattern=seed=x 2>"$tmp/err" || status=$?
  [ $status = 2 ] && grep -q 'seed=x' "$tmp/err" || { echo "FAIL $mode seed=x: exit status $status"; exit 1; }
  status=0
  "$bench" $mode --sizes=64 $more --out="$tmp/no/such/folder" 2>"$tmp/err" || status=$?
  [ $status = 1 ] && grep -q 'no/such/folder' "$tmp/err" || { echo "FAIL $mode: unwritable answer: exit status $status"; exit 1; }
done
echo ok

// A latency report as JSON. The schema is in latency.h.
#include "latency_print.h"
#include "out.h"
#include "team.h"

namespace malloc_bench {
namespace {

void json_moved(const Counters& m, Out& out) {
  const auto some = [&](const char* key, std::int64_t value) {
    if (value != 0) out.field(key, value);
  };
  some("minor_faults", m.minor_faults);
  some("major_faults", m.major_faults);
  some("voluntary", m.voluntary);
  some("involuntary", m.involuntary);
  some("brk", m.brk);
  some("vm_pages", m.vm);
  some("resident_pages", m.resident);
}

void json_call(const SlowCall& call, const Timer& timer, Out& out) {
  out.field("index", call.index);
  out.field("thread", std::uint64_t{call.thread});
  out.field("at", timer.ns(call.at));
  out.field("ns", timer.ns(call.ticks));
  out.field("size", call.size);
  out.field("cause", cause_name(call.cause));
  out.field("ticked", call.ticked);
  out.field("behind_stop", call.cold);
  if (call.replay.ran) out.field("replay_ns", call.replay.ns);
  json_moved(call.moved, out);
}

void json_slow(const Track& track, const LatencyReport& report, Out& out) {
  const Tally tally(track, report.timer, report.cheapest_event_ns);
  out.open('{', "slow");
  out.field("kept", tally.kept);
  out.field("ordinary", tally.ordinary);
  out.field("slow", tally.slow);
  out.field("explained", tally.explained());
  out.field("explained_share", tally.explained_share());
  out.field("by_counter", tally.by_counter);
  out.field("usual", tally.usual);
  out.field("cold", tally.cold);
  out.field("host", tally.host);
  out.field("stopped", tally.stopped);
  out.field("own", tally.own);
  out.field("misses", tally.misses);
  out.field("outside", tally.outside);
  out.field("unknown", tally.unknown);
  out.open('{', "causes");
  for (int c = 0; c < kCauses; ++c)
    if (tally.by[c] != 0) out.field(cause_name(static_cast<Cause>(c)), tally.by[c]);
  out.close('}');
  out.open('[', "calls");
  for (const SlowCall& call : track.slow) {
    out.open('{');
    json_call(call, report.timer, out);
    out.close('}');
  }
  out.close(']');
  out.close('}');
}

void json_track(Kind kind, const Track& track, const LatencyReport& report, Out& out) {
  const Histogram& h = track.histogram;
  const Timer& timer = report.timer;
  out.open('{');
  out.field("call", kind_name(kind));
  out.field("count", h.count());
  out.field("min", timer.ns(h.min()));
  out.field("mean", h.mean() * timer.ns_per_tick);
  for (const Percentile& p : kPercentiles) out.field(p.name, timer.ns(h.quantile(p.per100k)));
  out.field("max", timer.ns(h.max()));
  out.field("minor_faults", track.minor_faults);
  out.field("major_faults", track.major_faults);
  out.field("behind_stop", track.cold);
  out.open('{', "events");
  for (int c = 0; by_counter(static_cast<Cause>(c)); ++c)
    if (track.by_cause[c] != 0) out.field(cause_name(static_cast<Cause>(c)), track.by_cause[c]);
  out.close('}');
  json_slow(track, report, out);
  out.open('[', "histogram");
  h.each([&](std::uint64_t lower, std::uint64_t count) {
    out.open('[');
    out.field(nullptr, timer.ns(lower));
    out.field(nullptr, count);
    out.close(']');
  });
  out.close(']');
  out.close('}');
}

void json_background(const Background& b, Out& out) {
  out.open('{', "background");
  out.field("seconds", b.seconds);
  out.field("interrupts_read", b.interrupts_read);
  out.field("counted", b.counted);
  out.field("interrupted", std::uint64_t{b.interrupted.n});
  out.field("unseen", std::uint64_t{b.unseen.n});
  if (b.unseen.n > 0) {
    out.field("unseen_per_sec", static_cast<double>(b.unseen.n) / b.seconds);
    out.field("unseen_shortest", b.unseen.shortest());
    out.field("unseen_median", b.unseen.median());
    out.field("unseen_longest", b.unseen.longest());
  }
  out.close('}');
}

void json_violation(const char* key, const Verdict::Violation& v, const Timer& timer, Out& out) {
  if (v.what == Verdict::What::kNone) return;
  out.open('{', key);
  out.field("what", what_name(v.what));
  out.field("call", kind_name(v.call.kind));
  json_call(v.call, timer, out);
  out.close('}');
}

void json_rt(const Cell& cell, const Timer& timer, Out& out) {
  const Verdict& v = cell.verdict;
  out.open('{', "rt");
  out.field("limit", cell.plan.rt_ns);
  out.field("passed", v.passed());
  out.field("passed_allocator", v.passed_allocator());
  out.field("faults", v.faults);
  out.field("late", v.late);
  out.field("late_own", v.blamed[Verdict::kAllocator]);
  out.field("late_machine", v.blamed[Verdict::kMachine]);
  out.field("late_unexplained", v.blamed[Verdict::kNobody]);
  out.field("nulls", v.nulls);
  if (!v.passed()) out.field("what", what_name(v.first.what));
  json_violation("first", v.first, timer, out);
  json_violation("first_own", v.first_own, timer, out);
  json_violation("first_unexplained", v.first_nobodys, timer, out);
  out.close('}');
}

void json_cell(const Cell& cell, const LatencyReport& report, Out& out) {
  const CellPlan& plan = cell.plan;
  out.open('{');
  out.field("size", std::uint64_t{plan.size});
  out.field("pattern", pattern_name(plan.pattern));
  out.field("threads", std::uint64_t{plan.threads});
  out.field("pinned", cell.pinned);
  out.field("oversubscribed", plan.threads > usable_cpus(plan.pin_anew));
  out.field("slots", std::uint64_t{plan.slots});
  out.field("operations", plan.operations);
  out.field("warmup", plan.warmup);
  if (cell.skipped != nullptr) {
    out.field("skipped", cell.skipped);
    out.close('}');
    return;
  }
  out.field("nulls", cell.nulls);
  if (cell.nulls != 0) out.field("invalid", "malloc returned NULL");
  out.field("faults_outside", cell.faults_outside);
  out.open('[', "calls");
  for (Kind k : kAllKinds) json_track(k, cell.track(k), report, out);
  out.close(']');
  if (plan.rt_ns > 0) json_rt(cell, report.timer, out);
  out.close('}');
}

}  // namespace

void print_latency_json(const LatencyReport& report, Out& out) {
  out.open('{');
  out.field("mode", "latency");
  out.field("schema", std::uint64_t{2});
  out.field("seed", report.options.seed);
  out.open('{', "timer");
  out.field("name", kTimerName);
  out.field("ns_per_tick", report.timer.ns_per_tick);
  out.field("resolution_ns", report.timer.resolution_ns);
  out.field("steady", report.timer.steady);
  out.close('}');
  out.field("cheapest_event_ns", report.cheapest_event_ns);
  out.field("counters_missing", CounterReader::missing());
  out.field("replay", report.replay);
  json_background(report.background, out);
  out.open('[', "cells");
  for (std::size_t c = 0; c < report.n_cells; ++c) json_cell(*report.cells[c], report, out);
  out.close(']');
  out.close('}');
  out.print("\n");
}

}  // namespace malloc_bench

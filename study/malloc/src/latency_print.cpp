// A latency report as text and as Go benchmark lines; as JSON in latency_json.cpp.
#include <algorithm>
#include <cstdio>

#include "latency.h"
#include "latency_print.h"
#include "out.h"

namespace malloc_bench {
namespace {

void gobench_cell(const Cell& cell, const LatencyReport& report, Out& out) {
  const CellPlan& plan = cell.plan;
  if (cell.skipped != nullptr) return;
  for (Kind k : kAllKinds) {
    const Track& track = cell.track(k);
    const Histogram& h = track.histogram;
    const Timer& timer = report.timer;
    if (h.count() == 0) continue;
    const Tally tally(track, report.timer, report.cheapest_event_ns);
    out.print("BenchmarkLatency/call=%s/size=%zu/pattern=%s/threads=%u %llu %.4g mean-ns %.4g min-ns", kind_name(k),
              plan.size, pattern_name(plan.pattern), plan.threads, static_cast<unsigned long long>(h.count()),
              h.mean() * timer.ns_per_tick, timer.ns(h.min()));
    for (const Percentile& p : kPercentiles) out.print(" %.5g %s-ns", timer.ns(h.quantile(p.per100k)), p.name);
    out.print(" %.0f max-ns %llu nulls %llu minor-faults %llu major-faults %llu slow-calls %llu slow-explained "
              "%llu slow-by-counter %llu slow-cold %llu slow-host %llu slow-stopped %llu slow-own %llu slow-misses "
              "%llu slow-outside",
              timer.ns(h.max()), static_cast<unsigned long long>(k == Kind::kMalloc ? cell.nulls : 0),
              static_cast<unsigned long long>(track.minor_faults), static_cast<unsigned long long>(track.major_faults),
              static_cast<unsigned long long>(tally.slow), static_cast<unsigned long long>(tally.explained()),
              static_cast<unsigned long long>(tally.by_counter), static_cast<unsigned long long>(tally.cold),
              static_cast<unsigned long long>(tally.host), static_cast<unsigned long long>(tally.stopped),
              static_cast<unsigned long long>(tally.own), static_cast<unsigned long long>(tally.misses),
              static_cast<unsigned long long>(tally.outside));
    if (plan.rt_ns > 0)
      out.print(" %d rt-passed %d rt-passed-allocator", cell.verdict.passed(), cell.verdict.passed_allocator());
    out.print("\n");
  }
}

// 830 ns, 1.25 us, 30.1 ms: three figures.
struct Span {
  char text[24];
  explicit Span(double ns) {
    const double scale = ns < 999.5 ? 1 : ns < 999.5e3 ? 1e3 : ns < 999.5e6 ? 1e6 : 1e9;
    std::snprintf(text, sizeof text, "%.3g %s", ns / scale,
                  scale == 1     ? "ns"
                  : scale == 1e3 ? "us"
                  : scale == 1e6 ? "ms"
                                 : "s");
  }
};

void text_slow(Kind kind, const Track& track, const LatencyReport& report, Out& out) {
  if (track.slow.size() == 0) return;
  const Tally tally(track, report.timer, report.cheapest_event_ns);
  const SlowCall& worst = *track.slow.begin();
  out.print("  slowest %s: %s at operation %llu, %s\n", kind_name(kind), Span(report.timer.ns(worst.ticks)).text,
            static_cast<unsigned long long>(worst.index), cause_name(worst.cause));
  const auto n = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
  out.print("    slowest %llu:", n(tally.kept));
  for (int c = 0; c < kCauses; ++c)
    if (tally.by[c] != 0) out.print(" %s %llu", cause_name(static_cast<Cause>(c)), n(tally.by[c]));
  out.print("; %llu ordinary, %llu slow", n(tally.ordinary), n(tally.slow));
  if (tally.slow != 0)
    out.print(": %llu explained (%.0f%%: %llu by a counter, %llu cold, %llu host, %llu stopped), %llu own, %llu "
              "misses, %llu outside, %llu unknown", n(tally.explained()),
              100 * tally.explained_share(), n(tally.by_counter), n(tally.cold),
              n(tally.host), n(tally.stopped), n(tally.own), n(tally.misses), n(tally.outside), n(tally.unknown));
  if (tally.usual != 0) out.print("; %llu of those by a counter by what most calls do", n(tally.usual));
  out.print("\n");
}

void text_violation(const char* word, const Verdict::Violation& v, const Cell& cell, const Timer& timer, Out& out) {
  const SlowCall& call = v.call;
  out.print("%s at operation %llu: %s of %llu bytes ", word, static_cast<unsigned long long>(call.index),
            kind_name(call.kind), static_cast<unsigned long long>(call.size));
  if (v.what == Verdict::What::kNull)
    out.print("returned NULL");
  else if (v.what == Verdict::What::kFault)
    out.print("took %lld page faults (%s, %s)",
              static_cast<long long>(call.moved.minor_faults + call.moved.major_faults),
              Span(timer.ns(call.ticks)).text,
              cause_name(call.cause));
  else
    out.print("took %s, more than %s (%s)", Span(timer.ns(call.ticks)).text, Span(cell.plan.rt_ns).text,
              cause_name(call.cause));
}

void text_rt(const Cell& cell, const LatencyReport& report, Out& out) {
  const Verdict& v = cell.verdict;
  const auto n = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
  if (v.passed()) {
    const std::uint64_t worst =
        std::max(cell.track(Kind::kMalloc).histogram.max(), cell.track(Kind::kFree).histogram.max());
    out.print("  real time: passed: 0 faults and at most %s (limit %s) in %llu operations\n",
              Span(report.timer.ns(worst)).text, Span(cell.plan.rt_ns).text, n(cell.plan.operations));
    return;
  }
  text_violation("  real time: broken", v.first, cell, report.timer, out);
  out.print("\n    of %llu operations %llu with faults, %llu late (%llu by the allocator, %llu by the machine, %llu "
            "by nobody knows what), %llu NULL\n",
            n(cell.plan.operations * cell.plan.threads), n(v.faults), n(v.late), n(v.blamed[Verdict::kAllocator]),
            n(v.blamed[Verdict::kMachine]), n(v.blamed[Verdict::kNobody]), n(v.nulls));
  if (v.passed_allocator() && v.blamed[Verdict::kNobody] > 0)
    text_violation("    whether the allocator itself passed is not known: first", v.first_nobodys, cell, report.timer,
        out), out.print("\n");
  else if (v.passed_allocator())
    out.print("    the allocator itself passed\n");
  else
    text_violation("    first by the allocator", v.first_own, cell, report.timer, out), out.print("\n");
}

void text_background(const Background& b, Out& out) {
  if (!(b.seconds > 0)) return;
  const auto n = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
  out.print("background: an empty loop was stopped in %s %llu times with a counter's moving, ",
      Span(b.seconds * 1e9).text, n(b.counted));
  if (!b.interrupts_read) {
    out.print("%llu without; /proc/interrupts cannot be read, so that nothing is said to be the host\n",
        n(b.uncounted()));
    return;
  }
  out.print("%llu by interrupts that no counter tells, %llu unseen", n(b.interrupted.n), n(b.unseen.n));
  if (b.unseen.n > 0) {
    out.print(" (%.3g a second, ", static_cast<double>(b.unseen.n) / b.seconds);
    out.print("%s to ", Span(b.unseen.shortest()).text);
    out.print("%s, median ", Span(b.unseen.longest()).text);
    out.print("%s): the host or the firmware", Span(b.unseen.median()).text);
  }
  out.print("\n");
}

void text_cell(const Cell& cell, const LatencyReport& report, Out& out) {
  const CellPlan& plan = cell.plan;
  out.print("%zu bytes, pattern %s, %u thread%s%s, %llu operations", plan.size, pattern_name(plan.pattern),
            plan.threads, plan.threads == 1 ? "" : "s", cell.pinned ? " (pinned)" : "",
            static_cast<unsigned long long>(plan.operations));
  if (cell.skipped != nullptr) {
    out.print(": skipped, %s\n", cell.skipped);
    return;
  }
  out.print("\n  ns        %12s %7s", "calls", "min");
  for (const Percentile& p : kPercentiles) out.print(" %8s", p.name);
  out.print(" %9s\n", "max");
  for (Kind k : kAllKinds) {
    const Histogram& h = cell.track(k).histogram;
    out.print("  %-9s %12llu %7.0f", kind_name(k), static_cast<unsigned long long>(h.count()),
              report.timer.ns(h.min()));
    for (const Percentile& p : kPercentiles) out.print(" %8.0f", report.timer.ns(h.quantile(p.per100k)));
    out.print(" %9.0f\n", report.timer.ns(h.max()));
  }
  if (cell.nulls != 0)
    out.print("  INVALID: malloc returned NULL %llu times\n", static_cast<unsigned long long>(cell.nulls));
  for (Kind k : {Kind::kMalloc, Kind::kTouch, Kind::kFree}) text_slow(k, cell.track(k), report, out);
  if (plan.rt_ns > 0) text_rt(cell, report, out);
}

}  // namespace

void print_latency(const LatencyReport& report, Out& out) {
  if (report.options.format == Format::kJson) {
    print_latency_json(report, out);
  } else if (report.options.format == Format::kGobench) {
    for (std::size_t c = 0; c < report.n_cells; ++c) gobench_cell(*report.cells[c], report, out);
  } else {
    out.print("timer %s, resolution %s; seed %llu; replay of unexplained calls: %s\n", kTimerName,
              Span(report.timer.resolution_ns).text, static_cast<unsigned long long>(report.options.seed),
              report.replay);
    text_background(report.background, out);
    for (std::size_t c = 0; c < report.n_cells; ++c) text_cell(*report.cells[c], report, out);
  }
  out.flush();
}

}  // namespace malloc_bench

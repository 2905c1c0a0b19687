#include "latency_record.h"

namespace malloc_bench {
namespace {

bool slower(const SlowCall& a, const SlowCall& b) noexcept { return a.ticks > b.ticks; }

std::uint64_t count(std::int64_t n) noexcept { return n > 0 ? static_cast<std::uint64_t>(n) : 0; }

}  // namespace

const char* kind_name(Kind k) noexcept {
  static constexpr const char* kNames[kKinds] = {"empty", "malloc", "touch", "free"};
  return kNames[static_cast<int>(k)];
}

const char* what_name(Verdict::What w) noexcept {
  static constexpr const char* kNames[] = {"none", "fault", "latency", "null"};
  return kNames[static_cast<int>(w)];
}

void SlowList::add(const SlowCall& call) noexcept {
  if (n_ == kMost) {
    if (call.ticks <= calls_[0].ticks) return;
    std::pop_heap(begin(), end(), slower);
    --n_;
  }
  calls_[n_++] = call;
  std::push_heap(begin(), end(), slower);
}

void SlowList::sort() noexcept { std::sort(begin(), end(), slower); }

void Track::merge(const Track& other) noexcept {
  histogram.merge(other.histogram);
  for (const SlowCall& call : other.slow) slow.add(call);
  reads += other.reads;
  for (int i = 0; i < kCauses; ++i) by_cause[i] += other.by_cause[i];
  minor_faults += other.minor_faults;
  major_faults += other.major_faults;
  cold += other.cold;
}

void Verdict::merge(const Verdict& other) noexcept {
  if (other.first.before(first)) first = other.first;
  if (other.first_own.before(first_own)) first_own = other.first_own;
  if (other.first_nobodys.before(first_nobodys)) first_nobodys = other.first_nobodys;
  if (other.beyond.before(beyond)) beyond = other.beyond;
  faults += other.faults;
  late += other.late;
  nulls += other.nulls;
  for (int b = 0; b < kBlames; ++b) blamed[b] += other.blamed[b];
  for (std::size_t i = 0; i < other.n_open; ++i) {
    if (n_open < kMostOpen) {
      open[n_open++] = other.open[i];
    } else if (const Violation v{What::kLatency, other.open[i]}; v.before(beyond)) {
      beyond = v;
    }
  }
}

void Verdict::settle() noexcept {
  const auto same = [](const SlowCall& a, const SlowCall& b) { return a.thread == b.thread && a.index == b.index; };
  for (std::size_t i = 0, next; i < n_open; i = next) {
    Blame blame = kMachine;
    for (next = i; next < n_open && same(open[next], open[i]); ++next) {
      const Violation v{What::kLatency, open[next]};
      if (unexplained(open[next].cause)) {
        blame = std::max(blame, kNobody);
        if (v.before(first_nobodys)) first_nobodys = v;
      } else if (by_allocator(open[next].cause)) {
        blame = kAllocator;
        if (v.before(first_own)) first_own = v;
      }
    }
    --blamed[kOpen], ++blamed[blame];
  }
  if (blamed[kOpen] > 0 && beyond.before(first_own)) first_own = beyond;
  blamed[kAllocator] += blamed[kOpen];
  blamed[kOpen] = 0;
  n_open = 0;
}

Recorder::Recorder(const Timer& timer, double cheapest_event_ns, double rt_ns, std::uint16_t thread) noexcept
    : event_ticks_(timer.ticks(cheapest_event_ns)),
      timer_(timer),
      event_ns_(cheapest_event_ns),
      rt_ticks_(rt_ns > 0 ? std::max<std::uint64_t>(1, timer.ticks(rt_ns)) : 0),
      thread_(thread) {
  trip_ticks_ = rt_ticks_ != 0 ? std::min(event_ticks_, rt_ticks_) : event_ticks_;
}

void Recorder::start() noexcept {
  // The usual time of a reading, to recognise a disturbed one: the shortest of a few,
  // and as much again.
  std::uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t from = ticks_begin();
    reader_.read(before_);
    shortest = std::min(shortest, ticks_end() - from);
  }
  read_ticks_ = 2 * shortest;
  start_ = ticks_begin();
  read(before_);
}

// Reads the counters. A switch or an interrupt in the middle of the reading would be
// charged to the next call, so that a disturbed reading is repeated.
void Recorder::read(Counters& now) noexcept {
  for (int tries = 0; tries < 5; ++tries) {
    const std::uint64_t from = ticks_begin();
    reader_.read(now);
    last_ = ticks_end();
    tick_ = CounterReader::tick();
    if (last_ - from <= read_ticks_) return;
  }
}

// The time since the last call was long enough for something to have happened that
// belongs to no call.
void Recorder::refresh() noexcept {
  Counters now;
  read(now);
  const Counters moved = now - before_;
  faults_outside_ += count(moved.minor_faults + moved.major_faults);
  before_ = now;
  cold_ = ~0u;
}

void Recorder::keep(Track& track, Kind kind, std::uint64_t index, std::uint64_t size, std::uint64_t from,
                    std::uint64_t took, bool ticked, bool cold) noexcept {
  SlowCall call;
  call.ticks = took;
  call.index = index;
  call.at = from - start_;
  call.size = size;
  call.thread = thread_;
  call.kind = kind;
  call.ticked = ticked;
  call.cold = cold;
  if (took >= event_ticks_) {
    Counters now;
    read(now);
    call.read = true;
    call.moved = now - before_;
    before_ = now;
    cold_ = ~0u;
    ++track.reads;
    const Cause moved = classify({timer_.ns(took), true, call.moved, ticked}, {event_ns_, 0});
    ++track.by_cause[static_cast<int>(moved)];
    track.minor_faults += count(call.moved.minor_faults);
    track.major_faults += count(call.moved.major_faults);
  }
  if (rt_ticks_ != 0 && kind != Kind::kEmpty) judge(call);
  if (index >= watch_index_) watched(call);
  if (took > track.slow.limit()) track.slow.add(call);
  last_ = ticks_end();
}

void Recorder::judge(const SlowCall& call) noexcept {
  const bool fault = call.moved.minor_faults + call.moved.major_faults > 0;
  // The first touch is the caller's own work, as long as it does not fault.
  const bool is_late = call.kind != Kind::kTouch && call.ticks > rt_ticks_;
  if (!fault && !is_late) return;
  const Verdict::Violation v{fault ? Verdict::What::kFault : Verdict::What::kLatency, call};
  if (verdict_.passed()) verdict_.first = v;
  if (fault) {
    verdict_.faults += fault_op_ != call.index;
    fault_op_ = call.index;
    if (verdict_.first_own.what == Verdict::What::kNone) verdict_.first_own = v;
  }
  if (is_late) late(call);
}

// Counts a late operation once, for whichever of its calls is blamed most.
void Recorder::late(const SlowCall& call) noexcept {
  const Cause cause = classify({timer_.ns(call.ticks), call.read, call.moved, call.ticked}, {event_ns_, 0});
  const Verdict::Blame blame = !by_counter(cause) ? Verdict::kOpen : by_allocator(cause) ? Verdict::kAllocator
      : Verdict::kMachine;
  const Verdict::Violation v{Verdict::What::kLatency, call};
  if (late_op_ != call.index) {
    late_op_ = call.index;
    blame_ = blame;
    ++verdict_.late, ++verdict_.blamed[blame];
  } else if (blame > blame_) {
    --verdict_.blamed[blame_], ++verdict_.blamed[blame];
    blame_ = blame;
  }
  if (blame == Verdict::kAllocator) {
    // Its other calls need not be settled any more.
    while (verdict_.n_open > 0 && verdict_.open[verdict_.n_open - 1].index == call.index) --verdict_.n_open;
    if (verdict_.first_own.what == Verdict::What::kNone) verdict_.first_own = v;
  } else if (blame == Verdict::kOpen && blame_ == Verdict::kOpen) {
    if (verdict_.n_open < Verdict::kMostOpen)
      verdict_.open[verdict_.n_open++] = call;
    else if (verdict_.beyond.what == Verdict::What::kNone)
      verdict_.beyond = v;
  }
}

void Recorder::null(std::uint64_t index, std::uint64_t size) noexcept {
  ++nulls_;
  ++verdict_.nulls;
  Verdict::Violation v{Verdict::What::kNull, {}};
  v.call.index = index;
  v.call.size = size;
  v.call.kind = Kind::kMalloc;
  v.call.thread = thread_;
  v.call.at = ticks_begin() - start_;
  if (verdict_.passed()) verdict_.first = v;
  if (verdict_.first_own.what == Verdict::What::kNone) verdict_.first_own = v;
}

void Recorder::watch(Watched* from, Watched* to) noexcept {
  next_ = from;
  end_ = to;
  watch_index_ = next_ != end_ ? next_->index : UINT64_MAX;
}

void Recorder::watched(const SlowCall& call) noexcept {
  while (next_ != end_ && next_->index < call.index) ++next_;
  watch_index_ = next_ != end_ ? next_->index : UINT64_MAX;
  for (Watched* w = next_; w != end_ && w->index == call.index; ++w) {
    if (w->kind != call.kind) continue;
    const Cause moved = classify({timer_.ns(call.ticks), call.read, call.moved, call.ticked}, {event_ns_, 0});
    w->replay = {true, by_counter(moved), timer_.ns(call.ticks)};
  }
}

}  // namespace malloc_bench

// The classifier on counters that are known, and the reader on events that are made.
// Run without arguments; exit status 1 on a failure.
#include "../src/cause.h"
#include "../src/latency_print.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>

using namespace malloc_bench;

namespace {

int failures = 0;
constexpr Typical kTypical{500, 30};

void check(const char* what, Cause got, Cause want) {
  if (got == want) return;
  std::printf("FAIL %s: %s, want %s\n", what, cause_name(got), cause_name(want));
  ++failures;
}

void check_rules() {
  const auto moved = [](auto set) {
    Call call{10'000, true, {}, false};
    set(call);
    return classify(call, kTypical);
  };
  check("involuntary before all",
        moved([](Call& c) { c.moved.involuntary = 1, c.moved.voluntary = 1, c.moved.vm = 4, c.ticked = true; }),
        Cause::kPreempted);
  check("voluntary", moved([](Call& c) { c.moved.voluntary = 1, c.moved.brk = 4096; }), Cause::kBlocked);
  check("major before brk", moved([](Call& c) { c.moved.major_faults = 1, c.moved.brk = 4096; }), Cause::kMajorFault);
  check("brk before mmap and faults",
        moved([](Call& c) { c.moved.brk = -4096, c.moved.vm = -1, c.moved.minor_faults = 2; }), Cause::kBrk);
  check("mmap", moved([](Call& c) { c.moved.vm = 8, c.moved.data = 8, c.moved.minor_faults = 2; }), Cause::kMmap);
  check("munmap", moved([](Call& c) { c.moved.vm = -8, c.moved.resident = -8; }), Cause::kMunmap);
  check("mprotect", moved([](Call& c) { c.moved.data = 33, c.moved.minor_faults = 1; }), Cause::kProtect);
  check("madvise", moved([](Call& c) { c.moved.resident = -8; }), Cause::kMadvise);
  check("minor fault before tick",
        moved([](Call& c) { c.moved.minor_faults = 1, c.moved.resident = 1, c.ticked = true; }), Cause::kMinorFault);
  check("tick", moved([](Call& c) { c.ticked = true; }), Cause::kTick);
  check("stolen", moved([](Call& c) { c.moved.wall_ns = 10'400, c.moved.cpu_ns = 2'000; }), Cause::kStolen);
  check("nothing moved", moved([](Call& c) { c.moved.wall_ns = 10'400, c.moved.cpu_ns = 10'300; }), Cause::kUnknown);
  check("shorter than any event", classify({400, false, {}, false}, kTypical), Cause::kOrdinary);
  check("usual for its kind", classify({900, true, {}, false}, {500, 600}), Cause::kOrdinary);
  check("usual for its kind, and a counter moved", classify({900, true, {1}, false}, {500, 600}), Cause::kMinorFault);
  check("twice the median", classify({1'201, true, {}, false}, {500, 600}), Cause::kUnknown);

  check("replay as slow", settle(Cause::kUnknown, 1000, {true, false, 800}, kTypical), Cause::kOwn);
  check("replay fast", settle(Cause::kUnknown, 1000, {true, false, 100}, kTypical), Cause::kOutside);
  check("replay fast, and too short for an event", settle(Cause::kUnknown, 999, {true, false, 100}, kTypical),
      Cause::kMisses);
  check("as short, and slow again", settle(Cause::kUnknown, 999, {true, false, 800}, kTypical), Cause::kOwn);
  check("replay fast, cost of events unknown", settle(Cause::kUnknown, 999, {true, false, 100}, {}), Cause::kOutside);
  check("replay disturbed", settle(Cause::kUnknown, 1000, {true, true, 900}, kTypical), Cause::kUnknown);
  check("no replay", settle(Cause::kUnknown, 1000, {}, kTypical), Cause::kUnknown);
  check("a counter stands", settle(Cause::kBrk, 1000, {true, false, 10}, kTypical), Cause::kBrk);
}

// Calls behind a stop: shown where they are the rare ones, and not where all are, or
// where chance does as much.
void check_cold() {
  const auto is = [](const char* what, bool got, bool want) {
    if (got != want) std::printf("FAIL cold, %s: %d, want %d\n", what, got, want), ++failures;
  };
  is("ten of twenty, of one in 10,000", cold_explains(10, 20, 100, 1'000'000), true);
  is("one of twenty, of one in 10,000", cold_explains(1, 20, 100, 1'000'000), false);
  is("none", cold_explains(0, 20, 100, 1'000'000), false);
  is("all calls are behind a stop", cold_explains(20, 20, 2000, 2000), false);
  is("as many as by chance", cold_explains(10, 20, 1000, 2000), false);
  is("no call", cold_explains(0, 0, 0, 0), false);

  // 1 - (1-p)^n, and the sum of all terms but the first two of a fair coin's ten throws
  const auto near = [](const char* what, double got, double want) {
    if (std::abs(got - want) > 1e-9 * want)
      std::printf("FAIL binomial tail, %s: %g, want %g\n", what, got, want), ++failures;
  };
  near("at least one of 50", binomial_tail(1, 50, 0.01), 1 - std::pow(0.99, 50));
  near("two or more of ten", binomial_tail(2, 10, 0.5), 1 - 11.0 / 1024);
  near("all of a thousand", binomial_tail(1000, 1000, 0.999), std::pow(0.999, 1000));
  near("far below what is usual", binomial_tail(1, 5000, 0.9), 1);
  near("none or more", binomial_tail(0, 0, 0.5), 1);
}

// Calls of every cause, slow and ordinary: only the slow ones of which a counter moved,
// or that a control shows, are explained.
void check_tally() {
  Track& track = *new Track;
  for (int i = 0; i < 100; ++i) track.histogram.record(30);
  track.by_cause[static_cast<int>(Cause::kMmap)] = 60;  // most calls of the kind map
  for (int cause = 0; cause < kCauses; ++cause)
    for (const std::uint64_t ticks : {std::uint64_t{400}, std::uint64_t{10'000}}) {
      SlowCall call;
      call.ticks = ticks;
      call.cause = static_cast<Cause>(cause);
      if (call.cause != Cause::kOrdinary || ticks == 400) track.slow.add(call);
    }
  const Tally tally(track, Timer{}, kTypical.cheapest_event_ns);
  const auto is = [](const char* what, std::uint64_t got, std::uint64_t want) {
    if (got == want) return;
    std::printf("FAIL tally, %s: %llu, want %llu\n", what, static_cast<unsigned long long>(got),
        static_cast<unsigned long long>(want));
    ++failures;
  };
  is("kept", tally.kept, 2 * kCauses - 1);
  is("ordinary", tally.ordinary, kCauses);
  is("slow", tally.slow, kCauses - 1);
  is("own", tally.own, 1);
  is("misses", tally.misses, 1);
  is("outside", tally.outside, 1);
  is("unknown", tally.unknown, 1);
  is("cold", tally.cold, 1);
  is("host", tally.host, 1);
  is("stopped", tally.stopped, 1);
  is("by a counter", tally.by_counter, kCauses - 8);
  is("explained", tally.explained(), kCauses - 5);
  is("usual", tally.usual, 1);
  delete &track;
}

#if defined(__linux__)

// Returns the counters' answer on f. Switches of a busy machine are left out: they are
// right, but not what is tested.
template <typename F>
Cause made(CounterReader& reader, F f) {
  Counters before, after;
  reader.read(before);
  f();
  reader.read(after);
  Call call{1e9, true, after - before, false};
  call.moved.involuntary = 0;
  return classify(call, kTypical);
}

void check_reader() {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  CounterReader reader;
  char* map = nullptr;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  check("made: mmap",
        made(reader,
             [&] {
               map = static_cast<char*>(
                   mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
             }),
        Cause::kMmap);
  madvise(map, kBytes, MADV_NOHUGEPAGE);
  check("made: fault", made(reader, [&] { static_cast<volatile char*>(map)[page] = 1; }), Cause::kMinorFault);
  std::memset(map, 1, kBytes);
  check("made: madvise", made(reader, [&] { madvise(map, kBytes, MADV_DONTNEED); }), Cause::kMadvise);
  check("made: mprotect", made(reader, [&] { mprotect(map, kBytes / 2, PROT_READ); }), Cause::kProtect);
  check("made: munmap", made(reader, [&] { munmap(map, kBytes); }), Cause::kMunmap);
  check("made: brk",
        made(reader,
             [&] {
               if (sbrk(static_cast<std::intptr_t>(page)) == nullptr) ++failures;
             }),
        Cause::kBrk);
  check("made: sleep",
        made(reader,
             [] {
               const timespec wait{0, 1'000'000};
               nanosleep(&wait, nullptr);
             }),
        Cause::kBlocked);
  const std::uint64_t tick = CounterReader::tick();
  const timespec wait{0, 50'000'000};  // longer than a tick of any kernel (HZ >= 100), asleep or not
  nanosleep(&wait, nullptr);
  if (CounterReader::tick() == tick) std::printf("FAIL the tick stood still for 50 ms\n"), ++failures;
}

#else
void check_reader() {}
#endif

}  // namespace

int main() {
  check_rules();
  check_cold();
  check_tally();
  check_reader();
  const Timer timer = calibrate_timer();
  const double event = CounterReader::cheapest_event_ns(timer);
  std::printf("%.4f ns per tick, resolution %.1f ns, cheapest event %.0f ns\n", timer.ns_per_tick, timer.resolution_ns,
              event);
  if (timer.ns_per_tick <= 0 || timer.resolution_ns <= 0) ++failures;
  if (failures == 0) std::printf("ok   cause\n");
  return failures == 0 ? 0 : 1;
}

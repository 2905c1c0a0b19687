// The rules on stops and calls that are made up, /proc/interrupts as text, and the
// watching on this machine. Run without arguments; exit status 1 on a failure.
#include "../src/background.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>

using namespace malloc_bench;

namespace {

int failures = 0;

void is(const char* what, Cause got, Cause want) {
  if (got == want) return;
  std::printf("FAIL %s: %s, want %s\n", what, cause_name(got), cause_name(want));
  ++failures;
}

void is(const char* what, bool got, bool want) {
  if (got == want) return;
  std::printf("FAIL %s: %d, want %d\n", what, got, want);
  ++failures;
}

// 100 stops of 2 to 20 us without a counter, in one second, and one of 50 us.
Background& machine(std::size_t interrupted) {
  static Background b;
  b = Background{};
  b.seconds = 1;
  b.interrupts_read = true;
  for (int i = 0; i < 100; ++i) b.unseen.add(2000 + 180 * i);
  b.unseen.add(50'000);
  for (std::size_t i = 0; i < interrupted; ++i) b.interrupted.add(5000);
  return b;
}

// The cause of n calls of such a length, in so many seconds inside calls.
Cause of(const Background& b, std::size_t n, double ns, double seconds) {
  static double calls[1000];
  std::fill_n(calls, n, ns);
  return background_cause(b, calls, n, seconds);
}

void check_rule() {
  const Background& quiet = machine(10);
  is("as many as expected", of(quiet, 5, 3000, 0.05), Cause::kHost);
  is("none counted: nothing is shown", of(quiet, 0, 0, 0.05), Cause::kOutside);
  is("somewhat more than expected", of(quiet, 10, 3000, 0.05), Cause::kHost);
  is("four times as many as expected", of(quiet, 20, 3000, 0.05), Cause::kOutside);
  is("as many, but all as long as the longest", of(quiet, 5, 60'000, 0.05), Cause::kOutside);
  is("one as long as the longest", of(quiet, 1, 60'000, 0.05), Cause::kHost);
  is("longer than twice the longest", of(quiet, 1, 101'000, 0.05), Cause::kOutside);
  is("no time inside calls", of(quiet, 1, 3000, 0), Cause::kOutside);
  const double one_too_long[] = {60'000, 55'000, 52'000, 3000, 3000};
  is("the long ones are too many, the short ones stay with them", background_cause(quiet, one_too_long, 5, 0.05),
      Cause::kOutside);

  is("like: within", like_background(quiet, 1000), true);
  is("like: twice the longest", like_background(quiet, 100'000), true);
  is("like: too long", like_background(quiet, 100'001), false);
  is("like: too short", like_background(quiet, 999), false);

  is("some interrupts among the stops", of(machine(30), 5, 3000, 0.05), Cause::kStopped);
  Background& blind = machine(10);
  blind.interrupts_read = false;
  is("interrupts cannot be read", of(blind, 5, 3000, 0.05), Cause::kOutside);
  is("like: interrupts cannot be read", like_background(blind, 3000), false);
  Background& seen = machine(10);
  seen.unseen.n = 0;
  is("no unseen stops", of(seen, 5, 3000, 0.05), Cause::kOutside);
  is("like: no unseen stops", like_background(seen, 5000), false);
  static const Background none{};
  is("not watched", of(none, 1, 3000, 0.05), Cause::kOutside);

  // The fewer stops, the less is known of their rate: 10 a second by 100 or by 1.
  Background& brief = machine(0);
  brief.seconds = 0.1, brief.unseen.n = 1;
  Background& long_one = brief;
  is("one stop in 0.1 s, 3 calls in 0.05 s", of(brief, 3, 3000, 0.05), Cause::kHost);
  long_one.seconds = 10, long_one.unseen.n = 100;
  is("100 stops in 10 s, 8 calls in 0.05 s", of(long_one, 8, 3000, 0.05), Cause::kOutside);
}

// Returns the sum of a processor's column, of text that is fed in pieces of every size;
// -1: none.
long long column(const char* text, int cpu) {
  long long first = -2;
  for (std::size_t piece = 1; piece <= std::strlen(text); ++piece) {
    InterruptSum sum(cpu);
    for (std::size_t at = 0; at < std::strlen(text); at += piece)
      sum.feed(text + at, std::min(piece, std::strlen(text) - at));
    std::uint64_t total = 0;
    const long long got = sum.sum(total) ? static_cast<long long>(total) : -1;
    if (first == -2) first = got;
    if (got != first)
      std::printf("FAIL /proc/interrupts in pieces of %zu: %lld, in one of 1: %lld\n", piece, got, first), ++failures;
  }
  return first;
}

void check_interrupts() {
  const auto sums = [](const char* what, const char* text, int cpu, long long want) {
    if (const long long got = column(text, cpu); got != want)
      std::printf("FAIL /proc/interrupts, %s: %lld, want %lld\n", what, got, want), ++failures;
  };
  static constexpr char kTwo[] =
      "           CPU0       CPU1       \n"
      "  0:          7          0   IO-APIC   2-edge      timer\n"
      " 24:          1         20  IO-APIC   5-edge      ACPI:Ged\n"
      " 36:          0    3123567 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\n"
      "NMI:          0          3   Non-maskable interrupts\n"
      "LOC:   35331869   33905021   Local timer interrupts\n"
      "ERR:       9000\n"
      "MIS:          2\n";
  sums("the first of two", kTwo, 0, 7 + 1 + 35'331'869);
  sums("the second of two", kTwo, 1, 20 + 3'123'567 + 3 + 33'905'021);
  sums("a processor that is not there", kTwo, 2, -1);
  static constexpr char kOne[] = "           CPU0       \n 1:  4294967295  GICv3  27 Level  arch_timer\nIPI0:  5  "
                                 "Rescheduling interrupts\nErr: 3\n";
  sums("one", kOne, 0, 4'294'967'303);
  static constexpr char kOffline[] =
      "            CPU0       CPU2       CPU10       CPU3\n"
      "  9:  18446744073709551615          2         30   4   IO-APIC   9-fasteoi   acpi\n"
      " 10:          10          20         300   40   8 9 10 devices\n";
  sums("offline processors have no column", kOffline, 2, 22);
  sums("as their numbers say", kOffline, 10, 330);
  sums("the last column, and not the figures of a name", kOffline, 3, 44);
  sums("an offline one", kOffline, 1, -1);
  sums("a counter as large as can be wraps", kOffline, 0, 9);
  sums("nothing", "", 0, -2);
  sums("only the head", "   CPU0   CPU1\n", 0, -1);
  sums("no table", "permission denied\n", 0, -1);
}

// A real machine: whatever it does, the figures agree with each other.
void check_watch() {
  static Background b;
  const Timer timer = calibrate_timer();
  const double event = CounterReader::cheapest_event_ns(timer);
  watch_background(b, timer, 0, 0.02);
  is("nothing is watched when no stop can be told", b.seconds > 0, false);
  watch_background(b, timer, event, 0.02);
  const double once = b.seconds;
  watch_background(b, timer, event, 0.02);
  std::printf("%.3f s: %llu counted, %zu interrupted, %zu unseen, interrupts %s\n", b.seconds,
      static_cast<unsigned long long>(b.counted),
              b.interrupted.n, b.unseen.n, b.interrupts_read ? "read" : "not read");
#if defined(__linux__)
  is("watched", once > 0, true);
  is("and added to", b.seconds > once, true);
  is("no longer than asked for", b.seconds < 0.0401, true);
#endif
  for (const Stops* stops : {&b.unseen, &b.interrupted}) {
    is("ascending", std::is_sorted(stops->ns, stops->ns + stops->n), true);
    is("none shorter than an event", stops->n == 0 || stops->shortest() > 0.99 * event, true);
  }
}

}  // namespace

int main() {
  check_rule();
  check_interrupts();
  check_watch();
  if (failures == 0) std::printf("ok   background\n");
  return failures == 0 ? 0 : 1;
}

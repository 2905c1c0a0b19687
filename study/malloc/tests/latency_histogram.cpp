// The histogram against sorted exact data: quantiles within 1.6%, and count,
// smallest, largest and mean exact. Run without arguments; exit status 1 on a failure.
#include "../src/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

using malloc_bench::Histogram;

namespace {

int failures = 0;

void fail(const char* data, const char* what, double got, double want) {
  std::printf("FAIL %s: %s is %.17g, want %.17g\n", data, what, got, want);
  ++failures;
}

// The quantile by nearest rank from sorted data, computed apart from Histogram's way.
std::uint64_t exact(const std::vector<std::uint64_t>& sorted, std::uint32_t per100k) {
  const unsigned __int128 product = static_cast<unsigned __int128>(sorted.size()) * per100k;
  std::size_t rank = static_cast<std::size_t>((product + 99'999) / 100'000);
  if (rank == 0) rank = 1;
  return sorted[rank - 1];
}

double relative(std::uint64_t got, std::uint64_t want) {
  if (got == want) return 0;
  return std::abs(static_cast<double>(got) - static_cast<double>(want)) / static_cast<double>(want);
}

void buckets(const char* data, const Histogram& h, const std::vector<std::uint64_t>& sorted) {
  std::uint64_t total = 0, last = 0;
  bool first = true;
  h.each([&](std::uint64_t lower, std::uint64_t count) {
    if (!first && lower <= last) fail(data, "bucket order", static_cast<double>(lower), static_cast<double>(last));
    first = false, last = lower, total += count;
    const std::uint64_t upper = Histogram::upper(Histogram::index(lower));
    const auto from = std::lower_bound(sorted.begin(), sorted.end(), lower);
    const auto to = std::upper_bound(sorted.begin(), sorted.end(), upper);
    if (static_cast<std::uint64_t>(to - from) != count)
      fail(data, "bucket count", static_cast<double>(count), static_cast<double>(to - from));
  });
  if (total != sorted.size())
    fail(data, "sum of buckets", static_cast<double>(total), static_cast<double>(sorted.size()));
}

void check(const char* data, std::vector<std::uint64_t> values) {
  auto whole = std::make_unique<Histogram>();
  auto left = std::make_unique<Histogram>(), right = std::make_unique<Histogram>();
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    whole->record(values[i]);
    (i % 3 ? *left : *right).record(values[i]);
    sum += static_cast<double>(values[i]);
  }
  left->merge(*right);
  std::sort(values.begin(), values.end());
  double worst = 0;
  for (const Histogram* h : {whole.get(), left.get()}) {
    if (h->count() != values.size())
      fail(data, "count", static_cast<double>(h->count()), static_cast<double>(values.size()));
    if (h->min() != values.front())
      fail(data, "min", static_cast<double>(h->min()), static_cast<double>(values.front()));
    if (h->max() != values.back()) fail(data, "max", static_cast<double>(h->max()), static_cast<double>(values.back()));
    if (h->quantile(100'000) != values.back())
      fail(data, "p100", static_cast<double>(h->quantile(100'000)), static_cast<double>(values.back()));
    if (values.back() < (std::uint64_t{1} << 40)) {  // beyond that the exact sum leaves 64 bits
      const double mean = sum / static_cast<double>(values.size());
      if (std::abs(h->mean() - mean) > 1e-9 * mean) fail(data, "mean", h->mean(), mean);
    }
    for (std::uint32_t q = 1; q <= 100'000; q += q < 100 || q > 99'900 ? 1 : 37) {
      const double error = relative(h->quantile(q), exact(values, q));
      worst = std::max(worst, error);
      if (error > 0.016) {
        fail(data, "quantile", static_cast<double>(h->quantile(q)), static_cast<double>(exact(values, q)));
        return;
      }
    }
    buckets(data, *h, values);
  }
  std::printf("ok   %-28s %8zu values, worst quantile error %.3f%%\n", data, values.size(), 100 * worst);
}

// Every bucket's bounds join without a gap, and each bound belongs to its own bucket.
void bounds() {
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
    const std::uint64_t low = Histogram::lower(i), high = Histogram::upper(i);
    if (Histogram::index(low) != i || Histogram::index(high) != i)
      fail("bounds", "index", static_cast<double>(Histogram::index(low)), static_cast<double>(i));
    if (i + 1 < Histogram::kBuckets && Histogram::lower(i + 1) != high + 1)
      fail("bounds", "gap after", static_cast<double>(high), static_cast<double>(i));
    if (low > 0 && static_cast<double>(high - low) > 0.016 * static_cast<double>(low))
      fail("bounds", "width", static_cast<double>(high - low), static_cast<double>(low));
  }
  if (Histogram::upper(Histogram::kBuckets - 1) != UINT64_MAX) fail("bounds", "last", 0, 1);
}

}  // namespace

int main() {
  bounds();
  std::mt19937_64 random(20261121);
  const auto draw = [&](std::size_t n, auto f) {
    std::vector<std::uint64_t> v(n);
    for (auto& x : v) x = f();
    return v;
  };
  check("one zero", {0});
  check("one largest", {UINT64_MAX});
  check("zero and largest", {0, UINT64_MAX});
  check("uniform 64 bits", draw(200'000, [&] { return random(); }));
  check("log-uniform", draw(200'000, [&] { return random() >> (random() % 64); }));
  std::lognormal_distribution<double> nanoseconds(3.5, 1.2);
  check("latency-like with stalls", draw(300'000, [&] {
          return static_cast<std::uint64_t>(nanoseconds(random)) +
                 (random() % 1000 == 0 ? 50'000 + random() % 1'000'000 : 0);
        }));
  std::vector<std::uint64_t> powers;
  for (int e = 0; e < 64; ++e)
    for (int d = -2; d <= 2; ++d) powers.push_back((std::uint64_t{1} << e) + static_cast<std::uint64_t>(d));
  check("powers of two, -2 to +2", powers);
  std::vector<std::uint64_t> edges;  // the values farthest from their bucket's middle
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i)
    edges.push_back(Histogram::lower(i)), edges.push_back(Histogram::upper(i));
  check("all bucket bounds", edges);
  check("two far apart, 1 in 10,000", draw(100'000, [&, i = 0]() mutable {
          return ++i % 10'000 == 0 ? std::uint64_t{987'654'321} : std::uint64_t{17};
        }));
  if (failures == 0) std::printf("ok   histogram\n");
  return failures == 0 ? 0 : 1;
}

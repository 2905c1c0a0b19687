#include "memory_run.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "cause.h"
#include "platform.h"
#include "random.h"

namespace malloc_bench {
namespace {

constexpr std::size_t kPerPhase = 64;  // looks in one phase, about
constexpr int kLives = 4;              // churn: how often a block is replaced

struct Block {
  char* bytes;
  std::size_t size;
};

class Run {
 public:
  Run(const MemoryPlan& plan, MemorySeries& series)
      : size_(plan.size),
        wanted_(plan.live),
        random_{plan.seed},
        series_(series),
        most_(static_cast<std::size_t>(plan.live) / std::max<std::size_t>(plan.size / 2, 1) + 2) {
    // Written before the baseline is taken: the list must not count as the blocks' memory.
    blocks_ = static_cast<Block*>(own_alloc(most_ * sizeof(Block)));
    std::memset(static_cast<void*>(blocks_), 1, most_ * sizeof(Block));
    new (&series_) MemorySeries{};
    from_ = now_ns();
    series_.baseline = resident_bytes();
  }
  ~Run() { own_free(blocks_); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void grow() {
    fill("grow", [&](std::size_t) { return size_; });
    shuffle();
    release("free half", n_ / 2);
    release("free rest", 0);
  }

  void fragment() {
    fill("grow", [&](std::size_t i) { return i % 2 == 0 ? size_ : std::max<std::size_t>(size_ / 2, 1); });
    free_size("free every other", size_);
    fill("larger blocks", [&](std::size_t) { return 2 * size_; });
    shuffle();
    release("free rest", 0);
  }

  void churn() {
    fill("grow", [&](std::size_t) { return random_size(); });
    const std::size_t rounds = kLives * n_;
    begin("churn", rounds);
    for (std::size_t i = 0; i < rounds; ++i) {
      Block& block = blocks_[random_.below(n_)];
      drop(block);
      take(block, random_size());
      look(i);
    }
    note();
    shuffle();
    release("free rest", 0);
  }

  void idle(double seconds) {
    timespec wait{};
    wait.tv_sec = static_cast<time_t>(seconds);
    wait.tv_nsec = static_cast<long>((seconds - static_cast<double>(wait.tv_sec)) * 1e9);
    nanosleep(&wait, nullptr);
    begin("idle", 1);
    note();
  }

 private:
  // -1: unknown. Uses a reader opened in this process: /proc/self of one that was opened
  // before a fork still refers to the parent.
  std::int64_t resident_bytes() {
    if (*CounterReader::missing() != '\0') return -1;
    Counters now;
    reader_.read(now);
    return now.resident * static_cast<std::int64_t>(platform::page_bytes());
  }

  std::size_t random_size() { return size_ - random_.below(size_ / 2); }

  void take(Block& block, std::size_t size) {
    block = {static_cast<char*>(std::malloc(size)), size};
    if (block.bytes == nullptr) {
      ++series_.nulls;
      block.size = 0;
      return;
    }
    std::memset(block.bytes, 1, size);
    used(block.bytes);
    live_ += static_cast<std::int64_t>(size);
  }

  void drop(Block& block) {
    live_ -= static_cast<std::int64_t>(block.size);
    std::free(block.bytes);
    block = {nullptr, 0};
  }

  // Blocks at the end of the list until the wanted bytes are alive. NULL ends it.
  template <typename Size>
  void fill(const char* phase, Size size) {
    begin(phase, static_cast<std::size_t>(wanted_ - live_) / size_ + 1);
    for (std::size_t i = 0; live_ < wanted_ && n_ < most_ && series_.nulls == 0; ++i) {
      take(blocks_[n_++], size(i));
      look(i);
    }
    note();
  }

  void free_size(const char* phase, std::size_t size) {
    begin(phase, n_);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      if (blocks_[i].size == size)
        drop(blocks_[i]);
      else
        blocks_[kept++] = blocks_[i];
      look(i);
    }
    n_ = kept;
    note();
  }

  void release(const char* phase, std::size_t left) {
    begin(phase, n_ - left);
    for (std::size_t i = 0; n_ > left; ++i) {
      drop(blocks_[--n_]);
      look(i);
    }
    note();
  }

  void shuffle() {
    for (std::size_t i = n_; i > 1; --i) std::swap(blocks_[i - 1], blocks_[random_.below(i)]);
  }

  void begin(const char* phase, std::size_t steps) {
    phase_ = phase;
    every_ = std::max<std::size_t>(steps / kPerPhase, 1);
  }
  void look(std::size_t step) {
    if (step % every_ == 0 && series_.n < MemorySeries::kMost - 8) note();  // room for each phase's end
  }
  void note() {
    if (series_.n < MemorySeries::kMost)
      series_.points[series_.n++] = {phase_, static_cast<double>(now_ns() - from_) / 1e9, live_,
                                     resident_bytes() - series_.baseline};
  }

  std::size_t size_;
  std::int64_t wanted_, live_ = 0;
  Random random_;
  CounterReader reader_;
  MemorySeries& series_;
  std::size_t most_, n_ = 0, every_ = 1;
  Block* blocks_;
  const char* phase_ = "";
  std::uint64_t from_ = 0;
};

}  // namespace

void run_memory_plan(const MemoryPlan& plan, MemorySeries& series) {
  Run run(plan, series);
  if (plan.pattern == kMemoryPatterns[0])
    run.grow();
  else if (plan.pattern == kMemoryPatterns[1])
    run.fragment();
  else
    run.churn();
  run.idle(plan.idle_seconds);
  series.done = true;
}

MemorySummary summarize(const MemorySeries& series) {
  MemorySummary s;
  const auto ratio = [](std::int64_t live, std::int64_t resident) {
    return resident > 0 ? static_cast<double>(live) / static_cast<double>(resident) : 0;
  };
  for (std::size_t i = 0; i < series.n; ++i) {
    const MemoryPoint& p = series.points[i];
    s.peak_live = std::max(s.peak_live, p.live);
    if (p.resident > s.peak_resident) s.peak_resident = p.resident, s.live_at_peak = p.live;
  }
  s.ratio = s.worst = ratio(s.peak_live, s.peak_resident);
  for (std::size_t i = 0; i < series.n; ++i)
    if (series.points[i].live >= s.peak_live / 2)
      s.worst = std::min(s.worst, ratio(series.points[i].live, series.points[i].resident));
  if (series.n >= 2) s.freed = series.points[series.n - 2].resident, s.idle = series.points[series.n - 1].resident;
  return s;
}

}  // namespace malloc_bench

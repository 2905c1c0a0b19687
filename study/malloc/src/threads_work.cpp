#include "threads_work.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "platform.h"
#include "random.h"
#include "team.h"
#include "threads_queue.h"

namespace malloc_bench {
namespace {

constexpr std::uint64_t kBetweenLooks =
    1024;  // operations between two looks at the clock: under 1% of a 10 ns operation

struct Malloc {
  void* allocate(std::size_t n) noexcept { return std::malloc(n); }
  void release(void* p) noexcept { std::free(p); }
};

// The floor: everything but the allocator.
struct Nothing {
  alignas(kCacheLine) char block[kCacheLine];
  void* allocate(std::size_t) noexcept { return block; }
  void release(void* p) noexcept { used(p); }
};

// Blocks of one wandering set.
struct Set {
  void** blocks;
  std::size_t n;
};

struct Shared {
  const ThreadsPlan& plan;
  bool crowded;  // more threads than processors
  std::size_t alive;
  ThreadsShare* shares;
  Queue* queues;  // one per thread: to its right-hand neighbour
  void** blocks;  // alive x threads (x 2 for bleeding)
  Set* sets;
  StartLine line;
};

template <typename Allocator>
struct Worker {
  Shared& shared;
  unsigned thread;
  ThreadsShare& share;
  Random random;
  Allocator allocator{};

  void* fresh() noexcept {
    const std::size_t size = std::max<std::size_t>(shared.plan.size, 1);  // a byte is written
    void* const p = allocator.allocate(size - random.below(size / 2));
    if (p == nullptr)
      ++share.nulls;
    else
      *static_cast<volatile char*>(p) = 1;
    used(p);
    return p;
  }

  void replace(void*& block) noexcept {
    if (block != nullptr) allocator.release(block);
    block = fresh();
    ++share.operations;
  }

  void alone(const Deadline& deadline) noexcept {
    void** const mine = shared.blocks + thread * shared.alive;
    do
      for (std::uint64_t i = 0; i < kBetweenLooks; ++i) replace(mine[random.below(shared.alive)]);
    while (!deadline.over());
  }

  void produce(const Deadline& deadline) noexcept {
    Queue& queue = shared.queues[thread];
    do
      for (std::uint64_t i = 0; i < kBetweenLooks; ++i) {
        void* const p = fresh();
        if (p == nullptr) continue;
        if (insist(deadline, shared.crowded, [&] { return queue.push(p); })) continue;
        allocator.release(p);
        return;
      }
    while (!deadline.over());
  }

  void consume(const Deadline& deadline) noexcept {
    Queue& queue = shared.queues[thread - 1];
    do
      for (std::uint64_t i = 0; i < kBetweenLooks; ++i) {
        void* p;
        if (!insist(deadline, shared.crowded, [&] { return queue.pop(p); })) return;
        allocator.release(p);
        ++share.operations;
      }
    while (!deadline.over());
  }

  // A thread with a processor of its own that has no set is kept from its work by what
  // keeps its neighbour from running: another program. That time is not the allocator's,
  // and is taken off. To go on with the set it has would be no bleeding any more. With
  // fewer processors than threads waiting is how they take turns, and counts.
  void bleed(const Deadline& deadline) noexcept {
    Queue& in = shared.queues[(thread + shared.plan.threads - 1) % shared.plan.threads];
    Queue& out = shared.queues[thread];
    void* item;
    const auto pop = [&] { return in.pop(item); };
    do {
      if (!pop()) {
        const std::uint64_t from = now_ns();
        const bool got = insist(deadline, shared.crowded, pop);
        if (!shared.crowded) share.waited += static_cast<double>(now_ns() - from) / 1e9;
        if (!got) return;
      }
      Set& set = *static_cast<Set*>(item);
      for (std::uint64_t i = 0; i < kBetweenLooks; ++i) replace(set.blocks[random.below(set.n)]);
      out.push(item);  // always room: a queue is longer than the number of sets
    } while (!deadline.over());
  }

  void run() noexcept {
    shared.line.wait();
    share.began = now_ns();
    const Deadline deadline(shared.plan.seconds);
    switch (shared.plan.sharing) {
      case Sharing::kPrivate:
        alone(deadline);
        break;
      case Sharing::kProducerConsumer:
        thread % 2 == 0 ? produce(deadline) : consume(deadline);
        break;
      case Sharing::kBleeding:
        bleed(deadline);
        break;
    }
    share.seconds = deadline.elapsed();
    share.ended = now_ns();
  }
};

template <typename Allocator>
void work(void* context, unsigned thread) {
  Shared& shared = *static_cast<Shared*>(context);
  ThreadsShare share;  // its own while it counts: neighbours would share a line of cache
  Worker<Allocator> worker{shared, thread, share, Random{shared.plan.seed + thread}};
  worker.run();
  shared.shares[thread] = share;
}

// What is left in sets and queues is freed by the caller.
void free_rest(Shared& shared, std::size_t n_blocks) {
  if (shared.plan.floor) return;
  for (std::size_t i = 0; i < n_blocks; ++i) std::free(shared.blocks[i]);
  if (shared.plan.sharing != Sharing::kProducerConsumer) return;
  for (unsigned t = 0; t < shared.plan.threads; ++t)
    for (void* p; shared.queues[t].pop(p);) std::free(p);
}

// With a processor for each thread the rates of the threads add up. With fewer, a thread
// may have had its time before the next began: then what all did is divided by the time
// from the first beginning to the last end.
void sum_up(ThreadsResult& result, const ThreadsShare* shares, bool crowded) {
  double waited = 0, elapsed = 0;
  std::uint64_t counted = 0, from = UINT64_MAX, to = 0;
  for (unsigned t = 0; t < result.plan.threads; ++t) {
    result.operations += shares[t].operations;
    result.nulls += shares[t].nulls;
    waited += shares[t].waited, elapsed += shares[t].seconds;
    from = std::min(from, shares[t].began), to = std::max(to, shares[t].ended);
    if (result.plan.sharing == Sharing::kProducerConsumer && t % 2 == 0) continue;  // the consumer counts for both
    const double worked = shares[t].seconds - shares[t].waited;
    const double rate = shares[t].operations > 0 && worked > 0 ? static_cast<double>(shares[t].operations) / worked : 0;
    counted += shares[t].operations;
    result.per_second += rate;
    result.slowest = result.slowest == 0 ? rate : std::min(result.slowest, rate);
    result.fastest = std::max(result.fastest, rate);
  }
  if (crowded && to > from) result.per_second = static_cast<double>(counted) * 1e9 / static_cast<double>(to - from);
  result.waited = waited / elapsed;
}

}  // namespace

const char* sharing_name(Sharing s) noexcept {
  static constexpr const char* kNames[] = {"private", "producer-consumer", "bleeding"};
  return kNames[static_cast<int>(s)];
}

std::size_t blocks_alive(const ThreadsPlan& plan) noexcept {
  if (plan.sharing == Sharing::kProducerConsumer) return Queue::kLength;
  const std::size_t n = std::clamp<std::size_t>((std::size_t{16} << 20) / std::max<std::size_t>(plan.size, 1), 2, 1024);
  return plan.sharing == Sharing::kBleeding ? 2 * n : n;
}

ThreadsResult run_threads_plan(const ThreadsPlan& plan) {
  ThreadsResult result;
  result.plan = plan;
  const bool queued = plan.sharing == Sharing::kProducerConsumer, bleeding = plan.sharing == Sharing::kBleeding;
  if (queued && plan.threads % 2 != 0) {
    result.skipped = "producers and consumers need an even number of threads";
    return result;
  }
  const std::size_t alive = blocks_alive(plan), n_blocks = alive * plan.threads;
  if (!plan.floor && 1.25 * static_cast<double>(plan.size) * static_cast<double>(n_blocks) >
                         static_cast<double>(platform::memory_room().bytes)) {
    result.skipped = "not enough memory available";
    return result;
  }
  auto* const shares = static_cast<ThreadsShare*>(own_alloc(plan.threads * sizeof(ThreadsShare)));
  void* const queue_memory = own_alloc(plan.threads * sizeof(Queue) + kCacheLine);
  auto* const queues =
      reinterpret_cast<Queue*>((reinterpret_cast<std::uintptr_t>(queue_memory) + kCacheLine - 1) & ~(kCacheLine - 1));
  auto* const blocks = static_cast<void**>(own_alloc(n_blocks * sizeof(void*)));
  auto* const sets = static_cast<Set*>(own_alloc(2 * plan.threads * sizeof(Set)));
  for (unsigned t = 0; t < plan.threads; ++t) new (queues + t) Queue, new (shares + t) ThreadsShare;
  std::fill_n(blocks, n_blocks, nullptr);
  for (unsigned s = 0; bleeding && s < 2 * plan.threads; ++s) {
    sets[s] = {blocks + s * (alive / 2), alive / 2};
    queues[s / 2].push(&sets[s]);
  }
  const bool crowded = plan.threads > usable_cpus(plan.pin_anew);
  Shared shared{plan, crowded, alive, shares, queues, blocks, sets, StartLine(plan.threads, crowded)};
  const TeamReport team = run_team(plan.threads, plan.pin_anew, plan.floor ? work<Nothing> : work<Malloc>, &shared);
  result.pinned = team.pinned;
  if (team.error != 0)
    result.skipped = std::strerror(team.error);
  else
    sum_up(result, shares, shared.crowded);
  free_rest(shared, n_blocks);
  for (void* p : {static_cast<void*>(shares), queue_memory, static_cast<void*>(blocks), static_cast<void*>(sets)})
    own_free(p);
  return result;
}

}  // namespace malloc_bench

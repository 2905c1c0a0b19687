// Which cells there are.
#include <algorithm>

#include "cell.h"

namespace malloc_bench {
namespace {

// Enough for a batch of the cheapest phase, a store to each block, to be 100 timer
// readings long.
constexpr std::size_t kMostBlocks = 8192;
// The same for malloc and free. A block that is never written to costs no memory, so
// that the footprint does not bound it; but each block's header may cost a page of some
// kind.
constexpr std::size_t kFewestUntouched = 1024, kHugePage = std::size_t{2} << 20, kMostAddresses = std::size_t{16} << 30;

// malloc_free and its two halves never write to a block.
bool untouched(Op op, const Bounds& b) {
  return !b.locked && (op == Op::kMallocFree || op == Op::kMalloc || op == Op::kFree || op == Op::kNoop);
}

std::size_t blocks_of(const Cell& c, const Bounds& b) {
  if (c.method == Method::kPublished || c.op == Op::kTimer) return 1;
  const std::size_t n = std::clamp<std::size_t>(b.footprint / c.size, 1, kMostBlocks);
  if (!untouched(c.op, b) || n >= kFewestUntouched) return n;
  const std::uint64_t by_addresses = std::min<std::uint64_t>(b.addresses.bytes / 4, kMostAddresses) / c.size;
  const std::uint64_t by_headers = b.memory.bytes / 4 / std::min(c.size, kHugePage);
  return std::max<std::size_t>(n, std::min<std::uint64_t>({kFewestUntouched, by_addresses, by_headers}));
}

// calloc writes to its blocks or knows that it need not, which the warm-up finds out:
// it raises the number only while a batch takes less time than writing could.
std::size_t most_of(const Cell& c, const Bounds& b) {
  if (c.op != Op::kCalloc || c.method == Method::kPublished || b.locked) return c.blocks;
  return std::max<std::size_t>(c.blocks,
      std::min<std::uint64_t>({kFewestUntouched, b.memory.bytes / 4 * 3 / c.size, kMostAddresses / c.size}));
}

}  // namespace

const char* op_name(Op op) noexcept {
  static constexpr const char* kNames[kOps] = {"malloc_free", "malloc", "free", "calloc", "walk", "memset",
      "walk_after_memset", "noop", "timer"};
  return kNames[static_cast<int>(op)];
}

std::vector<Cell> all_cells(const std::vector<std::size_t>& sizes, const Bounds& bounds) {
  std::vector<std::size_t> all = sizes;
  if (all.empty())
    for (std::size_t size = 8; size <= std::size_t{1} << 30; size *= 2) all.push_back(size);
  std::vector<Cell> cells;
  for (int op = 0; op < kOps; ++op)
    for (const Method method : {Method::kBatch, Method::kPublished})
      for (const std::size_t size : all) {
        Cell c{static_cast<Op>(op), method, size};
        if (c.op == Op::kTimer && (size != all.front() || method != Method::kBatch)) continue;
        c.blocks = blocks_of(c, bounds);
        c.most = most_of(c, bounds);
        cells.push_back(c);
      }
  return cells;
}

std::string cell_name(const Cell& c, const std::string& setting) {
  std::string name = std::string("Malloc/op=") + op_name(c.op);
  if (c.op != Op::kTimer)
    name += "/size=" + std::to_string(c.size) + "/method=" + (c.method == Method::kBatch ? "batch" : "published");
  return name + "/setting=" + setting;
}

// Half of what is left: the other half is for allocators that hold on to what they
// were given back, and for everyone else on the machine. One block of a size is
// refused by the same measure, written to or not.
std::string too_large(const Cell& c, const Bounds& b) {
  if (c.op == Op::kNoop || c.op == Op::kTimer) return "";
  const bool addresses = untouched(c.op, b) && c.size <= b.memory.bytes / 2;
  const platform::Room& room = addresses ? b.addresses : b.memory;
  if (c.size * c.blocks <= room.bytes / 2) return "";
  return "skipped: " + std::to_string(c.blocks) + " blocks of " + std::to_string(c.size) +
      " bytes are more than half of the " + std::to_string(room.bytes) + " bytes that " +
         room.limit + " leaves";
}

}  // namespace malloc_bench

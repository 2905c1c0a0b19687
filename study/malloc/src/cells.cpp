// Which cells there are.
#include <algorithm>

#include "cell.h"

namespace malloc_bench {
namespace {

constexpr std::size_t kMostBlocks = 4096;
// Enough untouched blocks for a batch of the fastest mallocs to be 100 timer
// readings long: what is never written costs no memory.
constexpr std::size_t kFewestUntouched = 8;

// malloc_free and its two halves never write to a block. calloc may.
bool untouched(Op op) { return op == Op::kMallocFree || op == Op::kMalloc || op == Op::kFree || op == Op::kNoop || op == Op::kCalloc; }

std::size_t blocks_of(const Cell& c, const Bounds& b) {
  if (c.method == Method::kPublished || c.op == Op::kTimer) return 1;
  std::size_t n = std::clamp<std::size_t>(b.footprint / std::max<std::size_t>(c.size, 1), 1, kMostBlocks);
  if (untouched(c.op) && !b.locked && n < kFewestUntouched) n = std::clamp<std::size_t>(b.room / 4 / c.size, n, kFewestUntouched);
  return n;
}

}  // namespace

const char* op_name(Op op) noexcept {
  static constexpr const char* kNames[kOps] = {"malloc_free", "malloc", "free", "calloc", "walk", "memset", "walk_after_memset", "noop", "timer"};
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
        Cell c{static_cast<Op>(op), method, size, 1};
        if (c.op == Op::kTimer && (size != all.front() || method != Method::kBatch)) continue;
        c.blocks = blocks_of(c, bounds);
        cells.push_back(c);
      }
  return cells;
}

std::string cell_name(const Cell& c, const std::string& setting) {
  std::string name = std::string("Malloc/op=") + op_name(c.op);
  if (c.op != Op::kTimer) name += "/size=" + std::to_string(c.size) + "/method=" + (c.method == Method::kBatch ? "batch" : "published");
  if (!setting.empty()) name += "/setting=" + setting;
  return name;
}

// Half of what is left: the other half is for allocators that hold on to what they
// were given back, and for everyone else on the machine.
std::string too_large(const Cell& c, const Bounds& b) {
  if (c.op == Op::kNoop || c.op == Op::kTimer || c.size * c.blocks <= b.room / 2) return "";
  return "skipped: " + std::to_string(c.blocks) + " blocks of " + std::to_string(c.size) + " bytes are more than half of the " + std::to_string(b.room) + " bytes that " + b.limit +
         " leaves";
}

}  // namespace malloc_bench

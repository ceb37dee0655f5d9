// SPDX-License-Identifier: Apache-2.0
// Works in two steps: q, k and v of each head and window as kernels want them; then tiles of
// queries.
#include "vit/grid_attention.h"

#include <algorithm>
#include <cassert>

#include "processor/pool.h"
#include "vit/row_tiles.h"

namespace mpm::vit {
namespace {

class GridRun {
 public:
  GridRun(ConstRows qkv, const Attention& attention, const GridPositions& positions,
          const Kernels& kernel, GridScratch& scratch, Rows out)
      : qkv_(qkv),
        attention_(attention),
        positions_(positions),
        kernel_(kernel),
        scratch_(scratch),
        out_(out),
        d_(out.dim / attention.heads) {
    // Uses the rows of a single window in place.
    isGathered_ = positions.grid.windows() > 1 || positions.grid.reachesOver();
    placeRows();
    rows_ = qkv;
    if (isGathered_) rows_ = gathered_ = scratch.rows.rows(scratch.cells.rows(), qkv.dim);
    layOutTiles();
  }

  std::size_t heads() const { return attention_.heads; }
  std::size_t windows() const { return scratch_.live.size(); }

  void fillHead(std::size_t window, std::size_t head) const {
    if (isGathered_) gather(window, head);
    const ConstRows rows = rowsOf(window);
    const auto part = [&](std::size_t i) {
      return ConstRows(rows.data + i * out_.dim, rows.count, out_.dim, rows.stride);
    };
    fillOperands(part(0), part(1), part(2), attention_, head, kernel_, scratch_.operands[window]);
  }

  void attendTile(const GridScratch::Tile& tile) const {
    const AttentionOperands& operands = scratch_.operands[tile.window];
    const ConstRows rows = rowsOf(tile.window);
    const std::size_t attended = kTileRows * operands.rowStride;
    const std::size_t ofHead = headTileScratch(operands.headColumns);
    const DistanceBias bias{positions_.distances,
                            &scratch_.cells,
                            scratch_.begins[tile.window],
                            {rows.data, rows.count, out_.dim, rows.stride}};
    const bool hasDistances = positions_.distances != nullptr;
    const std::size_t room =
        hasDistances ? rows.count * kTileRows + distanceRoomFor(*positions_.distances) : 0;
    float* const memory = processor::threadScratch().reserve(attended + ofHead + room);
    AttentionRows queries{tile.first, tile.rows, rows.count, nullptr, asUnits(memory)};
    queries.distances = hasDistances ? &bias : nullptr;
    queries.biasRoom = memory + attended + ofHead;
    attendRows(operands, kernel_, queries, memory + attended);
    const std::size_t begin = positions_.windows->begin(tile.window) + tile.first;
    for (std::size_t i = 0; i < tile.rows; ++i) {
      const std::size_t row = isGathered_ ? positions_.windows->row(begin + i) : tile.first + i;
      toRow(operands, kernel_, heads(), asUnits(memory) + i * operands.rowStride, out_.row(row),
            d_);
    }
  }

 private:
  ConstRows rowsOf(std::size_t window) const {
    const std::size_t begin = scratch_.begins[window];
    return {rows_.row(begin), scratch_.begins[window + 1] - begin, rows_.dim, rows_.stride};
  }

  // Lists the cells of all rows, window by window.
  void placeRows() {
    const WindowGrid& grid = positions_.grid;
    const RowWindows& windows = *positions_.windows;
    scratch_.cells.clear();
    scratch_.begins.assign(1, 0);
    scratch_.live.clear();
    for (std::size_t window = 0; window < grid.windows(); ++window) {
      const std::size_t begin = windows.begin(window), count = windows.rowsOf(window);
      for (std::size_t i = begin; i < begin + count; ++i)
        addCells(isGathered_ ? windows.row(i) : i);
      if (positions_.outside != nullptr) addOutside(window);
      scratch_.live.push_back(count);
      scratch_.begins.push_back(scratch_.cells.rows());
    }
  }

  void addCells(std::size_t row) {
    const WindowGrid& grid = positions_.grid;
    const Members& members = *positions_.members;
    for (const std::int32_t* token = members.begin(row); token != members.end(row); ++token) {
      const auto at = static_cast<std::size_t>(*token);
      scratch_.cells.add({static_cast<std::int32_t>(at / grid.width % grid.windowHeight),
                          static_cast<std::int32_t>(at % grid.width % grid.windowWidth)});
    }
    scratch_.cells.endRow();
  }

  void addOutside(std::size_t window) {
    const WindowGrid& grid = positions_.grid;
    const std::size_t top = window / grid.across() * grid.windowHeight;
    const std::size_t left = window % grid.across() * grid.windowWidth;
    for (std::size_t y = 0; y < grid.windowHeight; ++y) {
      for (std::size_t x = 0; x < grid.windowWidth; ++x) {
        if (top + y < grid.height && left + x < grid.width) continue;
        scratch_.cells.add({static_cast<std::int32_t>(y), static_cast<std::int32_t>(x)});
        scratch_.cells.endRow();
      }
    }
  }

  void layOutTiles() {
    scratch_.tiles.clear();
    if (scratch_.operands.size() < windows()) scratch_.operands.resize(windows());
    for (std::size_t window = 0; window < windows(); ++window) {
      const std::size_t count = scratch_.live[window], keys = rowsOf(window).count;
      scratch_.operands[window].reserve(keys, keys, heads(), d_, kernel_);
      if (windows() == 1) {
        const RowTiles tiles(count);
        for (std::size_t tile = 0; tile < tiles.count(); ++tile)
          scratch_.tiles.push_back({window, tiles.begin(tile), tiles.rows(tile)});
        continue;
      }
      // Uses as few tiles as hold a window, of nearly the same size.
      const std::size_t tiles = (count + kTileRows - 1) / kTileRows;
      const std::size_t size = tiles == 0 ? 0 : padded((count + tiles - 1) / tiles);
      for (std::size_t first = 0; first < count; first += size)
        scratch_.tiles.push_back({window, first, std::min(size, count - first)});
    }
  }

  // Gathers a head's q, k and v of a window's rows.
  void gather(std::size_t window, std::size_t head) const {
    const std::size_t begin = positions_.windows->begin(window), live = scratch_.live[window];
    const std::size_t to = scratch_.begins[window], count = scratch_.begins[window + 1] - to;
    for (std::size_t i = 0; i < count; ++i) {
      const float* const from =
          i < live ? qkv_.row(positions_.windows->row(begin + i)) : positions_.outside;
      for (std::size_t part = 0; part < 3; ++part) {
        const std::size_t first = part * out_.dim + head * d_;
        std::copy_n(from + first, d_, gathered_.row(to + i) + first);
      }
    }
  }

  ConstRows qkv_, rows_;
  Rows gathered_;
  const Attention& attention_;
  const GridPositions& positions_;
  const Kernels& kernel_;
  GridScratch& scratch_;
  Rows out_;
  std::size_t d_;
  bool isGathered_ = false;
};

}  // namespace

void gridAttentionCpu(ConstRows qkv, const Attention& attention, const GridPositions& positions,
                      Precision precision, GridScratch& scratch, Rows out) {
  assert(qkv.dim == 3 * out.dim && qkv.count == out.count && out.dim % attention.heads == 0);
  assert(positions.windows->rows() == qkv.count && positions.members->live() == qkv.count);
  assert((positions.outside != nullptr) == positions.grid.reachesOver());
  if (qkv.count == 0) return;
  const Kernels& kernel =
      positions.distances == nullptr ? kernels(precision) : kernelsWithBias(precision);
  const GridRun run(qkv, attention, positions, kernel, scratch, out);
  processor::forEachTaskInTwoSteps(
      run.windows() * run.heads(),
      [&](std::size_t task) { run.fillHead(task / run.heads(), task % run.heads()); },
      scratch.tiles.size(), [&](std::size_t tile) { run.attendTile(scratch.tiles[tile]); });
}

}  // namespace mpm::vit

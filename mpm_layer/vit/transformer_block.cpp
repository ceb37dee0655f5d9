// SPDX-License-Identifier: Apache-2.0
#include "vit/transformer_block.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <optional>

#include "processor/pool.h"
#include "vit/block_memory.h"
#include "vit/row_tiles.h"
#include "vit/smooth_block.h"

namespace mpm::vit {

namespace {

struct Matrix {
  std::vector<float> values, bias;
  std::size_t outputs = 0, inputs = 0;

  Matrix(std::size_t outputs_, std::size_t inputs_)
      : values(outputs_ * inputs_, 0.0F), outputs(outputs_), inputs(inputs_) {}

  float* row(std::size_t i) { return values.data() + i * inputs; }
  PackedLinear pack(Precision precision) const {
    return {{ConstRows(values.data(), outputs, inputs), bias.empty() ? nullptr : bias.data()},
            precision};
  }
};

// Packs rows [first, first + heads d) of a weight, times `factor`; zero rows follow each head's.
PackedLinear packHeads(const LinearWeights& linear, std::size_t first, const PackedBlock& block,
                       float factor) {
  const std::size_t d = block.headDim, wide = padded(d);
  Matrix matrix(block.heads * wide, linear.weight.dim);
  if (linear.bias != nullptr) matrix.bias.resize(matrix.outputs, 0.0F);
  for (std::size_t i = 0; i < block.heads * d; ++i) {
    const std::size_t at = i / d * wide + i % d;
    const float* const row = linear.weight.row(first + i);
    std::transform(row, row + matrix.inputs, matrix.row(at), [&](float w) { return w * factor; });
    if (linear.bias != nullptr) matrix.bias[at] = linear.bias[first + i] * factor;
  }
  return matrix.pack(block.precision);
}

// Packs columns in the order of padded heads; rows and bias are multiplied by the layer scale.
PackedLinear packScaled(const LinearWeights& linear, const float* layerScale, std::size_t heads,
                        bool isHeads, Precision precision) {
  const std::size_t d = linear.weight.dim / heads, wide = isHeads ? padded(d) : d;
  if (layerScale == nullptr && d == wide) return {linear, precision};
  Matrix matrix(linear.weight.count, heads * wide);
  if (linear.bias != nullptr) matrix.bias.assign(linear.bias, linear.bias + matrix.outputs);
  for (std::size_t i = 0; i < matrix.outputs; ++i) {
    const float scale = layerScale == nullptr ? 1 : layerScale[i];
    const float* const row = linear.weight.row(i);
    for (std::size_t j = 0; j < linear.weight.dim; ++j) {
      matrix.row(i)[j / d * wide + j % d] = row[j] * scale;
    }
    if (linear.bias != nullptr) matrix.bias[i] *= scale;
  }
  return matrix.pack(precision);
}

}  // namespace

PackedBlock::PackedBlock(const BlockWeights& given, Precision precision_)
    : heads(given.heads),
      headDim(given.proj.weight.dim / given.heads),
      gelu(given.gelu),
      precision(precision_) {
  std::optional<SmoothBlock> smooth;
  if (precision == Precision::int8) smooth.emplace(given);
  const BlockWeights& weights = smooth ? smooth->weights() : given;
  norm1 = {weights.norm1, weights.qkv.weight.dim};
  norm2 = {weights.norm2, weights.qkv.weight.dim};
  const std::size_t inner = weights.proj.weight.dim;
  q = packHeads(weights.qkv, 0, *this, queryScale(weights.scale));
  k = packHeads(weights.qkv, inner, *this, 1);
  v = packHeads(weights.qkv, 2 * inner, *this, 1);
  proj = packScaled(weights.proj, weights.layerScale1, heads, true, precision);
  fc1 = {weights.fc1, precision};
  fc2 = packScaled(weights.fc2, weights.layerScale2, 1, false, precision);
}

// Runs a block in two steps, each on a tile of rows at a time: intermediate results stay in the
// core's cache. The first is norm, q, k, v; the second, when all keys are there, attention,
// projection, norm and both linear layers.

namespace {

// Hidden features at a time: their units and the two layers' weights for them stay in the cache.
constexpr std::size_t kHiddenChunk = 768;

class BlockRun {
 public:
  BlockRun(ConstRows in, const PackedBlock& block, const BlockKeys& keys,
           AttentionOperands& operands, Rows out)
      : in_(in),
        out_(out),
        block_(block),
        kernel_(kernels(block.precision)),
        operands_(operands),
        keys_(keys),
        tileRows_(rowsOfTile(in.dim)) {
    normalizedStride_ = kernel_.operandStride(in.dim);
    hiddenStride_ = kernel_.operandStride(kHiddenChunk);
    attendedStride_ = kernel_.operandStride(operands.columns);
    const std::size_t headsOfPanels = std::lcm(operands.headColumns, kernel_.panelColumns);
    headsAtOnce_ = std::min(headsOfPanels, operands.columns);
  }

  void projectTile(std::size_t first, std::size_t rows) const {
    float* const memory = processor::threadScratch().reserve(projectScratch());
    const Unit* const x =
        normalize(ConstRows(in_.row(first), rows, in_.dim, in_.stride), block_.norm1, memory);
    float* const room = memory + normalizeScratch();
    Finish toQ, toV;
    toQ.unitRows = operands_.q + first * operands_.qStride;
    toQ.stride = operands_.qStride;
    if (kernel_.hasInt8Keys()) {
      quantiseHeads(x, rows, block_.q, room, {toQ.unitRows, nullptr});
    } else {
      multiply(x, normalizedStride_, rows, block_.q, toQ);
    }
    if (keys_.places != nullptr) return placeTile(x, first, rows, room);
    toV.unitColumns = operands_.v + first / kernel_.unitValues * operands_.columns;
    toV.stride = operands_.columns;
    if (kernel_.hasInt8Keys()) {
      quantiseHeads(x, rows, block_.k, room, {operands_.keyAt(first, 0), nullptr});
    } else {
      multiply(x, normalizedStride_, rows, block_.k, operands_.toKeys(first));
    }
    multiply(x, normalizedStride_, rows, block_.v, toV);
  }

  void finishTile(std::size_t first, std::size_t rows) const {
    float* const memory = processor::threadScratch().reserve(finishScratch());
    Unit* const attended = asUnits(memory);
    float* const more = memory + tileRows_ * operands_.rowStride;
    const bool isInt8 = kernel_.isInt8();
    for (std::size_t row = 0; row < rows; row += kTileRows) {
      attendRows(operands_, kernel_,
                 {first + row, std::min(kTileRows, rows - row), keys_.count, keys_.weights,
                  attended + row * operands_.rowStride},
                 more);
    }

    const Rows out(out_.row(first), rows, out_.dim, out_.stride);
    Finish project;
    project.rows = out.data;
    project.stride = out.stride;
    project.addend = in_.row(first);
    project.addendStride = in_.stride;
    const Unit* const left = isInt8 ? quantise(attended, rows, more) : attended;
    multiply(left, isInt8 ? attendedStride_ : operands_.rowStride, rows, block_.proj, project);
    addHidden(out, memory);
  }

 private:
  std::size_t normalizeScratch() const { return tileRows_ * normalizedStride_ + padded(in_.dim); }
  std::size_t projectScratch() const {
    const std::size_t placed = keys_.places != nullptr ? operands_.rowStride : 0;
    const std::size_t quantised = kernel_.hasInt8Keys() ? headsAtOnce_ : 0;
    return normalizeScratch() + tileRows_ * std::max(placed, quantised);
  }
  std::size_t finishScratch() const {
    const std::size_t quantised = tileRows_ * attendedStride_ + operands_.columns;
    const std::size_t hidden = kernel_.isInt8() ? tileRows_ * kHiddenChunk : 0;
    return std::max(tileRows_ * operands_.rowStride +
                        std::max(headTileScratch(operands_.headColumns), quantised),
                    tileRows_ * hiddenStride_ + normalizeScratch() + hidden);
  }

  // Where rows of q or k go: one after the other, or to their places.
  struct Destination {
    Unit* rows;
    const std::int32_t* places;  // or null
  };

  // Computes q or k in int8: a head's rows wait in `room` for the largest of them.
  void quantiseHeads(const Unit* x, std::size_t rows, const PackedLinear& linear, float* room,
                     const Destination& to) const {
    const std::size_t d = operands_.headColumns, stride = operands_.qStride;
    Product product = linear.product(x, normalizedStride_, rows);
    Finish wait;
    wait.rows = room;
    wait.stride = headsAtOnce_;
    for (std::size_t first = 0; first < operands_.columns; first += headsAtOnce_) {
      product.firstColumn = first;
      product.columns = std::min(headsAtOnce_, operands_.columns - first);
      wait.bias = linear.bias.empty() ? nullptr : linear.bias.data() + first;
      kernel_.multiply(product, wait);
      for (std::size_t column = 0; column < product.columns; column += d) {
        Unit* const out = to.rows + (first + column) / d * operands_.headUnits;
        const float* const head = room + column;
        if (to.places == nullptr) kernel_.toOperands({head, rows, d, headsAtOnce_}, 1, out, stride);
        for (std::size_t r = 0; to.places != nullptr && r < rows; ++r) {
          kernel_.toOperands({head + r * headsAtOnce_, 1, d}, 1,
                             out + static_cast<std::size_t>(to.places[r]) * stride, stride);
        }
      }
    }
  }

  // Computes keys and values of rows whose places among the keys are anywhere.
  void placeTile(const Unit* x, std::size_t first, std::size_t rows, float* room) const {
    Finish toRoom;
    toRoom.unitRows = asUnits(room);
    toRoom.stride = operands_.rowStride;
    const std::int32_t* const places = keys_.places + first;
    if (kernel_.hasInt8Keys()) {
      quantiseHeads(x, rows, block_.k, room, {operands_.k, places});
    } else {
      multiply(x, normalizedStride_, rows, block_.k, toRoom);
      placeKeys(toRoom.unitRows, rows, places, kernel_, operands_);
    }
    multiply(x, normalizedStride_, rows, block_.v, toRoom);
    placeValues(toRoom.unitRows, rows, places, kernel_, operands_);
  }

  void multiply(const Unit* a, std::size_t stride, std::size_t rows, const PackedLinear& linear,
                Finish finish) const {
    finish.bias = linear.biasOrNull();
    kernel_.multiply(linear.product(a, stride, rows), finish);
  }

  // Writes normalised rows as units to `memory`.
  const Unit* normalize(ConstRows x, const OwnedNorm& norm, float* memory) const {
    Unit* const units = asUnits(memory);
    if (kernel_.operandValues == 1) {
      normalizeRows(x, norm.view(), {memory, x.count, x.dim, normalizedStride_});
      return units;
    }
    const Rows row(memory + tileRows_ * normalizedStride_, 1, x.dim);
    for (std::size_t r = 0; r < x.count; ++r) {
      normalizeRows({x.row(r), 1, x.dim}, norm.view(), row);
      kernel_.toOperands(row, 1, units + r * normalizedStride_, normalizedStride_);
    }
    return units;
  }

  // Writes the result of attention in int8 to `memory`.
  const Unit* quantise(const Unit* attended, std::size_t rows, float* memory) const {
    float* const values = memory + tileRows_ * attendedStride_;
    for (std::size_t r = 0; r < rows; ++r) {
      kernel_.toFloats(attended + r * operands_.rowStride, operands_.columns, values);
      kernel_.toOperands({values, 1, operands_.columns}, 1, asUnits(memory) + r * attendedStride_,
                         attendedStride_);
    }
    return asUnits(memory);
  }

  // Computes x += fc2(gelu(fc1(norm2(x)))).
  void addHidden(Rows x, float* memory) const {
    Unit* const hidden = asUnits(memory);
    const Unit* const normalized = normalize(x, block_.norm2, memory + tileRows_ * hiddenStride_);
    Product widen = block_.fc1.product(normalized, normalizedStride_, x.count);
    Product narrow = block_.fc2.product(hidden, hiddenStride_, x.count);
    Finish activate, add;
    activate.gelu = &block_.gelu;
    // A row's int8 wait for the largest value.
    float* const values = memory + tileRows_ * hiddenStride_ + normalizeScratch();
    const bool isInt8 = kernel_.isInt8();
    if (isInt8) {
      activate.rows = values;
    } else {
      activate.unitRows = hidden;
    }
    activate.stride = isInt8 ? kHiddenChunk : hiddenStride_;
    add.rows = x.data;
    add.addend = x.data;
    add.stride = add.addendStride = x.stride;
    add.bias = block_.fc2.biasOrNull();
    const std::size_t features = block_.fc1.matrix.outputs();
    for (std::size_t f = 0; f < features; f += kHiddenChunk) {
      const std::size_t count = std::min(kHiddenChunk, features - f);
      widen.firstColumn = narrow.firstInput = f;
      widen.columns = narrow.inputs = count;
      activate.bias = block_.fc1.bias.empty() ? nullptr : block_.fc1.bias.data() + f;
      kernel_.multiply(widen, activate);
      if (isInt8)
        kernel_.toOperands({values, x.count, count, kHiddenChunk}, 1, hidden, hiddenStride_);
      kernel_.multiply(narrow, add);
      add.bias = nullptr;
    }
  }

  ConstRows in_;
  Rows out_;
  const PackedBlock& block_;
  const Kernels& kernel_;
  AttentionOperands& operands_;
  BlockKeys keys_;
  std::size_t tileRows_;
  std::size_t headsAtOnce_ = 0;  // columns of q or k: whole heads, and whole panels
  std::size_t normalizedStride_ = 0, hiddenStride_ = 0, attendedStride_ = 0;  // in units
};

// Runs windows one after the other in the scratch memory, each with its own keys.
class WindowedRun {
 public:
  using Tile = BlockScratch::WindowTile;

  WindowedRun(ConstRows in, const PackedBlock& block, const RowWindows& windows,
              BlockScratch& scratch, Rows out)
      : in_(in),
        out_(out),
        block_(block),
        windows_(windows),
        scratch_(scratch),
        rows_(scratch.rows.rows(in.count, in.dim)) {
    if (scratch.ofWindows.size() < windows.count()) scratch.ofWindows.resize(windows.count());
    scratch.tiles.clear();
    for (std::size_t window = 0; window < windows.count(); ++window) {
      const std::size_t count = windows.rowsOf(window);
      scratch.ofWindows[window].reserve(count, count, block.heads, block.headDim,
                                        kernels(block.precision));
      addTiles(window, count);
    }
  }

  void projectTile(const Tile& tile) const {
    const std::size_t begin = windows_.begin(tile.window) + tile.first;
    for (std::size_t i = begin; i < begin + tile.rows; ++i)
      std::copy_n(in_.row(windows_.row(i)), in_.dim, rows_.row(i));
    ofWindow(tile.window).projectTile(tile.first, tile.rows);
  }

  void finishTile(const Tile& tile) const {
    ofWindow(tile.window).finishTile(tile.first, tile.rows);
    const std::size_t begin = windows_.begin(tile.window) + tile.first;
    for (std::size_t i = begin; i < begin + tile.rows; ++i)
      std::copy_n(rows_.row(i), in_.dim, out_.row(windows_.row(i)));
  }

 private:
  // Uses as few tiles as hold a window, of nearly the same size.
  void addTiles(std::size_t window, std::size_t count) {
    const std::size_t most = rowsOfTile(in_.dim), tiles = (count + most - 1) / most;
    const std::size_t size = tiles == 0 ? 0 : padded((count + tiles - 1) / tiles);
    for (std::size_t first = 0; first < count; first += size)
      scratch_.tiles.push_back({window, first, std::min(size, count - first)});
  }

  BlockRun ofWindow(std::size_t window) const {
    const std::size_t count = windows_.rowsOf(window);
    const Rows rows(rows_.row(windows_.begin(window)), count, in_.dim);
    return {rows, block_, {count, nullptr, nullptr}, scratch_.ofWindows[window], rows};
  }

  ConstRows in_;
  Rows out_;
  const PackedBlock& block_;
  const RowWindows& windows_;
  BlockScratch& scratch_;
  Rows rows_;
};

void runBlock(ConstRows in, const PackedBlock& block, const BlockKeys& keys,
              AttentionOperands& operands, Rows out) {
  assert(in.dim == block.dim() && in.count == out.count && in.dim == out.dim);
  const BlockRun run(in, block, keys, operands, out);
  const RowTiles tiles =
      keys.places != nullptr ? RowTiles::ofFew(in.count) : RowTiles(in.count, rowsOfTile(in.dim));
  processor::forEachTaskInTwoSteps(
      tiles.count(),
      [&](std::size_t tile) { run.projectTile(tiles.begin(tile), tiles.rows(tile)); },
      tiles.count(),
      [&](std::size_t tile) { run.finishTile(tiles.begin(tile), tiles.rows(tile)); });
}

}  // namespace

void transformerBlockCpu(ConstRows in, const PackedBlock& block, const float* keyWeights,
                         BlockScratch& scratch, Rows out) {
  if (in.count == 0) return;
  AttentionOperands& operands = scratch.operands;
  operands.reserve(in.count, in.count, block.heads, block.headDim, kernels(block.precision));
  const float* const weights = operands.weightsInPowersOfTwo(keyWeights, in.count);
  runBlock(in, block, {in.count, weights, nullptr}, operands, out);
}

void transformerBlockCpu(ConstRows in, const PackedBlock& block, const RowWindows& windows,
                         BlockScratch& scratch, Rows out) {
  assert(in.count == windows.rows() && in.count == out.count);
  if (in.count == 0) return;
  const WindowedRun run(in, block, windows, scratch, out);
  processor::forEachTaskInTwoSteps(
      scratch.tiles.size(), [&](std::size_t tile) { run.projectTile(scratch.tiles[tile]); },
      scratch.tiles.size(), [&](std::size_t tile) { run.finishTile(scratch.tiles[tile]); });
}

void transformerBlockCpu(ConstRows in, const PackedBlock& block, BlockMemory& memory, Rows out) {
  const BlockKeys keys = memory.open(block);
  if (in.count > 0) runBlock(in, block, keys, memory.operands_, out);
}

}  // namespace mpm::vit

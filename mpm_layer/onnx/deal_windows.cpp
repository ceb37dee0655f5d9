// SPDX-License-Identifier: Apache-2.0
#include "onnx/deal_windows.h"

#include <cstddef>
#include <utility>

#include "onnx/attribute.h"
#include "onnx/operands.h"
#include "onnx/view.h"

namespace mpm::onnx {
namespace {

// The nearest embedding behind nodes that arrange all elements anew.
const Embedding* nearest(const Facts& facts, const Node& node, const EmbeddingOf& known,
                         std::string& at) {
  constexpr int kDeepest = 8;
  at = node.input(0);
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (const Embedding* found = known(at)) return found;
    const Node* before = facts.model.producer(at);
    if (before == nullptr || before->input_size() < 1 ||
        !isAny(*before, {"Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Identity"}))
      return nullptr;
    at = before->input(0);
  }
  return nullptr;
}

// Windows whose height and width are axes of a value of these dims.
Windows windowsIn(const Integers& dims, const Embedding& grid) {
  if (dims.size() != 5 && dims.size() != 6) return {};
  const std::int64_t height = dims[dims.size() - 3], width = dims[dims.size() - 2];
  if (height < 1 || width < 1 || grid.gridHeight % height != 0 || grid.gridWidth % width != 0)
    return {};
  return {grid.gridHeight / height, grid.gridWidth / width, height, width};
}

bool isSameView(const View& a, const View& b) {
  return a.base == b.base && a.offset == b.offset && a.factor == b.factor && a.dims() == b.dims() &&
         a.strides() && a.strides() == b.strides();
}

}  // namespace

std::optional<Embedding> dealtOut(const Facts& facts, const Node& node, const std::string& value,
                                  const EmbeddingOf& known) {
  const Integers* dims = facts.values.dims(value);
  if (!isOp(node, "Transpose") || dims == nullptr) return {};
  std::string from;
  const Embedding* grid = nearest(facts, node, known, from);
  if (grid == nullptr || !grid->hasImage() || grid->segments.size() != 1 || grid->rowsFirst ||
      grid->windows.areThere())
    return {};
  const Windows windows = windowsIn(*dims, *grid);
  std::optional<View> before = viewOf(facts, from), after = viewOf(facts, value);
  if (windows.count() < 2 || !before || !after) return {};
  const auto [down, across, height, width] = windows;
  if (!before->reshape({grid->batch, down, height, across, width, grid->dim}) ||
      !after->reshape({grid->batch, down, across, height, width, grid->dim}))
    return {};
  std::swap(before->axes[2], before->axes[3]);
  if (!isSameView(*before, *after)) return {};
  Embedding dealt = *grid;
  dealt.windows = windows;
  return dealt;
}

std::optional<Embedding> repeatedRows(const Facts& facts, const Node& node,
                                      const std::string& value, const Embedding& before) {
  const Integers* dims = facts.values.dims(value);
  if (!isAny(node, {"Tile", "Expand"}) || before.hasImage() || before.rowsFirst ||
      dims == nullptr || dims->size() != 3)
    return {};
  const std::int64_t times = (*dims)[0] / before.batch;
  if (times < 1 || *dims != Integers{times * before.batch, before.rows(), before.dim}) return {};
  Embedding after = before;
  after.repeated = times;
  return after;
}

}  // namespace mpm::onnx

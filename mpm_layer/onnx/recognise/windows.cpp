// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/windows.h"

#include <cstddef>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/linear.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

namespace {

// Finds the nearest embedding before nodes that only rearrange elements.
const Embedding* nearest(const AnalysedModel& analysed, const Node& node, const EmbeddingOf& known,
                         std::string& at) {
  constexpr int kDeepest = 8;
  at = node.input(0);
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (const Embedding* found = known(at)) return found;
    const Node* before = analysed.model.producer(at);
    if (before == nullptr || before->input_size() < 1 ||
        !isAny(*before, {"Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Identity"}))
      return nullptr;
    at = before->input(0);
  }
  return nullptr;
}

// Returns windows of a grid of this size, with height and width on axes of a value of these dims.
Windows windowsIn(const Integers& dims, std::int64_t gridHeight, std::int64_t gridWidth) {
  if (dims.size() != 5 && dims.size() != 6) return {};
  const std::int64_t height = dims[dims.size() - 3], width = dims[dims.size() - 2];
  constexpr std::int64_t kLongest = 1 << 20;  // and of no size where that is not known
  if (height < 1 || width < 1 || gridHeight < 1 || gridWidth < 1 || gridHeight > kLongest ||
      gridWidth > kLongest || gridHeight % height != 0 || gridWidth % width != 0)
    return {};
  return {gridHeight / height, gridWidth / width, height, width};
}

bool isSameView(const View& a, const View& b) {
  return a.base == b.base && a.offset == b.offset && a.factor == b.factor && a.dims() == b.dims() &&
         a.strides() && a.strides() == b.strides();
}

// Tells whether `value` is `from` with axes 2 and 3 of these dims swapped: rows of windows, and
// windows across.
bool swapsMiddle(const AnalysedModel& analysed, const std::string& from, const std::string& value,
                 const Integers& dims) {
  std::optional<View> own = viewOf(analysed, from), made = viewOf(analysed, value);
  Integers swapped = dims;
  std::swap(swapped[2], swapped[3]);
  if (!own || !made || !own->reshape(dims) || !made->reshape(swapped)) return false;
  std::swap(own->axes[2], own->axes[3]);
  return isSameView(*own, *made);
}

}  // namespace

std::optional<DealtRows> dealtRows(const AnalysedModel& analysed, const Node& node) {
  const Integers* dims = isOp(node, "Transpose") ? analysed.values.dims(node.output(0)) : nullptr;
  if (dims == nullptr || node.input_size() < 1) return {};
  const std::string from = behindRowViews(analysed, node.input(0));
  const Integers* grid = analysed.values.dims(from);
  if (grid == nullptr || grid->size() != 4 || dims->empty() || dims->back() != grid->back())
    return {};
  const Windows windows = windowsIn(*dims, (*grid)[1], (*grid)[2]);
  const Integers before{(*grid)[0],     windows.down,  windows.height,
                        windows.across, windows.width, (*grid)[3]};
  if (!windows.areThere() || !swapsMiddle(analysed, from, node.output(0), before)) return {};
  return DealtRows{from, (*grid)[0], (*grid)[3], windows};
}

bool putsBack(const AnalysedModel& analysed, const Node& node, const Windows& windows,
              std::int64_t batch, std::int64_t dim) {
  if (!isOp(node, "Transpose") || node.input_size() < 1) return false;
  const Integers before{batch, windows.down, windows.across, windows.height, windows.width, dim};
  return swapsMiddle(analysed, behindRowViews(analysed, node.input(0)), node.output(0), before);
}

std::optional<Embedding> dealtOut(const AnalysedModel& analysed, const Node& node,
                                  const std::string& value, const EmbeddingOf& known) {
  const Integers* dims = analysed.values.dims(value);
  if (!isOp(node, "Transpose") || dims == nullptr) return {};
  std::string from;
  const Embedding* grid = nearest(analysed, node, known, from);
  if (grid == nullptr || !grid->hasImage() || grid->segments.size() != 1 || grid->rowsFirst ||
      grid->windows.areThere())
    return {};
  const Windows windows = windowsIn(*dims, grid->gridHeight, grid->gridWidth);
  const Integers before{grid->batch,    windows.down,  windows.height,
                        windows.across, windows.width, grid->dim};
  if (windows.count() < 2 || !swapsMiddle(analysed, from, value, before)) return {};
  Embedding dealt = *grid;
  dealt.windows = windows;
  return dealt;
}

std::optional<Embedding> repeatedRows(const AnalysedModel& analysed, const Node& node,
                                      const std::string& value, const Embedding& before) {
  const Integers* dims = analysed.values.dims(value);
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

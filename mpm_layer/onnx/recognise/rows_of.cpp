// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/rows_of.h"

#include <algorithm>
#include <cstddef>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {
namespace {

Integers denseStrides(const Integers& dims) {
  Integers strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0; stride *= dims[i]) strides[i] = stride;
  return strides;
}

}  // namespace

bool swapsRowsAndBatch(const Node& node) {
  return isOp(node, "Transpose") && node.input_size() == 1 &&
         intsAttribute(node, "perm") == std::vector<std::int64_t>{1, 0, 2};
}

std::optional<RowRange> rowRange(const Facts& facts, const Node& node, const std::string& output,
                                 bool rowsFirst) {
  if (!isOp(node, "Slice") && !isOp(node, "Split") && !isOp(node, "Gather")) return {};
  const std::optional<View> view = viewThrough(facts, node, output);
  const Integers* before = view ? facts.values.dims(node.input(0)) : nullptr;
  if (before == nullptr || before->size() != 3) return {};
  const std::size_t axis = rowsFirst ? 0 : 1;
  const Integers strides = denseStrides(*before);
  const std::int64_t begin = view->offset / strides[axis];
  if (begin * strides[axis] != view->offset) return {};
  const Integers dims = view->dims();
  const auto steps = view->strides();
  Integers wanted = *before;
  if (dims.size() == 2) {
    wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(axis));
    if (dims != wanted) return {};
    return RowRange{begin, begin + 1, true};
  }
  const std::int64_t count = dims[axis];
  wanted[axis] = count;
  if (dims != wanted || !steps || (count > 1 && (*steps)[axis] != strides[axis])) return {};
  return RowRange{begin, begin + count, false};
}

std::optional<std::vector<float>> constantRows(const Facts& facts, const std::string& value,
                                               std::int64_t rows, std::int64_t dim,
                                               bool rowsFirst) {
  const Known* known = facts.values.content(value);
  if (known == nullptr || !known->isFloat() || !known->isSure()) return {};
  Integers dims = known->dims;
  if (dims.size() == 4 && !rowsFirst && dims[1] * dims[2] == rows)  // of a grid
    dims = {dims[0], rows, dims[3]};
  if (dims.size() > 3) return {};
  dims.insert(dims.begin(), 3 - dims.size(), 1);
  const std::size_t rowAxis = rowsFirst ? 0 : 1, batchAxis = 1 - rowAxis;
  if ((dims[rowAxis] != rows && dims[rowAxis] != 1) || (dims[2] != dim && dims[2] != 1)) return {};
  const Integers strides = denseStrides(dims);
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(rows * dim));
  for (std::int64_t b = 0; b < dims[batchAxis]; ++b) {
    std::size_t at = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t i = 0; i < dim; ++i, ++at) {
        const std::int64_t place = b * strides[batchAxis] +
                                   (dims[rowAxis] == 1 ? 0 : r * strides[rowAxis]) +
                                   (dims[2] == 1 ? 0 : i);
        const float element = known->floats[static_cast<std::size_t>(place)];
        if (b == 0) {
          result.push_back(element);
        } else if (result[at] != element) {
          return {};
        }
      }
    }
  }
  return result;
}

namespace {

// The numbers of a constant that is broadcast to these sizes, place by place of the axes `down` and
// `across`, of each the features; the same for all images.
std::optional<std::vector<float>> constantPlaces(const Facts& facts, const std::string& value,
                                                 const Integers& sizes, std::size_t down,
                                                 std::size_t across, std::size_t features) {
  const Known* known = facts.values.content(value);
  if (known == nullptr || !known->isFloat() || !known->isSure() || known->dims.size() > 4)
    return {};
  Integers dims = known->dims;
  dims.insert(dims.begin(), 4 - dims.size(), 1);
  if (dims[0] != 1) return {};
  Integers steps = denseStrides(dims);
  for (std::size_t i = 1; i < 4; ++i) {
    if (dims[i] != 1 && dims[i] != sizes[i]) return {};
    if (dims[i] == 1) steps[i] = 0;
  }
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(sizes[1] * sizes[2] * sizes[3]));
  for (std::int64_t y = 0; y < sizes[down]; ++y) {
    for (std::int64_t x = 0; x < sizes[across]; ++x) {
      for (std::int64_t i = 0; i < sizes[features]; ++i)
        result.push_back(known->floats[static_cast<std::size_t>(
            y * steps[down] + x * steps[across] + i * steps[features])]);
    }
  }
  return result;
}

}  // namespace

std::optional<std::vector<float>> constantGrid(const Facts& facts, const std::string& value,
                                               const Integers& grid) {
  return constantPlaces(facts, value, grid, 1, 2, 3);
}

std::optional<std::vector<float>> constantPlanes(const Facts& facts, const std::string& value,
                                                 const Integers& planes) {
  return constantPlaces(facts, value, planes, 2, 3, 1);
}

std::string turnedBack(const Facts& facts, const std::string& value) {
  const Node* node = facts.model.producer(value);
  const bool isTurned = node != nullptr && isOp(*node, "Transpose");
  const std::optional<View> view = isTurned ? viewOf(facts, value) : std::nullopt;
  if (!view || view->offset != 0 || view->factor != 1) return {};
  const Integers& dims = *facts.values.dims(view->base);
  return view->axes == denseView(view->base, dims).axes ? view->base : std::string();
}

}  // namespace mpm::onnx

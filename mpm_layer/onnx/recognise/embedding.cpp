// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/embedding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/table.h"
#include "onnx/recognise/linear.h"
#include "onnx/recognise/view.h"
#include "onnx/recognise/windows.h"

namespace mpm::onnx {

namespace {

bool isAll(const Node& node, const char* name, std::int64_t wanted) {
  const auto values = intsAttribute(node, name);
  return !values || std::all_of(values->begin(), values->end(),
                                [&](std::int64_t value) { return value == wanted; });
}

// Tells whether a convolution reads each patch once: its stride is its size.
bool cutsPatches(const Node& conv, std::int64_t patch) {
  const auto strides = intsAttribute(conv, "strides");
  const std::string pad = stringAttribute(conv, "auto_pad").value_or("NOTSET");
  return strides && isAll(conv, "strides", patch) && isAll(conv, "pads", 0) &&
         isAll(conv, "dilations", 1) && intAttribute(conv, "group").value_or(1) == 1 &&
         (pad == "NOTSET" || pad == "VALID");
}

// Limits sizes that a file may claim without having the data.
bool isSensible(const Integers& grid) {
  constexpr std::int64_t kMostFeatures = 1 << 16, kLongestSide = 1 << 13, kMost = 1 << 25;
  return grid[1] <= kMostFeatures && grid[2] <= kLongestSide && grid[3] <= kLongestSide &&
         grid[1] * grid[2] * grid[3] <= kMost;
}

// Accepts a projection of a picture into patches that overlap, have gaps, or are not square. The
// convolution stays, and its planes are taken. Deeper ones need areOfAStem, since some come after
// stages of other models.
bool makesPlanes(const Node& conv, const Integers& weightDims, std::int64_t dim) {
  constexpr std::int64_t kMostChannels = 4, kMostFeatures = 1 << 12;
  return intAttribute(conv, "group").value_or(1) == 1 && weightDims[1] <= kMostChannels &&
         weightDims[2] * weightDims[3] > 1 && dim <= kMostFeatures;
}

// Reads a convolution that makes planes of so many features; false for any other node.
bool readProjection(const AnalysedModel& analysed, const Node& conv, const std::string& planes,
                    std::int64_t dim, Embedding& found) {
  if (!isOp(conv, "Conv") || conv.input_size() < 2) return false;
  const auto weight = analysed.model.constant(conv.input(1));
  if (!weight || !weight->isFloating() || weight->dims().size() != 4) return false;
  const std::int64_t patch = weight->dims()[2];
  if (weight->dims()[3] != patch || !cutsPatches(conv, patch)) {
    found.patch = 1;
    found.image = planes;
    return makesPlanes(conv, weight->dims(), dim);
  }
  found.patch = patch;
  found.image = conv.input(0);
  found.weight = conv.input(1);
  if (conv.input_size() > 2) found.bias = conv.input(2);
  if (found.bias.empty()) return true;
  const auto bias = analysed.model.constant(found.bias);
  return bias && bias->isFloating() && bias->count() == dim;
}

// Returns planes that are `view`'s base times a scalar, as at the end of a GELU, or the base.
std::string behindFactor(const AnalysedModel& analysed, const View& view) {
  if (view.nodes.empty() || view.factor == 1) return view.base;
  const Node& first = *view.nodes.back();
  const bool isScaled = isAny(first, {"Mul", "Div"}) && first.output_size() == 1;
  const bool isAlone = std::none_of(view.nodes.begin(), view.nodes.end() - 1, [](const Node* node) {
    return isAny(*node, {"Mul", "Div"});
  });
  const Integers* dims = isScaled && isAlone ? analysed.values.dims(first.output(0)) : nullptr;
  return dims != nullptr && *dims == *analysed.values.dims(view.base) ? first.output(0) : "";
}

// Reads planes of patches with a constant added, as positions are; false for others. The constant
// becomes rows.
bool readPlaced(const AnalysedModel& analysed, const std::string& planes, const Integers& grid,
                Embedding& found, std::vector<float>& positions) {
  const auto sum = constantOperand(analysed.model, planes, "Add");
  const Node* conv = sum ? analysed.model.producer(sum->value) : nullptr;
  if (conv == nullptr || !readProjection(analysed, *conv, sum->value, grid[1], found) ||
      found.weight.empty())
    return false;
  auto added = constantPlanes(analysed, sum->constant, grid);
  if (added) positions = std::move(*added);
  return added.has_value();
}

std::optional<Embedding> findPatches(const AnalysedModel& analysed, const std::string& value) {
  const std::optional<View> view = viewOf(analysed, value);
  if (!view || view->offset != 0) return {};
  const std::string planes = behindFactor(analysed, *view);
  const Node* maker = analysed.model.producer(planes);
  const Integers& grid = *analysed.values.dims(view->base);
  if (maker == nullptr || grid.size() != 4 || !isSensible(grid)) return {};
  Embedding found;
  std::vector<float> positions;
  const bool isPlaced =
      planes == view->base && readPlaced(analysed, planes, grid, found, positions);
  if (!isPlaced) found = {};
  if (!isPlaced && !readProjection(analysed, *maker, planes, grid[1], found)) {
    if (!areOfAStem(analysed, planes, value)) return {};
    found = {};
    found.image = planes;
    found.patch = 1;
  }
  found.batch = grid[0];
  found.dim = grid[1];
  found.gridHeight = grid[2];
  found.gridWidth = grid[3];
  const std::int64_t count = found.gridHeight * found.gridWidth;
  const auto stride = [](std::int64_t size, std::int64_t step) { return size == 1 ? 0 : step; };
  const std::int64_t images = stride(found.batch, found.dim * count);
  const std::int64_t rows = stride(count, 1), features = stride(found.dim, count);
  const Integers dims = view->dims();
  const auto strides = view->strides();
  if (dims == Integers{found.batch, count, found.dim} &&
      strides == Integers{images, rows, features}) {
    found.rowsFirst = false;
  } else if (dims == Integers{count, found.batch, found.dim} &&
             strides == Integers{rows, images, features}) {
    found.rowsFirst = true;
  } else if (dims != Integers{found.batch, found.gridHeight, found.gridWidth, found.dim} ||
             strides != Integers{images, stride(found.gridHeight, found.gridWidth),
                                 stride(found.gridWidth, 1), features}) {
    return {};
  }
  found.segments = {{true, count, std::move(positions)}};
  return found;
}

// Passes on rows that come window by window, in other dimensions.
std::optional<Embedding> sameRows(const AnalysedModel& analysed, const std::string& value,
                                  const std::string& from, const Embedding& before) {
  const bool areSame = behindRowViews(analysed, value) == behindRowViews(analysed, from);
  return areSame ? std::optional(before) : std::nullopt;
}

// Matches rows of the grid in a line, or in height and width.
bool isGrid(const Integers* dims, const Embedding& embedding) {
  return dims != nullptr && embedding.segments.size() == 1 && embedding.hasImage() &&
         !embedding.rowsFirst &&
         (*dims == Integers{embedding.batch, embedding.rows(), embedding.dim} ||
          *dims ==
              Integers{embedding.batch, embedding.gridHeight, embedding.gridWidth, embedding.dim});
}

std::optional<Embedding> add(const AnalysedModel& analysed, const Node& node,
                             const EmbeddingOf& known) {
  for (int i = 0; i < 2; ++i) {
    const Embedding* before = known(node.input(i));
    if (before == nullptr) continue;
    if (before->shares() > 1) return {};
    const Integers *dims = analysed.values.dims(node.input(i)),
                   *made = analysed.values.dims(node.output(0));
    if (dims == nullptr || made == nullptr || *dims != *made) return {};
    const std::string& other = node.input(1 - i);
    const auto constant = dims->size() == 4 ? constantGrid(analysed, other, *dims)
                                            : constantRows(analysed, other, before->rows(),
                                                           before->dim, before->rowsFirst);
    if (!constant) return {};
    Embedding after = *before;
    const float* row = constant->data();
    for (Embedding::Segment& segment : after.segments) {
      segment.values.resize(static_cast<std::size_t>(segment.count * after.dim), 0.0F);
      for (float& value : segment.values) value += *row++;
    }
    return after;
  }
  return {};
}

// Multiplies all rows by a number, or by one for each feature.
std::optional<Embedding> scale(const AnalysedModel& analysed, const std::string& value,
                               const EmbeddingOf& known) {
  const auto product = constantOperand(analysed.model, value, "Mul");
  const Embedding* before = product ? known(product->value) : nullptr;
  if (before == nullptr) return {};
  const auto constant = analysed.model.constant(product->constant);
  const bool isVector =
      isLastAxisVector(analysed.model, product->constant) && constant->count() == before->dim;
  const Integers *dims = analysed.values.dims(product->value), *made = analysed.values.dims(value);
  if (!constant->isFloating() || (constant->count() != 1 && !isVector) || dims == nullptr ||
      made == nullptr || *dims != *made)
    return {};
  const Floats numbers = constant->floats();
  const auto dim = static_cast<std::size_t>(before->dim);
  Embedding after = *before;
  after.factors.resize(dim, 1.0F);
  const auto factorOf = [&](std::size_t i) { return numbers[isVector ? i % dim : 0]; };
  for (std::size_t i = 0; i < dim; ++i) after.factors[i] *= factorOf(i);
  for (Embedding::Segment& segment : after.segments) {
    for (std::size_t i = 0; i < segment.values.size(); ++i) segment.values[i] *= factorOf(i);
  }
  return after;
}

// Repeats a segment's rows for each window of a picture.
Embedding::Segment forEachWindow(const Embedding& whole, Embedding::Segment segment) {
  if (segment.isImage || !whole.windows.areThere()) return segment;
  const std::vector<float> share = segment.values;
  for (std::int64_t i = 1; i < whole.windows.count(); ++i)
    segment.values.insert(segment.values.end(), share.begin(), share.end());
  segment.count *= whole.windows.count();
  return segment;
}

std::optional<Embedding> concat(const AnalysedModel& analysed, const Node& node,
                                const std::string& value, const EmbeddingOf& known) {
  std::optional<Embedding> after;
  for (const std::string& input : node.input()) {
    const Embedding* part = known(input);
    if (part != nullptr && (!after || part->windows.areThere())) after = *part;
  }
  if (after) after->segments.clear();
  const Integers* dims = analysed.values.dims(value);
  if (!after || dims == nullptr || dims->size() != 3) return {};
  const auto axis = axisOf(intAttribute(node, "axis").value_or(0), 3);
  if (!axis || *axis != (after->rowsFirst ? 0U : 1U)) return {};
  for (const std::string& input : node.input()) {
    if (const Embedding* part = known(input)) {
      if (part->image != after->image || part->weight != after->weight ||
          part->factors != after->factors || part->rowsFirst != after->rowsFirst ||
          part->shares() != after->shares())
        return {};
      for (const Embedding::Segment& segment : part->segments)
        after->segments.push_back(part->windows.areThere() ? segment
                                                           : forEachWindow(*after, segment));
      continue;
    }
    const Integers* shape = analysed.values.dims(input);
    if (shape == nullptr || shape->size() != 3) return {};
    const std::int64_t count = (*shape)[*axis];
    auto constant = constantRows(analysed, input, count, after->dim, after->rowsFirst);
    if (!constant) return {};
    after->segments.push_back(forEachWindow(*after, {false, count, std::move(*constant)}));
  }
  const auto images = std::count_if(after->segments.begin(), after->segments.end(),
                                    [](const auto& segment) { return segment.isImage; });
  return images <= 1 ? after : std::nullopt;
}

std::optional<Embedding> slice(const AnalysedModel& analysed, const Node& node,
                               const std::string& value, const Embedding& before) {
  const auto range = rowRange(analysed, node, value, before.rowsFirst);
  if (!range || range->dropsAxis || before.repeated > 1) return {};
  Embedding after = before;
  after.segments.clear();
  std::int64_t first = 0;
  for (const Embedding::Segment& segment : before.segments) {
    const std::int64_t begin = std::max(range->begin, first) - first;
    const std::int64_t end = std::min(range->end, first + segment.count) - first;
    first += segment.count;
    if (begin >= end) continue;
    if (segment.isImage && (begin != 0 || end != segment.count)) return {};
    Embedding::Segment part{segment.isImage, end - begin, segment.values};
    if (!segment.isImage) {
      const auto at = segment.values.begin();
      part.values.assign(at + begin * before.dim, at + end * before.dim);
    }
    after.segments.push_back(std::move(part));
  }
  return after;
}

}  // namespace

std::int64_t Embedding::rows() const {
  std::int64_t count = 0;
  for (const Segment& segment : segments) count += segment.count;
  return count;
}

bool Embedding::hasImage() const {
  return std::any_of(segments.begin(), segments.end(),
                     [](const Segment& segment) { return segment.isImage; });
}

const Embedding::Segment& Embedding::imageSegment() const {
  return *std::find_if(segments.begin(), segments.end(),
                       [](const Segment& segment) { return segment.isImage; });
}

std::optional<Embedding> findEmbedding(const AnalysedModel& analysed, const std::string& value,
                                       const EmbeddingOf& known) {
  const Node* node = analysed.model.producer(value);
  if (node == nullptr || node->input_size() < 1) return {};
  if (isOp(*node, "Add") && node->input_size() == 2) return add(analysed, *node, known);
  if (isOp(*node, "Concat")) return concat(analysed, *node, value, known);
  if (isOp(*node, "Mul")) return scale(analysed, value, known);
  if (const Embedding* before = known(node->input(0))) {
    if (isPassing(analysed, *node)) return *before;
    if (before->windows.areThere()) return sameRows(analysed, value, node->input(0), *before);
    if (auto repeated = repeatedRows(analysed, *node, value, *before)) return repeated;
    if (auto padded = paddedRows(analysed, *node, value, *before)) return padded;
    if (isGrid(analysed.values.dims(value), *before) &&
        behindRowViews(analysed, value) == behindRowViews(analysed, node->input(0)))
      return *before;
    if (swapsRowsAndBatch(*node)) {
      Embedding after = *before;
      after.rowsFirst = !after.rowsFirst;
      return after;
    }
    return slice(analysed, *node, value, *before);
  }
  if (auto dealt = dealtOut(analysed, *node, value, known)) return dealt;
  return findPatches(analysed, value);
}

std::vector<float> resizePositions(const std::vector<float>& positions, std::int64_t dim,
                                   std::int64_t height, std::int64_t width, std::int64_t newHeight,
                                   std::int64_t newWidth) {
  struct Tap {
    std::int64_t low, high;
    double share;  // of high
  };
  const auto tap = [](std::int64_t i, std::int64_t from, std::int64_t to) {
    const double centre =
        (static_cast<double>(i) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
    const double at = std::clamp(centre, 0.0, static_cast<double>(from - 1));
    const auto low = static_cast<std::int64_t>(std::floor(at));
    return Tap{low, std::min(low + 1, from - 1), at - static_cast<double>(low)};
  };
  std::vector<float> resized;
  resized.reserve(static_cast<std::size_t>(newHeight * newWidth * dim));
  for (std::int64_t y = 0; y < newHeight; ++y) {
    const Tap v = tap(y, height, newHeight);
    for (std::int64_t x = 0; x < newWidth; ++x) {
      const Tap h = tap(x, width, newWidth);
      const auto row = [&](std::int64_t line, std::int64_t column) {
        return positions.data() + (line * width + column) * dim;
      };
      const float* a = row(v.low, h.low);
      const float* b = row(v.low, h.high);
      const float* c = row(v.high, h.low);
      const float* d = row(v.high, h.high);
      for (std::int64_t i = 0; i < dim; ++i) {
        const double top = a[i] + (b[i] - a[i]) * h.share;
        const double bottom = c[i] + (d[i] - c[i]) * h.share;
        resized.push_back(static_cast<float>(top + (bottom - top) * v.share));
      }
    }
  }
  return resized;
}

std::int64_t batchOf(const AnalysedModel& analysed) {
  const std::vector<Value> inputs = analysed.model.inputs();
  const Integers* image = inputs.empty() ? nullptr : analysed.values.dims(inputs[0].name);
  return image == nullptr || image->empty() ? 1 : image->front();
}

namespace {

// Returns the number that a Pad adds; std::nullopt if it is not one number, or unknown.
std::optional<float> addedNumber(const AnalysedModel& analysed, const Node& node) {
  if (stringAttribute(node, "mode").value_or("constant") != "constant" || hasInput(node, 3))
    return std::nullopt;
  if (hasInput(node, 2)) return scalarConstant(analysed.model, node.input(2));
  return floatAttribute(node, "value").value_or(0);
}

}  // namespace

std::optional<Embedding> paddedRows(const AnalysedModel& analysed, const Node& node,
                                    const std::string& value, const Embedding& before) {
  constexpr std::int64_t kMostRows = 64;  // a file need not have what it adds
  if (!isOp(node, "Pad") || before.repeated > 1 || before.windows.areThere()) return {};
  const std::optional<float> number = addedNumber(analysed, node);
  const std::optional<Integers> pads = callOf(analysed, node).list("pads", 1);
  const Integers *from = analysed.values.dims(node.input(0)), *to = analysed.values.dims(value);
  if (!number || !pads || pads->size() != 6 || from == nullptr || to == nullptr ||
      from->size() != 3 || to->size() != 3)
    return {};
  const std::size_t axis = before.rowsFirst ? 0 : 1;
  const std::int64_t above = (*pads)[axis], below = (*pads)[3 + axis];
  Integers rest = *pads;
  rest[axis] = rest[3 + axis] = 0;
  const bool isOfRows =
      std::all_of(rest.begin(), rest.end(), [](std::int64_t pad) { return pad == 0; });
  if (!isOfRows || above < 0 || below < 0 || above > kMostRows || below > kMostRows ||
      (*from)[axis] != before.rows() || from->back() != before.dim ||
      (*to)[axis] != before.rows() + above + below)
    return {};
  const auto rows = [&](std::int64_t count) {
    return Embedding::Segment{
        false, count, std::vector<float>(static_cast<std::size_t>(count * before.dim), *number)};
  };
  Embedding after = before;
  if (above > 0) after.segments.insert(after.segments.begin(), rows(above));
  if (below > 0) after.segments.push_back(rows(below));
  return after;
}

namespace {

bool isScores(const Model& model, const Node& node) {
  return isOp(node, "MatMul") && node.input_size() == 2 && !model.constant(node.input(0)) &&
         !model.constant(node.input(1));
}

// Tells whether rows are compared with each other before a convolution reads them again. Rows also
// come before the norms of a convolutional stage (ConvNeXt).
bool areCompared(const Model& model, const std::string& rows) {
  constexpr std::size_t kMost = 256;
  std::unordered_set<std::string> seen{rows};
  std::vector<std::string> waiting{rows};
  for (std::size_t i = 0; i < waiting.size() && i < kMost; ++i) {
    const std::string value = waiting[i];
    for (const Node* reader : model.consumers(value)) {
      if (isScores(model, *reader)) return true;
      if (isAny(*reader, {"Conv", "ConvTranspose", "Resize", "MaxPool", "AveragePool", "Shape"}))
        continue;
      for (const std::string& output : reader->output()) {
        if (!output.empty() && seen.insert(output).second) waiting.push_back(output);
      }
    }
  }
  return false;
}

}  // namespace

bool areOfAStem(const AnalysedModel& analysed, const std::string& planes, const std::string& rows) {
  const Integers* dims = analysed.values.dims(planes);
  const Node* maker = analysed.model.producer(planes);
  if (dims == nullptr || dims->size() != 4 || dims->front() != batchOf(analysed) ||
      maker == nullptr)
    return false;
  const bool mayMake =
      isAny(*maker, {"Conv", "BatchNormalization", "Relu", "Gelu", "Mul", "Div", "Add", "Sub",
                     "Clip", "LeakyRelu", "PRelu", "Elu", "HardSwish", "MaxPool", "AveragePool"});
  return mayMake && areCompared(analysed.model, rows);
}

}  // namespace mpm::onnx

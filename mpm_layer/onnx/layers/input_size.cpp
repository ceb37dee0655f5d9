// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/layers/recognise.h"
#include "onnx/layers/rewrite_model.h"
#include "onnx/recognise/embedding.h"
#include "onnx/recognise/linear.h"

namespace mpm::onnx {

namespace {

// Last axis of coordinates [.., 2], which SAM's decoder takes. They are not a picture.
constexpr std::int64_t kCoordinates = 2;

constexpr std::int64_t kMostSpecial = 16, kLeastGrid = 2, kMostGrid = 512, kMostPatch = 256;

using Grids = std::set<std::pair<std::int64_t, std::int64_t>>;  // rows and columns

// Adds the square grids that so many rows may hold after a few special ones.
void addSquares(std::int64_t rows, Grids& grids) {
  for (std::int64_t special = 0; special <= kMostSpecial; ++special) {
    const std::int64_t count = rows - special;
    if (count < kLeastGrid * kLeastGrid || count > kMostGrid * kMostGrid) continue;
    const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(count))));
    if (side * side == count) grids.emplace(side, side);
  }
}

// Adds the grids that a constant with so many features may stand for. It has rows [1, N, D] or [N,
// D]; before a Resize, [1, D, rows, columns] or [1, rows, columns, D].
void addGrids(const Integers& dims, std::int64_t features, Grids& grids) {
  const std::size_t rank = dims.size();
  if (rank == 2 && dims[1] == features) addSquares(dims[0], grids);
  if (rank < 3 || dims[0] != 1) return;
  if (rank == 3 && dims[2] == features) addSquares(dims[1], grids);
  const auto isSide = [](std::int64_t size) { return size >= kLeastGrid && size <= kMostGrid; };
  const std::size_t first = rank == 4 && dims[1] == features ? 2 : 1;
  if (rank != 4 || (first == 1 && dims[3] != features)) return;
  if (isSide(dims[first]) && isSide(dims[first + 1])) grids.emplace(dims[first], dims[first + 1]);
}

// Tells whether a constant is a weight of a linear layer or a convolution, perhaps transposed. Its
// sizes then say nothing about patches.
bool isWeight(const Model& model, const std::string& constant) {
  const auto isRead = [&](const std::string& value, const auto& by) {
    const std::vector<const Node*>& readers = model.consumers(value);
    return std::any_of(readers.begin(), readers.end(), by);
  };
  const auto multiplies = [](const Node* node) {
    return isAny(*node, {"MatMul", "Gemm", "Conv", "ConvTranspose"});
  };
  return isRead(constant, multiplies) || isRead(constant, [&](const Node* node) {
           return isOp(*node, "Transpose") && isRead(node->output(0), multiplies);
         });
}

// Returns the first convolution that cuts the image into patches.
const Node* patchesOf(const Model& model, std::int64_t channels) {
  for (const Node* node : model.nodes()) {
    if (!isOp(*node, "Conv") || node->input_size() < 2) continue;
    const auto weight = model.constant(node->input(1));
    const auto strides = intsAttribute(*node, "strides");
    if (!weight || weight->dims().size() != 4 || !strides || strides->empty()) continue;
    const std::int64_t patch = weight->dims()[2];
    if (patch == (*strides)[0] && patch > 1 && patch <= kMostPatch &&
        (channels < 1 || weight->dims()[1] == channels))
      return node;
  }
  return nullptr;
}

// Scales the last two of [B, C, H, W] with the input.
bool scaleSizes(Integers& sizes, const SizeChange& change) {
  if (sizes.size() != 4) return false;
  const auto scale = [](std::int64_t& size, std::int64_t from, std::int64_t to) {
    if (size * to % from != 0) return false;
    size = size * to / from;
    return true;
  };
  return scale(sizes[2], change.oldHeight, change.newHeight) &&
         scale(sizes[3], change.oldWidth, change.newWidth);
}

// Resizes a table of the grid's places, [1 x] rows * columns x K, to the new grid as positions are.
// Returns std::nullopt if the constant is not one: a single column may be a bias of as many
// features.
std::optional<::onnx::TensorProto> resizedTable(const Tensor& table, const SizeChange& change,
                                                const std::string& name) {
  Integers dims = table.dims();
  const std::int64_t count = change.oldRows * change.oldColumns;
  const bool isTable = (dims.size() == 2 || (dims.size() == 3 && dims[0] == 1)) &&
                       dims[dims.size() - 2] == count && dims.back() > 1 && table.isFloating();
  if (!isTable) return std::nullopt;
  dims[dims.size() - 2] = change.newRows * change.newColumns;
  const Floats old = table.floats();
  const std::vector<float> values =
      resizePositions({old.begin(), old.end()}, dims.back(), change.oldRows, change.oldColumns,
                      change.newRows, change.newColumns);
  return floatTensor(name, dims, values.data());
}

void resizeAdded(const Model& model, const Node& node, const SizeChange& change, Edit& edit) {
  for (int i = 0; i < node.input_size(); ++i) {
    const auto constant = model.constant(node.input(i));
    const std::string name = model.unusedName("mpm/added_" + std::to_string(edit.add.size()));
    const auto table = constant ? resizedTable(*constant, change, name) : std::nullopt;
    if (!table) continue;
    edit.constants.push_back(*table);
    edit.remove.push_back(&node);
    edit.add.push_back(node);
    edit.add.back().set_input(i, name);
    return;
  }
}

[[noreturn]] void refuse(const Node& node) {
  throw ModelError("another input size is not possible: " + nameOf(node) +
                   " after the encoder was made for the model's own");
}

bool poolsFixedWindow(const Node& node) {
  const auto kernel = intsAttribute(node, "kernel_shape");
  const auto strides = intsAttribute(node, "strides");
  return isOp(node, "AveragePool") && kernel && (!strides || *kernel == *strides) &&
         (*kernel)[0] > 3;
}

}  // namespace

ImageInput imageInput(const Model& model) {
  for (const Value& value : model.inputs()) {
    if (!value.hasShape || value.dims.size() != 4) continue;
    ImageInput input{value.name, {}};
    for (const Dim& dim : value.dims) input.dims.push_back(dim.size);
    const auto isCount = [](std::int64_t size) { return size == 1 || size == 3 || size == 4; };
    input.channelsLast = isCount(input.dims[3]) && !isCount(input.dims[1]);
    if (input.width() == kCoordinates) continue;
    return input;
  }
  return {};
}

std::int64_t channelsOf(const Model& model, const ImageInput& input) {
  std::set<std::string> images = {input.name};  // as it is, and in other scales and types
  for (const Node* node : model.nodes()) {
    if (node->input_size() == 0 || images.count(node->input(0)) == 0) continue;
    if (isAny(*node, {"Identity", "Cast", "Add", "Sub", "Mul", "Div"})) {
      images.insert(node->output(0));
    } else if (isOp(*node, "Conv") && node->input_size() > 1) {
      const auto weight = model.constant(node->input(1));
      if (weight && weight->dims().size() == 4) {
        return weight->dims()[1] * intAttribute(*node, "group").value_or(1);
      }
    }
  }
  return -1;
}

std::vector<ImageInput> sizesByPositions(const Model& model, ImageInput input) {
  if (input.dims.size() != 4) return {};
  const Node* patches = patchesOf(model, input.channels());
  if (patches == nullptr) return {};
  const Tensor weight = *model.constant(patches->input(1));
  Grids grids;
  for (const auto& constant : model.proto().graph().initializer()) {
    if (!isWeight(model, constant.name()))
      addGrids({constant.dims().begin(), constant.dims().end()}, weight.dims()[0], grids);
  }
  std::vector<ImageInput> sizes;
  for (auto grid = grids.rbegin(); grid != grids.rend(); ++grid) {
    sizes.push_back(input);
    ImageInput& size = sizes.back();
    if (size.channels() < 1) size.channels() = weight.dims()[1];
    if (size.height() < 1) size.height() = grid->first * weight.dims()[2];
    if (size.width() < 1) size.width() = grid->second * weight.dims()[2];
  }
  return sizes;
}

bool replaceSizes(Integers& sizes, const SizeChange& change) {
  bool replaced = false;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    const auto isPair = [&](std::int64_t rows, std::int64_t columns) {
      return sizes[i] == rows && sizes[i + 1] == columns;
    };
    const bool isGrid = isPair(change.oldRows, change.oldColumns);
    if (!isGrid && !isPair(change.oldHeight, change.oldWidth)) continue;
    sizes[i] = isGrid ? change.newRows : change.newHeight;
    sizes[++i] = isGrid ? change.newColumns : change.newWidth;
    replaced = true;
  }
  if (replaced) return true;
  const std::int64_t count = change.oldRows * change.oldColumns;
  const std::int64_t more = change.newRows * change.newColumns - count;
  const std::int64_t pixels = change.oldHeight * change.oldWidth;
  // Rows besides the patches' distinguish their number from a number of features.
  const bool hasAll =
      change.special > 0 && std::count(sizes.begin(), sizes.end(), count + change.special) == 1;
  const auto isCount = [&](std::int64_t size) {
    return hasAll ? size == count + change.special : size == count || size == pixels;
  };
  const auto counts = std::count_if(sizes.begin(), sizes.end(), isCount);
  if (counts > 1 || (counts == 0 && sizes.size() == 4)) return false;
  for (std::int64_t& size : sizes) {
    if (!isCount(size)) continue;
    if (size == change.features) return false;
    size = size == pixels ? change.newHeight * change.newWidth : size + more;
  }
  return true;
}

SizeChange sizeChangeOf(const Recognised& recognised) {
  const Encoder& encoder = recognised.encoder;
  return {recognised.ownHeight,
          recognised.ownWidth,
          recognised.height,
          recognised.width,
          encoder.gridHeight,
          encoder.gridWidth,
          recognised.height / encoder.patch,
          recognised.width / encoder.patch,
          encoder.special,
          encoder.dim};
}

namespace {

// Refuses a factor or divisor that may be a count of rows or pixels, as exporters write for a
// deviation. It would be wrong at another size.
void refuseCounts(const Model& model, const Node& node, const SizeChange& change) {
  constexpr std::int64_t kFewest = 3;  // of fewer, one less is 1
  const std::int64_t patches = change.oldRows * change.oldColumns;
  for (int i = 0; i < node.input_size(); ++i) {
    const std::optional<float> constant = scalarConstant(model, node.input(i));
    if (!constant || !(*constant > 0)) continue;
    const double number = std::max<double>(*constant, 1 / *constant);
    for (const std::int64_t count :
         {patches, patches + change.special, change.oldHeight * change.oldWidth}) {
      const auto n = static_cast<double>(count);
      const auto isNear = [&](double other) { return std::abs(number - other) <= 1e-6 * other; };
      if (count >= kFewest && (isNear(n) || isNear(n - 1) || isNear(n / (n - 1))))
        throw ModelError("another input size is not possible: a number of " + nameOf(node) +
                         " may have been made from how many tokens or pixels there are");
    }
  }
}

}  // namespace

void resizeHead(Model& model, const SizeChange& change,
                const std::unordered_set<std::string>& planned) {
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (node->output_size() > 0 && planned.count(node->output(0)) != 0) continue;
    if (poolsFixedWindow(*node)) refuse(*node);
    if (isOp(*node, "Add")) resizeAdded(model, *node, change, edit);
    if (isAny(*node, {"Mul", "Div"})) refuseCounts(model, *node, change);
    const bool reshape = isOp(*node, "Reshape"), resize = isOp(*node, "Resize");
    if (!reshape && !resize) continue;
    const int at = reshape ? 1 : 3;
    if (node->input_size() <= at || node->input(at).empty()) continue;  // scales hold for any size
    const auto constant = model.constant(node->input(at));
    if (!constant) refuse(*node);
    Integers sizes = constant->integers();
    if (!(reshape ? replaceSizes(sizes, change) : scaleSizes(sizes, change))) refuse(*node);
    if (sizes == constant->integers()) continue;
    const std::string name = model.unusedName("mpm/sizes_" + std::to_string(edit.add.size()));
    edit.constants.push_back(integerTensor(name, {static_cast<std::int64_t>(sizes.size())}, sizes));
    edit.remove.push_back(node);
    edit.add.push_back(*node);
    edit.add.back().set_input(at, name);
  }
  model.apply(std::move(edit));
}

std::unordered_map<std::string, Integers> dimsAtSize(const Model& model, const ResizedInput& input,
                                                     const DimsOf& ownDims) {
  Integers dims = input.sizes;
  const Integers* own = ownDims(input.name);
  dims.insert(dims.begin(), own == nullptr || own->empty() ? -1 : own->front());
  const Values values(model, {{input.name, dims}});
  std::unordered_map<std::string, Integers> result{{input.name, std::move(dims)}};
  std::unordered_set<std::string> behind;  // a layer
  for (const Node* node : model.nodes()) {
    const bool isBehind =
        isLayer(*node) || std::any_of(node->input().begin(), node->input().end(),
                                      [&](auto& name) { return behind.count(name) != 0; });
    for (const std::string& value : node->output()) {
      if (isBehind) behind.insert(value);
      const Integers* found = isBehind ? ownDims(value) : values.dims(value);
      if (found == nullptr) continue;
      Integers& sizes = result.emplace(value, *found).first->second;
      if (isBehind && !replaceSizes(sizes, input.change)) sizes.assign(sizes.size(), -1);
    }
  }
  return result;
}

}  // namespace mpm::onnx

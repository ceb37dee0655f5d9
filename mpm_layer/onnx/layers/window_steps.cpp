// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/row_steps.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/view.h"
#include "onnx/recognise/windows.h"

namespace mpm::onnx {
namespace {

// Tells whether a Pad adds zeros only at the end of H and W of [B, H, W, D].
bool addsZerosBehind(const AnalysedModel& analysed, const Node& node) {
  if (!isOp(node, "Pad") || node.input_size() < 2 ||
      stringAttribute(node, "mode").value_or("constant") != "constant" ||
      (node.input_size() > 3 && !node.input(3).empty()))
    return false;
  const KnownTensor* pads = analysed.values.content(node.input(1));
  if (pads == nullptr || pads->isFloat() || !pads->isSure() || pads->integers.size() != 8)
    return false;
  if (node.input_size() > 2 && !node.input(2).empty()) {
    const KnownTensor* value = analysed.values.content(node.input(2));
    if (value == nullptr || !value->isFloat() || !value->isSure() || value->count() != 1 ||
        value->floats[0] != 0)
      return false;
  }
  const Integers& added = pads->integers;
  return std::all_of(added.begin(), added.begin() + 5, [](auto each) { return each == 0; }) &&
         added[5] >= 0 && added[6] >= 0 && added[7] == 0;
}

bool isOnGrid(const Tokens& tokens) {
  return tokens.isImageOnly() && !tokens.rowsFirst && !tokens.dropsRows && !tokens.isScores &&
         !tokens.windows.areThere();
}

bool isOnOwnGrid(const Tokens& tokens, TokenValues& tokenValues) {
  if (!tokens.hasOwnGrid)
    tokenValues.noteOwnGrid("its blocks attend within windows, which are for its own size alone");
  return tokens.hasOwnGrid;
}

// Returns the size of the grid in the model.
std::pair<std::int64_t, std::int64_t> gridOf(const Tokens& tokens) {
  return tokens.isPadded() ? std::pair{tokens.paddedHeight, tokens.paddedWidth}
                           : std::pair{tokens.gridHeight, tokens.gridWidth};
}

void setGrid(std::int64_t height, std::int64_t width, Tokens& tokens) {
  const bool isOwn = height == tokens.gridHeight && width == tokens.gridWidth;
  tokens.paddedHeight = isOwn ? 0 : height;
  tokens.paddedWidth = isOwn ? 0 : width;
}

}  // namespace

bool WindowSteps::follow(const Node& node, const std::string& value) {
  if (node.input_size() < 1) return false;
  return followPad(node, value) || followDeal(node, value) || followPutBack(node, value) ||
         followCut(node, value);
}

bool WindowSteps::followPad(const Node& node, const std::string& value) {
  if (!addsZerosBehind(analysed_, node)) return false;
  const Tokens* before = tokenValues_.outside(node.input(0));
  const Integers *own = analysed_.values.dims(node.input(0)), *made = analysed_.values.dims(value);
  if (before == nullptr || !isOnGrid(*before) || before->isPadded() || own == nullptr ||
      made == nullptr || made->size() != 4 || !isOnOwnGrid(*before, tokenValues_) ||
      *own != Integers{tokenValues_.batch(), before->gridHeight, before->gridWidth, before->dim})
    return false;
  Tokens after = *before;
  setGrid((*made)[1], (*made)[2], after);
  tokenValues_.setTokens(value, std::move(after));
  return true;
}

bool WindowSteps::followDeal(const Node& node, const std::string& value) {
  const std::optional<DealtRows> dealt = dealtRows(analysed_, node);
  const Tokens* before = dealt ? tokenValues_.outside(dealt->from) : nullptr;
  if (before == nullptr || !isOnGrid(*before) || !isOnOwnGrid(*before, tokenValues_)) return false;
  const auto [height, width] = gridOf(*before);
  const Windows& windows = dealt->windows;
  if (dealt->batch != tokenValues_.batch() || dealt->dim != before->dim ||
      windows.down * windows.height != height || windows.across * windows.width != width)
    return false;
  Tokens after = *before;
  after.windows = windows;
  tokenValues_.setTokens(value, std::move(after));
  return true;
}

bool WindowSteps::followPutBack(const Node& node, const std::string& value) {
  if (!isOp(node, "Transpose")) return false;
  const Tokens* before = tokenValues_.outside(behindRowViews(analysed_, node.input(0)));
  if (before == nullptr || !before->isImageOnly() || !before->windows.areThere() ||
      !putsBack(analysed_, node, before->windows, tokenValues_.batch(), before->dim))
    return false;
  Tokens after = *before;
  after.windows = {};
  tokenValues_.setTokens(value, std::move(after));
  return true;
}

// Cuts off some or all padding; false for other slices.
bool WindowSteps::followCut(const Node& node, const std::string& value) {
  if (!isOp(node, "Slice")) return false;
  const Tokens* before = tokenValues_.outside(node.input(0));
  const Integers *own = analysed_.values.dims(node.input(0)), *made = analysed_.values.dims(value);
  if (before == nullptr || !isOnGrid(*before) || own == nullptr || made == nullptr ||
      made->size() != 4)
    return false;
  const auto [height, width] = gridOf(*before);
  const std::optional<View> view = viewThrough(analysed_, node, value);
  const Integers grid{tokenValues_.batch(), height, width, before->dim};
  Integers kept{tokenValues_.batch(), (*made)[1], (*made)[2], before->dim};
  if (*own != grid || *made != kept || !view || view->offset != 0 || kept[1] < before->gridHeight ||
      kept[2] < before->gridWidth)
    return false;
  // The rest keeps every element, and none twice.
  View whole = denseView(node.input(0), grid);
  const std::optional<Integers> steps = whole.strides(), left = view->strides();
  for (std::size_t i = 0; i < 4; ++i) {
    if (!left || (kept[i] > 1 && (*left)[i] != (*steps)[i])) return false;
  }
  Tokens after = *before;
  setGrid(kept[1], kept[2], after);
  tokenValues_.setTokens(value, std::move(after));
  return true;
}

bool hasZerosAdded(const AnalysedModel& analysed, const std::string& value) {
  const Node* node = analysed.model.producer(value);
  const std::optional<DealtRows> dealt =
      node != nullptr ? dealtRows(analysed, *node) : std::nullopt;
  const Node* pad = dealt ? analysed.model.producer(dealt->from) : nullptr;
  return pad != nullptr && addsZerosBehind(analysed, *pad);
}

}  // namespace mpm::onnx

// SPDX-License-Identifier: Apache-2.0
// What stands in front of an encoder, in the order in which its finder looks for it.
#include <algorithm>
#include <array>

#include "onnx/attribute.h"
#include "onnx/lower_rules.h"
#include "onnx/shape_call.h"

namespace mpm::onnx {
namespace {

// A picture [B, C, H, W] that Reshape and Transpose have cut into rows of patches.
struct CutPicture {
  std::string image;
  std::int64_t channels = 0, patch = 0, features = 0;
  // Of a row's elements: 1 is the channel, 3 the line, 5 the column.
  std::array<std::size_t, 3> order{};
};

// The producer of a value if it is of this type and has an input.
const Node* producerOf(const Spelling& spelling, const std::string& value, const char* type) {
  const Node* node = spelling.model().producer(value);
  return node != nullptr && isOp(*node, type) && hasInput(*node, 0) ? node : nullptr;
}

// The first of the nodes that give a value other dimensions, one behind the other; null for none.
const Node* firstReshape(const Spelling& spelling, const std::string& value) {
  constexpr int kMost = 4;
  const Node* first = producerOf(spelling, value, "Reshape");
  for (int i = 0; first != nullptr && i < kMost; ++i) {
    const Node* before = producerOf(spelling, first->input(0), "Reshape");
    if (before == nullptr) break;
    first = before;
  }
  return first;
}

// What [B, count, features] rows were cut from: [B, C, h, p, w, p], with h and w behind B then.
std::optional<CutPicture> cutPicture(const Spelling& spelling, const std::string& rows) {
  const Node* joined = firstReshape(spelling, rows);
  const Node* turned = joined ? producerOf(spelling, joined->input(0), "Transpose") : nullptr;
  const Node* cut = turned ? producerOf(spelling, turned->input(0), "Reshape") : nullptr;
  if (cut == nullptr) return std::nullopt;
  const Integers *made = spelling.dims(rows), *parts = spelling.dims(turned->input(0)),
                 *image = spelling.dims(cut->input(0));
  const auto order = intsAttribute(*turned, "perm");
  if (!made || !parts || !image || !order || made->size() != 3 || parts->size() != 6 ||
      image->size() != 4 || order->size() != 6)
    return std::nullopt;
  constexpr std::array<std::int64_t, 3> kWithin = {1, 3, 5};
  const auto within = order->begin() + 3;
  if (Integers(order->begin(), within) != Integers{0, 2, 4} ||
      !std::is_permutation(within, order->end(), kWithin.begin()) ||
      std::any_of(parts->begin() + 1, parts->end(), [](std::int64_t size) { return size < 1; }))
    return std::nullopt;
  const std::int64_t channels = (*parts)[1], patch = (*parts)[3];
  const std::int64_t height = (*parts)[2], width = (*parts)[4];
  const std::int64_t features = times(channels, times(patch, patch));
  if ((*parts)[5] != patch || (*image)[1] != channels || (*image)[2] != times(height, patch) ||
      (*image)[3] != times(width, patch) || (*made)[1] != times(height, width) ||
      (*made)[2] != features || features < 1 || (*made)[1] < 1)
    return std::nullopt;
  CutPicture found{cut->input(0), channels, patch, features, {}};
  std::copy(within, order->end(), found.order.begin());
  return found;
}

// Weights [features, outputs] of rows as those of a convolution, [outputs, C, p, p].
std::vector<float> asKernels(const CutPicture& picture, const std::vector<float>& weights) {
  const auto patch = static_cast<std::size_t>(picture.patch);
  const std::array<std::size_t, 6> sizes = {
      1, static_cast<std::size_t>(picture.channels), 1, patch, 1, patch};
  const auto features = static_cast<std::size_t>(picture.features);
  const std::size_t outputs = weights.size() / features;
  std::vector<float> kernels(weights.size());
  for (std::size_t feature = 0; feature < features; ++feature) {
    std::array<std::size_t, 6> at{};
    std::size_t rest = feature;
    for (std::size_t i = 3; i-- > 0;) {
      const std::size_t axis = picture.order[i];
      at[axis] = rest % sizes[axis];
      rest /= sizes[axis];
    }
    const std::size_t place = (at[1] * patch + at[3]) * patch + at[5];
    for (std::size_t output = 0; output < outputs; ++output)
      kernels[output * features + place] = weights[feature * outputs + output];
  }
  return kernels;
}

}  // namespace

namespace {

// Rows of patches by a convolution that steps by its own size.
void spellPatches(Spelling& spelling, const CutPicture& picture,
                  const std::vector<float>& weights) {
  const std::int64_t patch = picture.patch;
  const auto outputs = static_cast<std::int64_t>(weights.size()) / picture.features;
  const std::string kernels =
      spelling.floats({outputs, picture.channels, patch, patch}, asKernels(picture, weights));
  const std::string planes = spelling.add("Conv", {picture.image, kernels});
  setAttribute(spelling.last(), "kernel_shape", Integers{patch, patch});
  setAttribute(spelling.last(), "strides", Integers{patch, patch});
  const std::string columns =
      spelling.add("Reshape", {planes, spelling.integers({0, outputs, -1})});
  spellTranspose(spelling, columns, {0, 2, 1}, spelling.node().output(0));
}

}  // namespace

// Patches that are cut out by Reshape and Transpose and projected by a linear layer: a convolution
// that steps by its own size, and its rows.
bool lowerLinearPatches(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || !hasInput(node, 1)) return false;
  const auto picture = cutPicture(spelling, node.input(0));
  const auto weight = picture ? spelling.model().constant(node.input(1)) : std::nullopt;
  const auto weights = weight ? spelling.floatsIn(node.input(1)) : std::nullopt;
  if (!weights || weights->empty() || weight->dims().size() != 2 ||
      weight->dims()[0] != picture->features)
    return false;
  spellPatches(spelling, *picture, *weights);
  return true;
}

// Patches that are cut out likewise and normalised before they are projected: a convolution that
// leaves each pixel as it is.
bool lowerNormalisedPatches(Spelling& spelling) {
  constexpr std::int64_t kMostChannels = 16, kMostFeatures = 1 << 12;
  const Node& node = spelling.node();
  const auto& readers = spelling.model().consumers(node.output(0));
  const bool isNormalised = std::any_of(readers.begin(), readers.end(), [](const Node* reader) {
    return isAny(*reader, {"LayerNormalization", "RMSNormalization", "ReduceMean"});
  });
  const auto picture = isNormalised ? cutPicture(spelling, node.output(0)) : std::nullopt;
  if (!picture || picture->channels > kMostChannels || picture->features > kMostFeatures)
    return false;
  const auto count = static_cast<std::size_t>(picture->features);
  std::vector<float> same(count * count);
  for (std::size_t i = 0; i < count; ++i) same[i * count + i] = 1;
  spellPatches(spelling, *picture, same);
  return true;
}

// Patches of a padded image, or of one that is no whole number of them: padding, a cut of what no
// patch covers, then patches without.
bool lowerPaddedPatches(Spelling& spelling) {
  const Node& node = spelling.node();
  const auto strides = intsAttribute(node, "strides");
  const auto pads = intsAttribute(node, "pads").value_or(Integers{0, 0, 0, 0});
  const std::string word = stringAttribute(node, "auto_pad").value_or("NOTSET");
  if (!hasInput(node, 0) || !hasInput(node, 1) || pads.size() != 4 || !strides ||
      strides->size() != 2 || (word != "NOTSET" && word != "VALID") ||
      spelling.model().opset() < 11)
    return false;
  const Integers* image = spelling.dims(node.input(0));
  const auto weight = spelling.model().constant(node.input(1));
  if (image == nullptr || image->size() != 4 || !weight || weight->dims().size() != 4) return false;
  Integers cuts;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t size = (*image)[2 + axis], patch = weight->dims()[2 + axis];
    const std::int64_t before = pads[axis], after = pads[2 + axis];
    if (size < 1 || before < 0 || after < 0 || patch < 2 || patch != (*strides)[axis]) return false;
    cuts.push_back((size + before + after) % patch);
  }
  const bool isPadded = std::any_of(pads.begin(), pads.end(), [](auto pad) { return pad != 0; });
  const auto dilations = intsAttribute(node, "dilations");
  const bool isPlain =
      intAttribute(node, "group").value_or(1) == 1 && (!dilations || *dilations == Integers{1, 1});
  const bool isCut = std::any_of(cuts.begin(), cuts.end(), [](auto cut) { return cut != 0; });
  if ((!isPadded && !isCut) || !isPlain) return false;
  std::string padded = node.input(0);
  if (isPadded)
    padded = spelling.add(
        "Pad", {padded, spelling.integers({0, 0, pads[0], pads[1], 0, 0, pads[2], pads[3]})});
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (cuts[axis] == 0) continue;
    padded =
        spelling.add("Slice", {padded, spelling.integers({0}), spelling.integers({-cuts[axis]}),
                               spelling.integers({static_cast<std::int64_t>(2 + axis)})});
  }
  std::vector<std::string> inputs(node.input().begin(), node.input().end());
  inputs.front() = padded;
  setAttribute(spelling.addCopy(inputs), "pads", Integers{0, 0, 0, 0});
  return true;
}

// Rows that are joined as columns and turned then: turned, then joined.
bool lowerTurnedConcat(Spelling& spelling) {
  const Node& node = spelling.node();
  const Node* joint = hasInput(node, 0) ? spelling.model().producer(node.input(0)) : nullptr;
  const bool isTurn = intsAttribute(node, "perm") == Integers{0, 2, 1};
  if (joint == nullptr || !isTurn || !isOp(*joint, "Concat") ||
      spelling.model().consumers(node.input(0)).size() != 1 ||
      spelling.model().isOutput(node.input(0)))
    return false;
  const std::int64_t axis = intAttribute(*joint, "axis").value_or(0);
  if (axis != 2 && axis != -1) return false;
  std::vector<std::string> turned;
  for (const std::string& input : joint->input()) {
    const Integers* dims = spelling.dims(input);
    if (dims == nullptr || dims->size() != 3) return false;
  }
  for (const std::string& input : joint->input()) turned.push_back(spellTurned(spelling, input, 3));
  spelling.add("Concat", turned, node.output(0));
  setAttribute(spelling.last(), "axis", std::int64_t{1});
  return true;
}

}  // namespace mpm::onnx

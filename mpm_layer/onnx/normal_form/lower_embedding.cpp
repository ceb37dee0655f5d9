// SPDX-License-Identifier: Apache-2.0
// What stands in front of an encoder, in the order in which its finder looks for it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_rules.h"
#include "onnx/operators/window.h"

namespace mpm::onnx {
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

namespace {

// The value itself as [B, C, H, W] where it is one of these with an axis of one put in.
std::string asPicture(Spelling& spelling, const std::string& volume, const Integers& picture) {
  const Node* raised = spelling.model().producer(volume);
  const bool isRaised = raised != nullptr && isAny(*raised, {"Unsqueeze", "Reshape"});
  const Integers* before = isRaised ? spelling.dims(raised->input(0)) : nullptr;
  if (before != nullptr && before->size() == 4 &&
      std::equal(before->begin() + 1, before->end(), picture.begin() + 1))
    return raised->input(0);
  return spelling.add("Reshape", {volume, spelling.integers(picture)});
}

Integers withoutFirst(const Integers& entries) { return {entries.begin() + 1, entries.end()}; }

}  // namespace

// Patches of a clip, [B, C, T, H, W], that are as long as the clip: those of a picture of C T
// planes. Of one frame above all.
bool lowerWholeClips(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || !hasInput(node, 1)) return false;
  const Integers *dims = spelling.dims(node.input(0)), *made = spelling.dims(node.output(0));
  const auto weight = spelling.model().constant(node.input(1));
  if (dims == nullptr || dims->size() != 5 || made == nullptr || made->size() != 5 || !weight ||
      weight->dims().size() != 5 || intAttribute(node, "group").value_or(1) != 1 ||
      stringAttribute(node, "auto_pad").value_or("NOTSET") != "NOTSET")
    return false;
  const Integers& kernel = weight->dims();
  const auto isKnown = [](std::int64_t dim) { return dim > 0; };
  if (!std::all_of(dims->begin() + 1, dims->end(), isKnown) || kernel[1] != (*dims)[1] ||
      kernel[2] != (*dims)[2] || !std::all_of(made->begin() + 1, made->end(), isKnown))
    return false;
  const auto pads = entriesOf(node, "pads", 6, 0), strides = entriesOf(node, "strides", 3, 1),
             dilations = entriesOf(node, "dilations", 3, 1);
  const auto values = spelling.floatsIn(node.input(1));
  if (!pads || !strides || !dilations || !values || (*pads)[0] != 0 || (*pads)[3] != 0 ||
      (kernel[2] > 1 && (*dilations)[0] != 1))
    return false;
  const std::int64_t planes = kernel[1] * kernel[2];
  std::vector<std::string> inputs{
      asPicture(spelling, node.input(0), {-1, planes, (*dims)[3], (*dims)[4]}),
      spelling.floats({kernel[0], planes, kernel[3], kernel[4]}, *values)};
  if (hasInput(node, 2)) inputs.push_back(node.input(2));
  const std::string patches = spelling.add("Conv", inputs);
  setAttribute(spelling.last(), "kernel_shape", Integers{kernel[3], kernel[4]});
  setAttribute(spelling.last(), "strides", withoutFirst(*strides));
  setAttribute(spelling.last(), "dilations", withoutFirst(*dilations));
  setAttribute(spelling.last(), "pads", Integers{(*pads)[1], (*pads)[2], (*pads)[4], (*pads)[5]});
  const Integers target{-1, kernel[0], 1, (*made)[3], (*made)[4]};
  spelling.add("Reshape", {patches, spelling.integers(target)}, node.output(0));
  return true;
}

}  // namespace mpm::onnx

// SPDX-License-Identifier: Apache-2.0
// What stands in front of an encoder, in the order in which its finder looks for it.
#include <algorithm>

#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

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

}  // namespace mpm::onnx

// SPDX-License-Identifier: Apache-2.0
// Rewrites the nodes that stay for OpenCV in a form that all its versions compute correctly.
#include "onnx/layers/for_opencv.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/rewriter.h"
#include "onnx/operators/interpreter.h"
#include "onnx/operators/window.h"

namespace mpm::onnx {
namespace {

bool areAll(const Integers& values, std::int64_t value) {
  return std::all_of(values.begin(), values.end(), [=](auto each) { return each == value; });
}

Integers padsOf(const Node& node) { return intsAttribute(node, "pads").value_or(Integers{}); }

// Accepts poolings of planes with windows that lie in them and padding that no average counts.
bool isPlainPool(const Node& node) {
  const Integers kernel = intsAttribute(node, "kernel_shape").value_or(Integers{});
  const bool countsPads = isOp(node, "AveragePool") && !areAll(padsOf(node), 0) &&
                          intAttribute(node, "count_include_pad").value_or(0) != 0;
  return kernel.size() == 2 && node.output_size() == 1 && !countsPads && !isPaddedToSame(node) &&
         intAttribute(node, "ceil_mode").value_or(0) == 0 &&
         areAll(intsAttribute(node, "dilations").value_or(Integers{}), 1);
}

// Accepts weights [out, in] and a bias of one number for each output.
bool isPlainGemm(const Model& model, const Node& node) {
  if (!hasInput(node, 0) || !hasInput(node, 1)) return false;
  const auto weights = model.constant(node.input(1));
  if (!weights || weights->dims().size() != 2 || !weights->isFloating() || weights->count() == 0)
    return false;
  const auto bias = model.constant(inputOf(node, 2));
  const bool fits =
      !hasInput(node, 2) || (bias && bias->isFloating() && bias->count() == weights->dims()[0] &&
                             floatAttribute(node, "beta").value_or(1) == 1);
  return fits && !model.constant(node.input(0)) && intAttribute(node, "transB").value_or(0) == 1 &&
         intAttribute(node, "transA").value_or(0) == 0 &&
         floatAttribute(node, "alpha").value_or(1) == 1;
}

}  // namespace

bool isForOpenCv(const Model& model, const Node& node) {
  if (isOp(node, "Conv")) return hasInput(node, 1) && model.constant(node.input(1)).has_value();
  if (isAny(node, {"AveragePool", "MaxPool"})) return isPlainPool(node);
  if (isOp(node, "Gemm")) return isPlainGemm(model, node);
  if (isAny(node, {"Relu", "Sigmoid"}) && hasInput(node, 0)) {
    const Node* before = model.producer(node.input(0));
    return before != nullptr && isAny(*before, {"Conv", "ConvTranspose"}) &&
           isForOpenCv(model, *before);
  }
  return !isInterpreted(node);
}

namespace {

// Computes the padding of SAME_UPPER and SAME_LOWER if the image's size is known. OpenCV before 5
// takes SAME_LOWER for SAME_UPPER; 5.0 does the opposite.
std::optional<Integers> samePads(Spelling& spelling, const Integers& kernel) {
  const Node& node = spelling.node();
  if (!isOp(node, "Conv") || !isPaddedToSame(node)) return std::nullopt;
  const Integers* dims = spelling.dims(node.input(0));
  const auto window = dims ? windowOf(node, *dims, kernel) : std::nullopt;
  if (!window) return std::nullopt;
  Integers pads;
  for (const WindowAxis& axis : *window) pads.push_back(axis.before);
  for (const WindowAxis& axis : *window) pads.push_back(axis.behind);
  if (!std::all_of(pads.begin(), pads.end(), isNumber)) return std::nullopt;
  return pads;
}

// Adds a Pad with zeros before planes; `pads` as nodes of windows have them.
std::string spellZeros(Spelling& spelling, const std::string& planes, const Integers& pads) {
  Integers all = {0, 0};
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2);
  all.insert(all.end(), pads.begin(), middle);
  all.insert(all.end(), {0, 0});
  all.insert(all.end(), middle, pads.end());
  return spelling.add("Pad", {planes, spelling.integers(all)});
}

// Tells whether OpenCV reads memory outside the image for this padding. 4.10 to 5.0 do for 1 x 1
// windows. 4.10 and 4.14 do for 3 x 3 windows with a filter for each channel, and at most one pixel
// of padding at the start. This needs an image one pixel high or wide, more padding at the end, or
// dilated windows.
bool readsBeside(Spelling& spelling, const Integers& kernel, const Integers& pads) {
  if (pads.size() != 4 || areAll(pads, 0)) return false;
  if (kernel == Integers{1, 1}) return true;
  const Node& node = spelling.node();
  const Integers* filters = spelling.dims(node.input(1));
  const bool isByChannel = intAttribute(node, "group").value_or(1) > 1 && filters != nullptr &&
                           filters->size() == 4 && (*filters)[1] == 1;
  if (!isByChannel || kernel != Integers{3, 3} || pads[0] > 1 || pads[1] > 1) return false;
  const Integers* planes = spelling.dims(node.input(0));
  const Integers gaps = intsAttribute(node, "dilations").value_or(Integers{});
  const bool isLarge =
      planes != nullptr && planes->size() == 4 && (*planes)[2] > 1 && (*planes)[3] > 1;
  return !isLarge || pads[2] > 1 || pads[3] > 1 || !areAll(gaps, 1);
}

// Moves the padding to a node before the convolution.
bool spellPadsInFront(Spelling& spelling, const Integers& kernel, const Integers& pads) {
  const Node& node = spelling.node();
  if (!isOp(node, "Conv") || !readsBeside(spelling, kernel, pads)) return false;
  std::vector<std::string> inputs = {node.input().begin(), node.input().end()};
  inputs[0] = spellZeros(spelling, inputs[0], pads);
  Node& made = spelling.addCopy(inputs);
  dropAttribute(made, "pads");
  dropAttribute(made, "auto_pad");
  setAttribute(made, "kernel_shape", kernel);
  return true;
}

// Returns the parts that are cut off the whole result: at the start of each axis, then at the end
// of each. If output_shape is set, the larger half is at the start except with SAME_UPPER, as in
// ONNX Runtime. Returns std::nullopt if nothing is cut, or a size that decides it is unknown.
std::optional<Integers> cutOff(Spelling& spelling, const Integers& kernel) {
  const Node& node = spelling.node();
  const std::size_t rank = kernel.size();
  const Integers* dims = spelling.dims(node.input(0));
  const auto strides = entriesOf(node, "strides", rank, 1);
  const auto dilations = entriesOf(node, "dilations", rank, 1);
  const auto pads = entriesOf(node, "pads", 2 * rank, 0);
  const auto added = entriesOf(node, "output_padding", rank, 0);
  const auto wanted = entriesOf(node, "output_shape", rank, 0);  // 0: none
  if (!strides || !dilations || !pads || !added || !wanted) return std::nullopt;
  const std::string word = stringAttribute(node, "auto_pad").value_or("NOTSET");
  Integers cut(2 * rank, 0);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t behind = (*dilations)[i] * (kernel[i] - 1) + 1 + (*added)[i];
    std::int64_t all = behind - (*strides)[i];  // SAME: so many places as elements and strides
    if ((*wanted)[i] > 0) {
      const bool isKnown = dims != nullptr && dims->size() == rank + 2 && isNumber((*dims)[2 + i]);
      if (!isKnown || (*dims)[2 + i] < 1) return std::nullopt;
      all = (*strides)[i] * ((*dims)[2 + i] - 1) + behind - (*wanted)[i];
    } else if (!isPaddedToSame(node)) {
      cut[i] = word == "VALID" ? 0 : (*pads)[i];
      cut[rank + i] = word == "VALID" ? 0 : (*pads)[rank + i];
      continue;
    }
    if (all < 0) return std::nullopt;
    cut[i] = word == "SAME_UPPER" ? all / 2 : all - all / 2;
    cut[rank + i] = all - cut[i];
  }
  return cut;
}

// Copies the attributes of a node, except those that cut its result.
void setUncut(Node& made, const Node& node, const Integers& kernel) {
  *made.mutable_attribute() = node.attribute();
  for (const char* name : {"auto_pad", "output_shape", "pads"}) dropAttribute(made, name);
  setAttribute(made, "kernel_shape", kernel);
}

// Rewrites a ConvTranspose. The importer only cuts the same on both sides, given as numbers and
// less than a kernel.
bool spellTurnedPads(Spelling& spelling, const Integers& kernel) {
  const Node& node = spelling.node();
  const auto cut = isOp(node, "ConvTranspose") ? cutOff(spelling, kernel) : std::nullopt;
  if (!cut) return false;
  const std::size_t rank = kernel.size();
  bool isPlain = true;
  for (std::size_t i = 0; i < rank; ++i)
    isPlain = isPlain && (*cut)[i] == (*cut)[rank + i] && (*cut)[i] < kernel[i];
  const bool isSpelled = stringAttribute(node, "auto_pad").value_or("NOTSET") == "NOTSET" &&
                         !findAttribute(node, "output_shape");
  if (isPlain && isSpelled) return false;
  const std::vector<std::string> inputs(node.input().begin(), node.input().end());
  const std::string whole =
      spelling.add("ConvTranspose", inputs, isPlain ? node.output(0) : std::string());
  setUncut(spelling.last(), node, kernel);
  if (isPlain) {
    setAttribute(spelling.last(), "pads", *cut);
    return true;
  }
  Integers starts, ends, axes;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t behind = (*cut)[rank + i];
    starts.push_back((*cut)[i]);
    ends.push_back(behind == 0 ? std::numeric_limits<std::int32_t>::max() : -behind);
    axes.push_back(static_cast<std::int64_t>(2 + i));
  }
  spelling.add("Slice",
               {whole, spelling.integers(starts), spelling.integers(ends), spelling.integers(axes)},
               node.output(0));
  return true;
}

// Adds kernel_shape, which the importer requires.
bool spellConv(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || !hasInput(node, 1)) return false;
  const auto given = intsAttribute(node, "kernel_shape");
  const Integers* weights = spelling.dims(node.input(1));
  if (!given && (weights == nullptr || weights->size() < 3)) return false;
  const Integers kernel = given ? *given : kernelOf(*weights);
  if (std::any_of(kernel.begin(), kernel.end(), [](auto size) { return size <= 0; })) return false;
  const auto pads = samePads(spelling, kernel);
  const Integers known = pads ? *pads : padsOf(node);
  if (spellPadsInFront(spelling, kernel, known) || spellTurnedPads(spelling, kernel)) return true;
  if (given && !pads) return false;
  Node& made = spelling.addCopy({node.input().begin(), node.input().end()});
  setAttribute(made, "kernel_shape", kernel);
  if (!pads) return true;
  dropAttribute(made, "auto_pad");
  setAttribute(made, "pads", *pads);
  return true;
}

bool isIdle(const Model& model, const Node& node) {
  if (!hasInput(node, 0) || node.output_size() == 0 || node.output(0).empty()) return false;
  if (isOp(node, "Identity")) return node.input_size() == 1 && node.output_size() == 1;
  if (!isOp(node, "Dropout") || !areUnused(model, node, 1)) return false;
  if (!hasInput(node, 2)) return true;
  const auto training = model.constant(node.input(2));
  return training && training->isInteger() && training->count() == 1 &&
         training->integers()[0] == 0;
}

int dropIdle(Model& model) {
  std::vector<const Node*> idle;
  for (const Node* node : model.nodes()) {
    if (isIdle(model, *node)) idle.push_back(node);
  }
  return bypass(model, idle);
}

// Importers before 5.0 count padding in every AveragePool of a file from PyTorch, and in no other
// files, whatever the node says.
int dropProducer(Model& model) {
  if (model.producerName() != "pytorch") return 0;
  model.changeInPlace([](::onnx::ModelProto& proto) { proto.set_producer_name("mpm"); });
  return 1;
}

}  // namespace

int spellForOpenCv(Model& model, const DimsOf& dimsOf) {
  int count = dropIdle(model);
  count += spellOut(model, {{"Conv", spellConv}, {"ConvTranspose", spellConv}}, dimsOf);
  count += dropProducer(model);
  count += model.removeDead();
  return count;
}

}  // namespace mpm::onnx

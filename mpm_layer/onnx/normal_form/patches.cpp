// SPDX-License-Identifier: Apache-2.0
// Nodes before an encoder, in the order in which its finder looks for them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/fold.h"
#include "onnx/normal_form/rewriter.h"
#include "onnx/normal_form/rules.h"
#include "onnx/operators/table.h"
#include "onnx/operators/window.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

// Rewrites patches of a padded image, or of one with a rest, as a Pad, a Slice, and patches without
// padding.
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

namespace {

// Returns the value as [B, C, H, W]: the input of a node that inserts an axis of one, or a Reshape.
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

// Rewrites patches of a clip, [B, C, T, H, W], that are as long as the clip, often one frame. They
// become those of a picture with C T planes.
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

namespace {

// Adjacent patches of a picture [B, C, H, W] or [B, H, W, C].
struct Cut {
  std::string image;
  bool channelsLast = false;
  std::int64_t channels = 0, patch = 0;
  std::int64_t top = 0, left = 0, gridHeight = 0, gridWidth = 0;
  std::int64_t height = 0, width = 0;  // of the picture
  float factor = 1;
  Integers places;  // of a row's elements: that in [C, patch, patch]

  std::int64_t features() const { return static_cast<std::int64_t>(places.size()); }
  std::int64_t bottom() const { return top + gridHeight * patch; }
  std::int64_t right() const { return left + gridWidth * patch; }
  bool isWhole() const { return top == 0 && left == 0 && bottom() == height && right() == width; }
};

// Steps to the next channel, line and column.
struct Steps {
  std::int64_t channel = 0, line = 0, column = 0;
};

Steps stepsOf(const Cut& cut) {
  if (cut.channelsLast) return {1, cut.width * cut.channels, cut.channels};
  return {cut.height * cut.width, cut.width, 1};
}

// Returns the positions of an axis in the base.
Integers placesOf(const std::vector<Run>& runs) {
  Integers places{0};
  for (const Run& run : runs) {
    const Integers outer = std::exchange(places, {});
    for (const std::int64_t begin : outer) {
      for (std::int64_t i = 0; i < run.size; ++i) places.push_back(begin + i * run.stride);
    }
  }
  return places;
}

// Returns the side of square patches of so many elements, or 0.
std::int64_t sideOf(std::int64_t features, std::int64_t channels) {
  std::int64_t side = 0;
  while (times(channels, times(side + 1, side + 1)) <= features) ++side;
  return times(channels, times(side, side)) == features ? side : 0;
}

// Tells whether each element of a row is one of the first patch's, and occurs once.
bool readFeatures(const std::vector<Run>& runs, const Steps& steps, Cut& cut) {
  std::vector<bool> isTaken(static_cast<std::size_t>(cut.channels * cut.patch * cut.patch));
  for (std::int64_t place : placesOf(runs)) {
    std::int64_t channel = 0;
    if (cut.channelsLast) channel = place % cut.channels;
    if (!cut.channelsLast) channel = place / steps.channel;
    place -= channel * steps.channel;
    const std::int64_t line = place / steps.line;
    const std::int64_t column = place % steps.line / steps.column;
    if (channel >= cut.channels || line >= cut.patch || column >= cut.patch) return false;
    const std::int64_t at = (channel * cut.patch + line) * cut.patch + column;
    if (isTaken[static_cast<std::size_t>(at)]) return false;
    isTaken[static_cast<std::size_t>(at)] = true;
    cut.places.push_back(at);
  }
  return true;
}

bool isStep(const std::vector<Run>& runs, std::int64_t step) {
  const std::optional<Run> run = joined(runs);
  return run && (run->size == 1 || run->stride == step);
}

// Reads so many rows of each image as a grid of patches, as wide as one line allows. The rest of
// the picture is cut off.
bool readGrid(const View& rows, std::int64_t images, std::int64_t count, Cut& cut) {
  const std::int64_t features = rows.dims().back();
  const Steps steps = stepsOf(cut);
  cut.top = rows.offset / steps.line;
  cut.left = rows.offset % steps.line / steps.column;
  if (rows.offset != cut.top * steps.line + cut.left * steps.column) return false;
  const std::int64_t most = std::min(count, (cut.width - cut.left) / cut.patch);
  for (cut.gridWidth = most; cut.gridWidth > 0; --cut.gridWidth) {
    cut.gridHeight = count / cut.gridWidth;
    View grid = rows;
    if (count % cut.gridWidth == 0 && cut.bottom() <= cut.height &&
        grid.reshape({images, cut.gridHeight, cut.gridWidth, features}) &&
        isStep(grid.axes[0], cut.channels * cut.height * cut.width) &&
        isStep(grid.axes[1], cut.patch * steps.line) &&
        isStep(grid.axes[2], cut.patch * steps.column))
      return readFeatures(grid.axes[3], steps, cut);
  }
  return false;
}

// Reads a view of rows as patches of a picture with these axes.
std::optional<Cut> readCut(const View& rows, const Integers& image, bool channelsLast) {
  constexpr std::int64_t kMostFeatures = 1 << 16, kLongestSide = 1 << 13, kMostLastChannels = 16;
  Cut cut;
  cut.image = rows.base;
  cut.channelsLast = channelsLast;
  cut.factor = rows.factor;
  cut.channels = image[channelsLast ? 3 : 1];
  cut.height = image[channelsLast ? 1 : 2];
  cut.width = image[channelsLast ? 2 : 3];
  const Integers dims = rows.dims();
  if (dims.back() > kMostFeatures || cut.height > kLongestSide || cut.width > kLongestSide ||
      (channelsLast && cut.channels > kMostLastChannels))
    return std::nullopt;
  std::int64_t count = 1;  // of all images
  for (std::size_t i = 0; i + 1 < dims.size(); ++i) count *= dims[i];
  const bool haveImages = dims.size() > 2 ? dims[0] == image[0] : count % image[0] == 0;
  cut.patch = sideOf(dims.back(), cut.channels);
  if (!haveImages || cut.patch < 2 || !readGrid(rows, image[0], count / image[0], cut))
    return std::nullopt;
  return cut;
}

std::optional<Cut> findCut(const AnalysedModel& analysed, const std::optional<View>& seen) {
  const Integers* image = seen ? analysed.values.dims(seen->base) : nullptr;
  if (image == nullptr || image->size() != 4 || seen->nodes.empty() || seen->dims().size() < 2)
    return std::nullopt;
  auto cut = readCut(*seen, *image, false);
  if (!cut) cut = readCut(*seen, *image, true);
  constexpr std::int64_t kSliceHasInputs = 10;  // the opset
  return cut && (cut->isWhole() || analysed.model.opset() >= kSliceHasInputs) ? cut : std::nullopt;
}

// Returns weights [features, outputs] of rows as those of a convolution, [outputs, C, p, p].
std::vector<float> asKernels(const Cut& cut, const std::vector<float>& weights) {
  const std::size_t features = cut.places.size(), outputs = weights.size() / features;
  std::vector<float> kernels(weights.size());
  for (std::size_t feature = 0; feature < features; ++feature) {
    const auto place = static_cast<std::size_t>(cut.places[feature]);
    for (std::size_t output = 0; output < outputs; ++output)
      kernels[output * features + place] = cut.factor * weights[feature * outputs + output];
  }
  return kernels;
}

// Returns the part of the picture [B, C, H, W] that patches cover.
std::string covered(Spelling& spelling, const Cut& cut) {
  std::string image = cut.image;
  if (cut.channelsLast) image = spellTranspose(spelling, image, {0, 3, 1, 2});
  if (cut.isWhole()) return image;
  return spelling.add("Slice",
                      {image, spelling.integers({cut.top, cut.left}),
                       spelling.integers({cut.bottom(), cut.right()}), spelling.integers({2, 3})});
}

// Writes the convolution for rows of these dims; `bias` of each, or none.
void spell(Spelling& spelling, const Cut& cut, const std::vector<float>& weights,
           const std::vector<float>& bias, const Integers& rows) {
  const std::int64_t patch = cut.patch;
  const auto outputs = static_cast<std::int64_t>(weights.size()) / cut.features();
  const std::string kernels =
      spelling.floats({outputs, cut.channels, patch, patch}, asKernels(cut, weights));
  std::vector<std::string> inputs{covered(spelling, cut), kernels};
  if (!bias.empty()) inputs.push_back(spelling.floats({outputs}, bias));
  const std::string planes = spelling.add("Conv", inputs);
  setAttribute(spelling.last(), "kernel_shape", Integers{patch, patch});
  setAttribute(spelling.last(), "strides", Integers{patch, patch});
  const std::string columns =
      spelling.add("Reshape", {planes, spelling.integers({0, outputs, -1})});
  const std::string& output = spelling.node().output(0);
  if (rows.size() == 3) {
    spellTranspose(spelling, columns, {0, 2, 1}, output);
    return;
  }
  Integers dims = rows;
  dims.front() = rows.size() == 2 ? -1 : 0;
  dims.back() = outputs;
  spelling.add("Reshape", {spellTranspose(spelling, columns, {0, 2, 1}), spelling.integers(dims)},
               output);
}

bool cutProjected(Spelling& spelling, const AnalysedModel& analysed) {
  const Node& node = spelling.node();
  if (!isAny(node, {"MatMul", "Gemm"})) return false;
  const auto linear = findLinear(analysed.model, node.output(0));
  const auto cut =
      linear ? findCut(analysed, viewThroughPatches(analysed, linear->input)) : std::nullopt;
  if (!cut || inFeatures(analysed.model, *linear) != cut->features()) return false;
  const auto in = static_cast<std::size_t>(cut->features());
  const auto out = static_cast<std::size_t>(outFeatures(analysed.model, *linear));
  const Floats read = analysed.model.constant(linear->weight)->floats();
  std::vector<float> weights(read.begin(), read.end()), bias;
  if (out < 1 || weights.size() != in * out) return false;
  for (std::size_t i = 0; linear->outByIn && i < weights.size(); ++i)
    weights[i] = read[i % out * in + i / out];
  if (!linear->bias.empty()) bias = *spelling.floatsIn(linear->bias);
  spell(spelling, *cut, weights, bias, *analysed.values.dims(linear->input));
  return true;
}

bool cutNormalised(Spelling& spelling, const AnalysedModel& analysed) {
  constexpr std::int64_t kMostChannels = 16, kMostFeatures = 1 << 12;
  const Node& node = spelling.node();
  if (node.output_size() != 1) return false;
  const auto& readers = analysed.model.consumers(node.output(0));
  const bool isNormalised = std::any_of(readers.begin(), readers.end(), [](const Node* reader) {
    return isAny(*reader, {"LayerNormalization", "RMSNormalization", "ReduceMean"});
  });
  const auto cut =
      isNormalised ? findCut(analysed, viewOf(analysed, node.output(0))) : std::nullopt;
  if (!cut || cut->channels > kMostChannels || cut->features() > kMostFeatures) return false;
  const std::size_t count = cut->places.size();
  std::vector<float> same(count * count);
  for (std::size_t i = 0; i < count; ++i) same[i * count + i] = 1;
  spell(spelling, *cut, same, {}, *analysed.values.dims(node.output(0)));
  return true;
}

}  // namespace

int cutPatches(Model& model, const Values& values) {
  const AnalysedModel analysed{model, values};
  const DimsOf dimsOf = [&](const std::string& value) { return values.dims(value); };
  Spelling spelling(model, dimsOf);
  for (const Node* node : model.nodes()) {
    if (spelling.isFull()) break;
    spelling.begin(*node);
    if (cutProjected(spelling, analysed) || cutNormalised(spelling, analysed))
      spelling.replaceNode();
  }
  return applySpelled(model, spelling);
}

}  // namespace mpm::onnx

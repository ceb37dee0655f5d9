// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/recognise.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/normal_form/fold.h"
#include "onnx/normal_form/normal_form.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {
namespace {

// Sizes to try for an open batch. Two images show which values belong to one of them and which to
// all. Exporters that saw one image sometimes fix that number inside, so one is tried too.
constexpr std::int64_t kBatches[] = {2, 1};

using InputDims = std::unordered_map<std::string, Integers>;

Integers withBatch(Integers dims, std::int64_t batch) {
  if (!dims.empty() && dims[0] < 1) dims[0] = batch;
  return dims;
}

InputDims inputDims(const Model& model, const ImageInput& image, std::int64_t batch) {
  InputDims all;
  for (const Value& value : model.inputs()) {
    if (!value.hasShape) continue;
    Integers dims;
    for (const Dim& dim : value.dims) dims.push_back(dim.size);
    all[value.name] = withBatch(dims, batch);
  }
  if (!image.name.empty()) all[image.name] = withBatch(image.dims, batch);
  return all;
}

bool isClosed(const ImageInput& input) {
  return input.dims.size() == 4 && input.dims[1] > 0 && input.dims[2] > 0 && input.dims[3] > 0;
}

// Tells whether the graph itself adapts to a size, so that it is recognised at it.
bool adapts(const Model& model, const ImageInput& input) {
  const Values values(model, inputDims(model, input, kBatches[0]));
  const AnalysedModel analysed{model, values};
  return translate(analysed, {}).encoder.obstacle.empty();
}

std::int64_t countOf(const AnalysedModel& analysed, const std::string& value) {
  const Integers* dims = analysed.values.dims(value);
  std::int64_t count = 1;
  for (const std::int64_t dim : dims != nullptr ? *dims : Integers{-1}) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return -1;
  }
  return count;
}

// Tells whether values of these sizes broadcast.
bool fitEachOther(const Integers& a, const Integers& b) {
  for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const std::int64_t x = a[a.size() - i], y = b[b.size() - i];
    if (x > 1 && y > 1 && x != y) return false;
  }
  return true;
}

bool splitsMore(const AnalysedModel& analysed, const Node& node) {
  const Integers* dims = analysed.values.dims(node.input(0));
  const auto sizes = callOf(analysed, node).list("split", 1);
  if (dims == nullptr || !sizes) return false;
  const auto axis = axisOf(intAttribute(node, "axis").value_or(0), dims->size());
  if (!axis || (*dims)[*axis] < 0) return false;
  std::int64_t sum = 0;
  for (const std::int64_t size : *sizes) {
    if (__builtin_add_overflow(sum, size, &sum)) return true;
  }
  return sum != (*dims)[*axis];
}

// Says in a few words how a node contradicts the sizes of its inputs; empty if it does not.
std::string contradictionOf(const AnalysedModel& analysed, const Node& node) {
  if (isOp(node, "Reshape") && node.input_size() > 0 && node.output_size() == 1) {
    const std::int64_t before = countOf(analysed, node.input(0)),
                       after = countOf(analysed, node.output(0));
    return before >= 0 && after >= 0 && before != after ? "a reshape changes the number of elements"
                                                        : "";
  }
  if (isOp(node, "Split") && node.input_size() > 0)
    return splitsMore(analysed, node) ? "a split's parts are not as many as there are" : "";
  if (!isOp(node, "Expand") || node.input_size() != 2) return {};
  const Integers* dims = analysed.values.dims(node.input(0));
  const KnownTensor* sizes = analysed.values.content(node.input(1));
  if (dims == nullptr || sizes == nullptr || sizes->isFloat()) return {};
  Integers known = sizes->integers;
  for (std::size_t i = 0; i < known.size(); ++i) known[i] = sizes->isSure(i) ? known[i] : -1;
  return fitEachOther(*dims, known) ? "" : "an expand's sizes do not fit what it expands";
}

// Finds the first node that contradicts its inputs' sizes at this batch, and how it does.
struct Contradiction {
  const Node* node = nullptr;
  std::string words;
};

Contradiction contradiction(const AnalysedModel& analysed) {
  for (const Node* node : analysed.model.nodes()) {
    std::string words = contradictionOf(analysed, *node);
    if (!words.empty()) return {node, std::move(words)};
  }
  return {};
}

// Tells whether a product has as many columns on the left as rows on the right, if these are known.
bool canMultiply(const Integers& a, const Integers& b) {
  if (a.empty() || b.empty()) return true;
  const std::int64_t columns = a.back(), rows = b.size() == 1 ? b[0] : b.end()[-2];
  return columns < 0 || rows < 0 || columns == rows;
}

// Tells whether nothing in the graph contradicts this size, such as positions for other patches.
bool fits(const Model& model, const ImageInput& input) {
  const Values values(model, inputDims(model, input, 1));
  if (contradiction({model, values}).node != nullptr) return false;
  return std::all_of(model.nodes().begin(), model.nodes().end(), [&](const Node* node) {
    const bool isProduct = isOp(*node, "MatMul");
    if (node->input_size() != 2 || !(isProduct || isAny(*node, {"Add", "Sub", "Mul", "Div"})))
      return true;
    const Integers *a = values.dims(node->input(0)), *b = values.dims(node->input(1));
    return a == nullptr || b == nullptr || (isProduct ? canMultiply(*a, *b) : fitEachOther(*a, *b));
  });
}

// Returns the requested size with each possible number of channels: colours or grey if no
// convolution gives it (patches may be cut out without one).
std::vector<ImageInput> askedSizes(const ImageInput& open, const RecogniseOptions& options,
                                   std::int64_t channels) {
  std::vector<ImageInput> sizes;
  const Integers counts = channels > 0 ? Integers{channels} : Integers{3, 1};
  for (const std::int64_t count : counts) {
    ImageInput& size = sizes.emplace_back(open);
    size.height() = options.height;
    size.width() = options.width;
    size.channels() = count;
  }
  return sizes;
}

// Returns a size for an input that leaves it open: a requested one, or one that the model's
// positions may stand for. If it has an encoder at none of them, returns the requested one if the
// graph takes it.
std::optional<ImageInput> closedSize(const Model& model, const ImageInput& open,
                                     const RecogniseOptions& options) {
  std::vector<ImageInput> asked, sizes = sizesByPositions(model, open);
  if (options.width > 0) {
    ImageInput known = sizes.empty() ? open : sizes.back();
    asked = askedSizes(open, options, known.channels());
    sizes.insert(sizes.begin(), asked.begin(), asked.end());
  }
  for (const ImageInput& size : sizes) {
    if (isClosed(size) && adapts(model, size)) return size;
  }
  for (const ImageInput& size : asked) {
    if (isClosed(size) && fits(model, size)) return size;
  }
  return std::nullopt;
}

// Returns the requested size instead of a fixed one if the graph adapts to its input's size. It
// then has positions from their whole table, say. Tries twice the height as well, since a rotated
// picture has as many patches as the original.
ImageInput askedIfAdapts(const Model& model, const ImageInput& fixed,
                         const RecogniseOptions& options) {
  if (options.width <= 0) return fixed;
  ImageInput asked = fixed;
  asked.height() = options.height;
  asked.width() = options.width;
  ImageInput taller = fixed;
  taller.height() *= 2;
  const auto takes = [&](const ImageInput& size) {
    return size.dims == fixed.dims || (adapts(model, size) && fits(model, size));
  };
  return takes(taller) && takes(asked) ? asked : fixed;
}

using SharedValues = std::shared_ptr<const Values>;

// Replaces computed shapes by constants, for any batch. Returns the values of the result, since
// each edit of the graph makes them out of date.
SharedValues simplify(Model& model, const InputDims& dims) {
  const auto values = [&] { return std::make_shared<const Values>(model, dims); };
  shareConstants(model);
  SharedValues known = values();
  const int softmaxes = spellSoftmaxes(model, *known);
  const DimsOf before = [&](const std::string& value) { return known->dims(value); };
  if (lower(model, before) + softmaxes > 0) known = values();
  while (takeBranches(model, *known) > 0) known = values();  // one may stand in another
  const int folded = fold(model, *known);
  const int settled = settleReshapes(model, *known);
  if (folded + settled > 0) known = values();
  const DimsOf dimsOf = [&](const std::string& value) { return known->dims(value); };
  const int spelled = lowerByRank(model, dimsOf) + turnColumns(model, dimsOf);
  if (spelled == 0) return known;
  model.removeDead();
  return values();
}

// Returns the values for a batch: those for any batch if nothing is open.
SharedValues withBatch(const Model& model, const ImageInput& input, std::int64_t batch,
                       const SharedValues& any) {
  const InputDims dims = inputDims(model, input, batch);
  return dims == inputDims(model, input, -1) ? any : std::make_shared<const Values>(model, dims);
}

// Turns patches into convolutions of a picture, and joins linear layers that belong together.
// Returns the values for the batch, and updates those for any batch.
SharedValues arrange(Model& model, const ImageInput& input, std::int64_t batch, SharedValues& any) {
  SharedValues values = withBatch(model, input, batch, any);
  for (const auto change : {dropUndoneViews, cutPatches, joinLinears}) {
    if (change(model, *values) == 0) continue;
    any = std::make_shared<const Values>(model, inputDims(model, input, -1));
    values = withBatch(model, input, batch, any);
  }
  return values;
}

// Says why a model of open size has no encoder at any size that was tried.
std::string whyOpen(const Model& model, const ImageInput& input, const RecogniseOptions& options) {
  const bool attends = std::any_of(model.nodes().begin(), model.nodes().end(),
                                   [](const Node* node) { return isOp(*node, "Softmax"); });
  if (!attends) {
    const Values values(model, inputDims(model, input, kBatches[0]));
    const AnalysedModel analysed{model, values};
    return translate(analysed, {}).encoder.obstacle;
  }
  if (options.width > 0)
    return "its input's height and width are open, and its position embedding, or another part of "
           "it, does not fit " +
           std::to_string(options.width) + "x" + std::to_string(options.height) +
           "; please give the size that it was exported for";
  return "its input's height and width are open, and its position embedding fits no square grid of "
         "patches or is not recognised; please give an input size";
}

struct PictureSize {
  std::int64_t height = 0, width = 0;
  bool operator==(const PictureSize&) const = default;
};

// Returns the size of the image that is cut into patches: the input, or what padding and resizing
// make of it.
PictureSize pictureSize(const Values& values, const Encoder& encoder) {
  const Integers* dims = values.dims(encoder.image);
  return dims != nullptr && dims->size() == 4 ? PictureSize{(*dims)[2], (*dims)[3]} : PictureSize{};
}

void checkSize(const RecogniseOptions& options, const Encoder& encoder) {
  if (options.width % encoder.patch == 0 && options.height % encoder.patch == 0) return;
  throw ModelError("input size " + std::to_string(options.width) + "x" +
                   std::to_string(options.height) + ": both have to be multiples of the patch, " +
                   std::to_string(encoder.patch));
}

// Refuses contradictions, since OpenCV divides by the rest of a size, which may be 0. A model with
// an open batch may be right for another number of images.
void refuseContradictions(const Model& model, const SharedValues& any) {
  const Contradiction found = contradiction({model, *any});
  if (found.node != nullptr) throw ModelError(found.words + ": " + nameOf(*found.node));
}

// Tells whether a graph with an open batch contradicts itself for one image but not for two. Its
// exporter saw two, and fixed that number.
bool takesTwo(const Model& model, const ImageInput& own, const SharedValues& any) {
  if (own.dims[0] > 0 || model.inputs().size() != 1) return false;
  const auto isRightFor = [&](std::int64_t batch) {
    return contradiction({model, *withBatch(model, own, batch, any)}).node == nullptr;
  };
  return !isRightFor(1) && isRightFor(2);
}

// Refuses convolutions that ONNX Runtime optimised for one processor. The file does not say how
// their weights are laid out.
void refuseOneProcessors(const Model& model) {
  for (const Node* node : model.nodes()) {
    if (node->domain() == "com.microsoft.nchwc")
      throw ModelError(nameOf(*node) +
                       " was written by ONNX Runtime for one kind of processor; please save the "
                       "model with ORT_ENABLE_EXTENDED at most");
  }
}

Translation translateFor(const AnalysedModel& analysed, const RecogniseOptions& options,
                         ImageInput input, const PositionTables& tables) {
  TranslateOptions wanted{options.lateRestore, 0, 0, options.proportional, tables};
  Translation own = translate(analysed, wanted);
  if (options.width <= 0 || !own.encoder.obstacle.empty()) return own;
  const PictureSize size{input.height(), input.width()};
  bool isAdapted = pictureSize(analysed.values, own.encoder) != size;
  for (const Encoder& other : own.encoder.others) {
    isAdapted = isAdapted || pictureSize(analysed.values, other) != size ||
                other.patch != own.encoder.patch;
  }
  if (isAdapted) {
    if (options.width == input.width() && options.height == input.height()) return own;
    throw ModelError(
        "another input size is not possible: its picture is padded, resized or convolved before "
        "it is cut into patches, or its encoders have patches of different sizes");
  }
  checkSize(options, own.encoder);
  wanted.gridHeight = options.height / own.encoder.patch;
  wanted.gridWidth = options.width / own.encoder.patch;
  return translate(analysed, wanted);
}

// Fills in the encoder and the plan, at the first batch that has an encoder.
void translateInto(Recognised& result, Model& model, const RecogniseOptions& options,
                   const ImageInput& input, const PositionTables& tables) {
  for (const std::int64_t batch : kBatches) {
    const SharedValues values = arrange(model, input, batch, result.values);
    const AnalysedModel analysed{model, *values};
    std::string obstacle = std::move(result.encoder.obstacle);
    Translation translation = translateFor(analysed, options, input, tables);
    result.encoder = std::move(translation.encoder);
    result.plan = std::move(translation.plan);
    if (!result.encoder.obstacle.empty() && !obstacle.empty())
      result.encoder.obstacle = std::move(obstacle);  // the first one's
    if (result.encoder.obstacle.empty() || input.dims[0] > 0 ||
        contradiction(analysed).node == nullptr)
      break;
  }
}

Recognised withoutEncoder(Recognised result, Model& model, std::string why) {
  result.encoder.obstacle = std::move(why);
  result.values = simplify(model, {});
  return result;
}

}  // namespace

Recognised recognise(Model& model, const RecogniseOptions& options) {
  refuseOneProcessors(model);
  lower(model);
  Recognised result;
  ImageInput own = imageInput(model);
  result.input = own.name;
  const bool asks = options.width > 0;
  if (own.name.empty())
    return withoutEncoder(std::move(result), model,
                          "it has no image input [B, C, H, W] or [B, H, W, C]");
  if (own.channels() < 1) own.channels() = channelsOf(model, own);
  result.sizeIsOpen = own.height() < 1 || own.width() < 1;
  if (!isClosed(own)) {
    const std::optional<ImageInput> size = closedSize(model, own, options);
    if (!size) return withoutEncoder(std::move(result), model, whyOpen(model, own, options));
    own = *size;
  } else {
    own = askedIfAdapts(model, own, options);
  }
  model.setInputSize(own.name, {own.dims[1], own.dims[2], own.dims[3]});
  const bool isOwn = !asks || (own.width() == options.width && own.height() == options.height);
  const PositionTables tables =
      isOwn ? PositionTables() : PositionTables(model, {{own.name, own.dims}});
  result.values = simplify(model, {{own.name, own.dims}});
  if (takesTwo(model, own, result.values)) {
    own.dims[0] = 2;
    model.setBatch(own.name, own.dims[0]);
    result.values = simplify(model, {{own.name, own.dims}});
  }
  translateInto(result, model, options, own, tables);
  refuseContradictions(model, result.values);
  result.channelsLast = own.channelsLast;
  result.channels = own.channels();
  result.ownHeight = own.height();
  result.ownWidth = own.width();
  result.height = asks ? options.height : own.height();
  result.width = asks ? options.width : own.width();
  return result;
}

}  // namespace mpm::onnx

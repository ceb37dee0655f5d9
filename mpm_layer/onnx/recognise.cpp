// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/error.h"
#include "onnx/fold.h"
#include "onnx/input_size.h"
#include "onnx/lower.h"
#include "onnx/settle.h"

namespace mpm::onnx {
namespace {

// A batch that is open is looked at as if it were two images, so that what belongs to one of them
// cannot be taken for what belongs to all. Exporters that were shown one image sometimes leave it
// open at the input and build it in behind that, so one is tried too.
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

// Whether the graph itself adapts to a size: then it is recognised at that size as at any other.
bool adapts(const Model& model, const ImageInput& input) {
  const Values values(model, inputDims(model, input, kBatches[0]));
  const Facts facts{model, values};
  return Translation(facts, {}).encoder().obstacle.empty();
}

// Puts constants where shapes were computed, for any batch.
void simplify(Model& model, const ImageInput& input) {
  InputDims dims;
  if (!input.name.empty()) dims[input.name] = input.dims;
  {
    const Values values(model, dims);
    lower(model, [&](const std::string& value) { return values.dims(value); });
  }
  {
    const Values values(model, dims);
    fold(model, values);
  }
  const Values values(model, dims);
  settleReshapes(model, values);
}

// Why a model of open size has no encoder at any size that was tried.
std::string whyOpen(const Model& model, const ImageInput& input) {
  const bool attends = std::any_of(model.nodes().begin(), model.nodes().end(),
                                   [](const Node* node) { return isOp(*node, "Softmax"); });
  if (!attends) {
    const Values values(model, inputDims(model, input, kBatches[0]));
    const Facts facts{model, values};
    return Translation(facts, {}).encoder().obstacle;
  }
  return "its input's height and width are open, and its position embedding fits no square grid of "
         "patches or is none that is known; please give an input size";
}

// Patches are whole in a token blob; a convolution would leave out what is over.
void checkOwnSize(const ImageInput& input, Encoder& encoder) {
  if (!encoder.obstacle.empty()) return;
  if (input.dims[2] % encoder.patch == 0 && input.dims[3] % encoder.patch == 0) return;
  encoder.obstacle = "its input of " + std::to_string(input.dims[3]) + "x" +
                     std::to_string(input.dims[2]) + " is no multiple of its patch of " +
                     std::to_string(encoder.patch);
}

void checkSize(const RecogniseOptions& options, const Encoder& encoder) {
  if (options.width % encoder.patch == 0 && options.height % encoder.patch == 0) return;
  throw ModelError("input size " + std::to_string(options.width) + "x" +
                   std::to_string(options.height) + ": both have to be multiples of the patch, " +
                   std::to_string(encoder.patch));
}

// Whether the graph contradicts itself at this batch: a reshape with another number of elements.
bool contradicts(const Facts& facts) {
  const auto countOf = [&](const std::string& value) -> std::int64_t {
    const Integers* dims = facts.values.dims(value);
    std::int64_t count = 1;
    for (const std::int64_t dim : dims != nullptr ? *dims : Integers{-1}) {
      if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return -1;
    }
    return count;
  };
  for (const Node* node : facts.model.nodes()) {
    if (!isOp(*node, "Reshape") || node->input_size() < 1 || node->output_size() != 1) continue;
    const std::int64_t before = countOf(node->input(0)), after = countOf(node->output(0));
    if (before >= 0 && after >= 0 && before != after) return true;
  }
  return false;
}

void translate(const Facts& facts, const RecogniseOptions& options, Recognised& result) {
  TranslateOptions translate{options.lateRestore};
  if (options.width > 0) {
    const Encoder encoder = Translation(facts, translate).encoder();
    if (encoder.obstacle.empty()) {
      checkSize(options, encoder);
      translate.gridHeight = options.height / encoder.patch;
      translate.gridWidth = options.width / encoder.patch;
    }
  }
  Translation translation(facts, translate);
  result.encoder = translation.encoder();
  result.plan = std::move(translation.plan());
}

}  // namespace

Recognised recognise(Model& model, const RecogniseOptions& options) {
  lower(model);
  Recognised result;
  ImageInput own = imageInput(model);
  result.input = own.name;
  const bool asks = options.width > 0;
  if (own.name.empty()) {
    result.encoder.obstacle = "it has no image input [B, C, H, W]";
    return result;
  }
  if (!isClosed(own)) {
    std::vector<ImageInput> sizes = sizesByPositions(model, own);
    if (asks) {
      sizes.insert(sizes.begin(), own);
      sizes.front().dims[2] = options.height;
      sizes.front().dims[3] = options.width;
      if (own.dims[1] < 1) sizes.front().dims[1] = sizes.back().dims[1];
    }
    const auto fits = std::find_if(sizes.begin(), sizes.end(), [&](const ImageInput& size) {
      return isClosed(size) && adapts(model, size);
    });
    if (fits == sizes.end()) {
      result.encoder.obstacle = whyOpen(model, own);
      return result;
    }
    own = *fits;
  }
  simplify(model, own);
  result.values = std::make_shared<Values>(model, InputDims{{own.name, own.dims}});
  for (const std::int64_t batch : kBatches) {
    const Values values(model, inputDims(model, own, batch));
    const Facts facts{model, values};
    std::string obstacle = std::move(result.encoder.obstacle);
    translate(facts, options, result);
    if (!result.encoder.obstacle.empty() && !obstacle.empty())
      result.encoder.obstacle = std::move(obstacle);  // the first one's
    if (result.encoder.obstacle.empty() || own.dims[0] > 0 || !contradicts(facts)) break;
  }
  checkOwnSize(own, result.encoder);
  result.ownHeight = own.dims[2];
  result.ownWidth = own.dims[3];
  result.height = asks ? options.height : own.dims[2];
  result.width = asks ? options.width : own.dims[3];
  return result;
}

}  // namespace mpm::onnx

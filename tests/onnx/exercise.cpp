// SPDX-License-Identifier: Apache-2.0
#include "onnx/exercise.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/file.h"
#include "onnx/layers/for_opencv.h"
#include "onnx/layers/recognise.h"
#include "onnx/layers/rewrite_model.h"
#include "onnx/layers/subgraphs.h"
#include "onnx/normal_form/fold.h"
#include "onnx/normal_form/normal_form.h"
#include "onnx/operators/interpreter.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/values.h"

namespace mpm::test {
namespace {

// Not assert(): also where NDEBUG is set.
void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

void walkConstants(const onnx::Model& model) {
  double sum = 0;
  for (const auto& proto : model.proto().graph().initializer()) {
    const auto tensor = model.constant(proto.name());
    require(tensor.has_value(), "every initialiser is a constant");
    const auto count = static_cast<std::size_t>(tensor->count());
    if (tensor->isFloating()) {
      const auto floats = tensor->floats();
      require(floats.size() == count, "floats() has as many values as the dims say");
      for (const float value : floats) sum += static_cast<double>(value);
    }
    if (tensor->isInteger()) {
      const auto integers = tensor->integers();
      require(integers.size() == count, "integers() has as many values as the dims say");
      for (const auto value : integers) sum += static_cast<double>(value);
    }
  }
  volatile double used = sum;
  static_cast<void>(used);
}

void walkNodes(const onnx::Model& model) {
  for (const auto* node : model.nodes()) {
    for (const auto& output : node->output()) {
      if (output.empty()) continue;
      require(model.producer(output) == node, "the producer of a node's output is that node");
      model.info(output);
    }
    for (const auto& input : node->input()) {
      if (input.empty()) continue;
      bool found = false;
      for (const auto* consumer : model.consumers(input)) found = found || consumer == node;
      require(found, "a node is among the consumers of its inputs");
    }
  }
}

void readAgain(const onnx::Model& model) {
  const std::string bytes = onnx::writeModel(model);
  try {
    const auto again = onnx::readModel(bytes.data(), bytes.size());
    require(onnx::writeModel(again) == bytes, "what was written reads as the same model");
  } catch (const onnx::ModelError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    require(false, "what was written can be read");
  }
}

constexpr std::int64_t kMostElements = 1 << 14;  // of a value, where a model is computed
constexpr std::int64_t kOpen = 2;                // what a size is that the model leaves open
constexpr std::int64_t kMostSide = 64;           // of an image that is asked for twice as wide

bool isSmall(const onnx::Integers* dims) {
  if (dims == nullptr) return false;
  std::int64_t count = 1;
  for (const std::int64_t dim : *dims) {
    if (dim < 0 || dim > kMostElements) return false;
    count *= std::max<std::int64_t>(dim, 1);
    if (count > kMostElements) return false;
  }
  return true;
}

// Numbers that differ, some of them negative.
std::optional<onnx::KnownTensor> someKnown(int type, const onnx::Integers& dims) {
  if (!onnx::isFolded(type)) return std::nullopt;
  auto known = onnx::unwritten(type, dims);
  if (!known) return std::nullopt;
  for (std::size_t i = 0; i < known->count(); ++i) {
    if (known->isFloat()) {
      known->floats.write()[i] = 0.25F * static_cast<float>(i % 17) - 2;
    } else {
      known->integers[i] = static_cast<std::int64_t>(i % 2);
    }
  }
  return known;
}

// Whether an Interpreter computes all nodes and every value's size is known, and small.
bool isSmall(const onnx::Model& model, const std::vector<onnx::Integers>& dims) {
  std::unordered_map<std::string, onnx::Integers> sizes;
  const std::vector<onnx::Value> inputs = model.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!isSmall(&dims.at(i))) return false;
    sizes[inputs[i].name] = dims[i];
  }
  const onnx::Values values(model, sizes);
  for (const auto* node : model.nodes()) {
    if (!onnx::isInterpreted(*node)) return false;
    for (const auto& output : node->output()) {
      if (!output.empty() && !isSmall(values.dims(output))) return false;
    }
  }
  return true;
}

void computeSmall(const void* bytes, std::size_t size, const std::vector<onnx::Integers>& dims) {
  if (!isSmall(onnx::readModel(bytes, size), dims)) return;
  onnx::Interpreter interpreter(onnx::readModel(bytes, size));
  const auto outputs = interpreter.fit(dims);
  std::vector<onnx::KnownTensor> inputs;
  for (std::size_t i = 0; i < interpreter.inputs(); ++i) {
    auto known = someKnown(interpreter.input(i).type, dims[i]);
    if (!known) return;
    inputs.push_back(std::move(*known));
  }
  const auto made = interpreter.run(std::move(inputs));
  require(made.size() == outputs.size(), "every output is computed");
}

void computeWhole(const void* bytes, std::size_t size) {
  std::vector<onnx::Integers> dims;
  for (const onnx::Value& input : onnx::readModel(bytes, size).inputs()) {
    onnx::Integers& sizes = dims.emplace_back();
    for (const onnx::Dim& dim : input.dims) sizes.push_back(dim.isKnown() ? dim.size : kOpen);
  }
  try {
    computeSmall(bytes, size, dims);
  } catch (const onnx::ModelError&) {  // values that do not fit
  }
}

// Takes out what OpenCV does not compute, and asks the parts for their sizes.
void takeParts(onnx::Model& model, const onnx::Values& values) {
  onnx::takeSubgraphs(
      model, [&](const std::string& value) { return values.dims(value); },
      [&](const std::string& value) { return values.type(value); });
  for (const auto* node : model.nodes()) {
    if (node->domain() != "mpm" || node->op_type() != "Subgraph") continue;
    const std::string bytes = onnx::stringAttribute(*node, "graph").value_or("");
    onnx::Interpreter part(onnx::readModel(bytes.data(), bytes.size()));
    std::vector<onnx::Integers> dims;
    for (const auto& input : node->input()) {
      const onnx::Integers* known = values.dims(input);
      dims.push_back(known == nullptr ? onnx::Integers{} : *known);
    }
    try {
      part.fit(dims);
      computeSmall(bytes.data(), bytes.size(), dims);
    } catch (const onnx::ModelError&) {  // sizes that are not known
    }
  }
}

// Rewrites the model as programs do, each way from the start.
bool rewriteModel(const void* bytes, std::size_t size, bool inFile,
                  const onnx::RecogniseOptions& recognise) {
  auto model = onnx::readModel(bytes, size);
  onnx::RewriteOptions options;
  options.recognise = recognise;
  auto rewriting = onnx::planRewriting(model, options);
  const bool merges = rewriting.recognised.encoder.obstacle.empty();
  if (merges && inFile) {
    onnx::rewriteInFile(model, std::move(rewriting));
  } else if (merges) {
    onnx::rewriteElsewhere(model, std::move(rewriting), [&](const auto& nodes) {
      for (const onnx::Plan::NewNode& added : nodes) {
        for (const onnx::Weight& weight : added.weights) {
          std::size_t count = 1;
          for (const auto dim : weight.dims) count *= static_cast<std::size_t>(dim);
          std::vector<float> values(count);
          weight.read(model, values.data());
        }
      }
    });
  }
  const onnx::Values values(model);
  onnx::spellForOpenCv(model, [&](const std::string& value) { return values.dims(value); });
  takeParts(model, values);
  walkNodes(model);
  readAgain(model);
  return merges;
}

// Its position embedding and what its head says of sizes are made for another image.
void rewriteWider(const void* bytes, std::size_t size) {
  const onnx::Model model = onnx::readModel(bytes, size);
  onnx::ImageInput image = onnx::imageInput(model);
  if (image.name.empty() || image.width() <= 0 || image.height() <= 0) return;
  if (image.width() > kMostSide || image.height() > kMostSide) return;
  onnx::RecogniseOptions wider;
  wider.width = 2 * image.width();
  wider.height = image.height();
  try {
    rewriteModel(bytes, size, true, wider);
  } catch (const onnx::ModelError&) {  // it takes none but its own
  }
}

}  // namespace

bool exerciseModel(const void* bytes, std::size_t size) {
  try {
    auto model = onnx::readModel(bytes, size);
    model.inputs();
    model.outputs();
    model.metadata();
    walkConstants(model);
    walkNodes(model);
    readAgain(model);
    const onnx::Values values(model);
    onnx::fold(model, values);
    onnx::settleReshapes(model, values);
    walkConstants(model);
    walkNodes(model);
    model.removeDead();
    readAgain(model);
    if (rewriteModel(bytes, size, true, {})) {
      onnx::RecogniseOptions early;
      early.lateRestore = false;
      rewriteModel(bytes, size, false, early);
      rewriteWider(bytes, size);
    }
    computeWhole(bytes, size);
    return true;
  } catch (const onnx::ModelError&) {
    return false;
  }
}

}  // namespace mpm::test

// SPDX-License-Identifier: Apache-2.0
#include "onnx/exercise.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/fold.h"
#include "onnx/interpreter.h"
#include "onnx/lower.h"
#include "onnx/read.h"
#include "onnx/rewrite_model.h"
#include "onnx/subgraphs.h"
#include "onnx/values.h"
#include "onnx/write.h"

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
    } catch (const onnx::ModelError&) {  // sizes that are not known
    }
  }
}

// Rewrites the model as programs do, each way from the start.
bool rewriteModel(const void* bytes, std::size_t size, bool inFile, bool late) {
  auto model = onnx::readModel(bytes, size);
  onnx::RewriteOptions options;
  options.recognise.lateRestore = late;
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
  takeParts(model, values);
  onnx::lowerForOpenCv(model, [&](const std::string& value) { return values.dims(value); });
  walkNodes(model);
  readAgain(model);
  return merges;
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
    if (rewriteModel(bytes, size, true, true)) {
      rewriteModel(bytes, size, false, false);
    }
    return true;
  } catch (const onnx::ModelError&) {
    return false;
  }
}

}  // namespace mpm::test

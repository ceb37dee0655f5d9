// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/attention_rows.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/walk.h"
#include "onnx/operators/shape_call.h"
#include "onnx/recognise/find.h"

namespace mpm::onnx {
namespace {

// Rows of a value [.., dim] for each image; nothing where they are no whole number.
std::optional<std::int64_t> rowsOfImage(const Facts& facts, const std::string& value,
                                        std::int64_t batch) {
  const Integers* dims = facts.values.dims(value);
  if (dims == nullptr || dims->size() < 2) return std::nullopt;
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < dims->size(); ++i) rows = times(rows, (*dims)[i]);
  return rows > 0 && rows % batch == 0 ? std::optional(rows / batch) : std::nullopt;
}

// Whether a node puts several pictures, or what was made of them, into one batch.
bool joinsPictures(const Facts& facts, const Node& node, std::int64_t batch) {
  if (!isOp(node, "Concat") || intAttribute(node, "axis").value_or(0) != 0) return false;
  const auto isOfPictures = [&](const std::string& value) {
    const Integers* dims = facts.values.dims(value);
    return dims != nullptr && dims->size() > 2 && dims->front() % batch == 0;
  };
  return node.input_size() > 1 && isOfPictures(node.output(0)) &&
         std::all_of(node.input().begin(), node.input().end(), isOfPictures);
}

bool standsBehindSeveralPictures(const Facts& facts, const std::string& value, std::int64_t batch) {
  const auto& nodes = facts.model.nodes();
  const bool joinsAny = std::any_of(nodes.begin(), nodes.end(), [&](const Node* node) {
    return joinsPictures(facts, *node, batch);
  });
  if (!joinsAny) return false;  // as in most models, of which all windows are asked
  return isAnyBehind(facts.model, value, [&](const std::string& at) {
    const Node* node = facts.model.producer(at);
    return node != nullptr && joinsPictures(facts, *node, batch);
  });
}

}  // namespace

std::string whyOtherRows(const Facts& facts, const std::string& value, std::int64_t queries,
                         std::int64_t batch) {
  constexpr std::size_t kMost = 64;
  std::string layer;  // what some layer reads
  std::vector<std::string> waiting{value};
  for (std::size_t i = 0; i < waiting.size() && i < kMost; ++i) {
    const std::string at = waiting[i];
    if (const auto linear = findLinear(facts.model, at)) {
      const auto rows = rowsOfImage(facts, linear->input, batch);
      if (!rows || *rows <= queries) return {};
      layer = linear->input;
      continue;
    }
    const Node* node = facts.model.producer(at);
    if (node == nullptr) continue;
    for (const std::string& input : node->input()) {
      if (!input.empty() && !facts.model.constant(input)) waiting.push_back(input);
    }
  }
  if (layer.empty()) return {};
  return standsBehindSeveralPictures(facts, layer, batch)
             ? "tokens of several pictures that share its batch"
             : "attention within windows";
}

}  // namespace mpm::onnx

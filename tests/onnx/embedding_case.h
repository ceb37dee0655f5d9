// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "onnx/facts_case.h"
#include "onnx/recognise/embedding.h"

namespace mpm::test {

using onnx::Embedding;

inline constexpr std::int64_t kPatch = 2, kDim = 3, kCount = 6;  // of a grid of 2 x 3

// Patches "p" of "image": [B, N, D], or [N, B, D].
inline ModelProto patches(bool rowsFirst = false) {
  auto proto = emptyModel();
  addInput(proto, "image", {-1, 1, 4, 6});
  addSome(proto, "weight", {kDim, 1, kPatch, kPatch});
  addSome(proto, "bias", {kDim});
  auto& conv = addNode(proto, "Conv", {"image", "weight", "bias"}, {"grid"});
  onnx::setAttribute(conv, "strides", Integers{kPatch, kPatch});
  addReshape(proto, "grid", {0, kDim, kCount}, "columns");
  addTranspose(proto, "columns", rowsFirst ? Integers{2, 0, 1} : Integers{0, 2, 1}, "p");
  return proto;
}

// As the translation does it: each value is asked for when those in front of it are known.
inline std::optional<Embedding> embeddingOf(ModelProto proto, const std::string& value) {
  addOutput(proto, value);
  const Looked looked(std::move(proto));
  std::unordered_map<std::string, Embedding> all;
  const auto known = [&](const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
  };
  for (const auto* node : looked.model().nodes()) {
    for (const std::string& output : node->output()) {
      if (auto found = onnx::findEmbedding(looked.facts(), output, known))
        all.emplace(output, std::move(*found));
    }
  }
  const Embedding* found = known(value);
  return found == nullptr ? std::nullopt : std::optional<Embedding>(*found);
}

// "i3 c1": three of the image, one constant row.
inline std::string segmentsOf(const std::optional<Embedding>& embedding) {
  if (!embedding) return "none";
  std::string text;
  for (const Embedding::Segment& segment : embedding->segments) {
    if (!text.empty()) text += " ";
    text += (segment.isImage ? "i" : "c") + std::to_string(segment.count);
  }
  return text;
}

}  // namespace mpm::test

// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/attention_positions.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace mpm::onnx {
namespace {

// For each row of a token blob on the model's own grid, its place among the value's rows.
std::vector<std::size_t> placesOf(const Tokens& tokens) {
  std::vector<std::size_t> places(static_cast<std::size_t>(tokens.special + tokens.ownImage));
  std::size_t place = 0;
  for (const Part& part : tokens.parts) {
    const std::int64_t begin = part.isImage ? tokens.special : part.begin;
    const std::int64_t end = part.isImage ? tokens.special + tokens.ownImage : part.end;
    for (std::int64_t row = begin; row < end; ++row)
      places[static_cast<std::size_t>(row)] = place++;
  }
  return places;
}

// Of rows in the order of a window, those of all windows in the order of the blob.
std::vector<float> spreadOverWindows(const std::vector<float>& rows, std::size_t width,
                                     const Tokens& tokens) {
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(tokens.image) * width);
  for (std::int64_t y = 0; y < tokens.gridHeight; ++y) {
    for (std::int64_t x = 0; x < tokens.gridWidth; ++x) {
      const std::int64_t place =
          y % tokens.windows.height * tokens.windows.width + x % tokens.windows.width;
      const auto from = rows.begin() + place * static_cast<std::ptrdiff_t>(width);
      result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(width));
    }
  }
  return result;
}

// The rows of patches on the blob's grid; special ones stay as they are.
std::string moveRotary(RotaryFactors& factors, std::int64_t d, const Tokens& tokens,
                       const Embedding& embedding) {
  const auto specialOf = [&](std::vector<float>& rows) {
    return rows.begin() + static_cast<std::ptrdiff_t>(tokens.special * d);
  };
  const RotaryFactors image{{specialOf(factors.own), factors.own.end()},
                            {specialOf(factors.other), factors.other.end()}};
  const RotaryOnGrid moved = rotaryOnGrid(
      image, d, {embedding.gridHeight, embedding.gridWidth, tokens.gridHeight, tokens.gridWidth});
  if (!moved.obstacle.empty()) return moved.obstacle;
  for (const auto& [rows, made] : {std::pair{&factors.own, &moved.factors.own},
                                   std::pair{&factors.other, &moved.factors.other}}) {
    rows->erase(specialOf(*rows), rows->end());
    rows->insert(rows->end(), made->begin(), made->end());
  }
  return {};
}

// [heads * rows, rows] in the order of the blob, of a constant that heads may share.
Weight biasWeight(const FoundAttention& found, std::vector<std::size_t> places) {
  const auto rows = static_cast<std::int64_t>(places.size());
  return {"bias",
          {found.heads * rows, rows},
          [constant = found.bias, factor = found.biasScale, heads = found.heads,
           places = std::move(places)](const Model& from, float* out) {
            const Tensor tensor = *from.constant(constant);
            const Floats values = tensor.floats();
            const std::size_t count = places.size(), plane = count * count;
            for (std::int64_t head = 0; head < heads; ++head) {
              const float* const table =
                  values.data() + (tensor.count() == static_cast<std::int64_t>(plane)
                                       ? 0
                                       : static_cast<std::size_t>(head) * plane);
              for (const std::size_t query : places) {
                for (const std::size_t key : places) *out++ = table[query * count + key] * factor;
              }
            }
          }};
}

std::optional<Weight> movedBias(const Model& model, const FoundAttention& found,
                                const Tokens& tokens, const Embedding& embedding) {
  const Tensor tensor = *model.constant(found.bias);
  const std::vector<std::size_t> places = placesOf(tokens);
  const auto plane = static_cast<std::int64_t>(places.size() * places.size());
  const Floats values = tensor.floats();
  const std::optional<RelativeBias> own = findRelativeBias(
      values.data(), tensor.count() / plane, places, embedding.gridHeight, embedding.gridWidth);
  if (!own) return std::nullopt;
  const auto moved =
      std::make_shared<const RelativeBias>(biasOnGrid(*own, tokens.gridHeight, tokens.gridWidth));
  const std::int64_t rows = tokens.special + tokens.image;
  return Weight{"bias",
                {found.heads * rows, rows},
                [moved, heads = found.heads, factor = found.biasScale, count = rows * rows](
                    const Model&, float* out) {
                  moved->write(out);
                  const std::int64_t written = moved->heads * count;
                  for (std::int64_t i = written; i < heads * count; ++i) out[i] = out[i - written];
                  for (std::int64_t i = 0; i < heads * count; ++i) out[i] *= factor;
                }};
}

}  // namespace

std::vector<float> inOrder(const std::vector<float>& rows, std::size_t width,
                           const Tokens& tokens) {
  std::vector<float> result;
  result.reserve(rows.size());
  for (const std::size_t place : placesOf(tokens)) {
    const auto from = rows.begin() + static_cast<std::ptrdiff_t>(place * width);
    result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(width));
  }
  return result;
}

Finding<std::vector<Weight>> positionsOf(const Model& model, const FoundAttention& attention,
                                         const Tokens& tokens, const Embedding& embedding) {
  std::vector<Weight> weights;
  if (attention.q.rotary) {
    const std::int64_t width = attention.headDim * attention.q.rotary->heads;
    const auto ordered = [&](const std::vector<float>& rows) {
      const auto count = static_cast<std::size_t>(width);
      return attention.windows > 0 ? spreadOverWindows(rows, count, tokens)
                                   : inOrder(rows, count, tokens);
    };
    RotaryFactors factors{ordered(attention.q.rotary->own), ordered(attention.q.rotary->other)};
    if (!tokens.hasOwnGrid && width != attention.headDim)
      return {std::nullopt,
              "each head has rotary positions of its own, which are for its own size alone",
              nullptr};
    if (!tokens.hasOwnGrid) {
      const std::string obstacle = moveRotary(factors, attention.headDim, tokens, embedding);
      if (!obstacle.empty()) return {std::nullopt, obstacle, nullptr};
    }
    const Integers dims{tokens.special + tokens.image, width};
    weights.push_back(ownedWeight("rotary_own", dims, std::move(factors.own)));
    weights.push_back(ownedWeight("rotary_other", dims, std::move(factors.other)));
  }
  if (attention.bias.empty()) return {std::move(weights), {}, nullptr};
  std::optional<Weight> bias = tokens.hasOwnGrid ? biasWeight(attention, placesOf(tokens))
                                                 : movedBias(model, attention, tokens, embedding);
  if (!bias)
    return {std::nullopt,
            "its attention has a bias that depends on more than the distance between two patches",
            nullptr};
  weights.push_back(std::move(*bias));
  return {std::move(weights), {}, nullptr};
}

}  // namespace mpm::onnx

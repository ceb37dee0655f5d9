// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "vit/packed_calls.h"
#include "vit/random_network.h"

namespace mpm::test {

/// An operation with its weights, inputs and scratch memory; `run` computes so many rows of `dim`
/// values.
struct PreparedOperation {
  const char* name;
  std::size_t dim;
  std::function<void(std::size_t rows, Rows out)> run;
};

/// Of at most this many rows each.
constexpr std::size_t kMostPreparedRows = 300;

/// Every operation of a network, packed in this precision.
inline std::vector<PreparedOperation> preparedOperations(vit::Precision precision) {
  constexpr std::size_t kDim = 192, kClasses = 150, kLong = 3072, kEmbedDim = 64;
  const auto network = std::make_shared<RandomNetwork>(111);
  const ConstRows x = network->matrix(kMostPreparedRows, kDim, 0, 1);
  const ConstRows wide = network->matrix(kMostPreparedRows, kLong, 0, 1);
  const ConstRows classes = network->matrix(kClasses, kDim, 0, 1);
  const ConstRows pixels = network->matrix(3 * 8, kMostPreparedRows * 8, 0, 1);
  const float* const weights = network->vector(kMostPreparedRows, 0, 1);
  const auto block =
      std::make_shared<vit::PackedBlock>(network->block(kDim, 3, vit::Gelu::erf), precision);
  const auto head =
      std::make_shared<vit::PackedMaskHead>(network->maskHead(kDim, kClasses), kClasses, precision);
  const auto embed = std::make_shared<vit::PackedPatchEmbed>();
  embed->patch = 8;
  embed->projection = {network->linear(3 * 64, kEmbedDim), precision};
  const auto blockScratch = std::make_shared<vit::BlockScratch>();
  const auto headScratch = std::make_shared<vit::MaskHeadScratch>();
  const auto operands = std::make_shared<vit::AttentionOperands>();
  const auto first = [network](ConstRows all, std::size_t rows) {
    return ConstRows(all.data, rows, all.dim);
  };
  std::vector<PreparedOperation> all = {
      {"transformer block", kDim,
       [=](std::size_t rows, Rows out) {
         transformerBlockCpu(first(x, rows), *block, rows % 2 == 0 ? weights : nullptr,
                             *blockScratch, out);
       }},
      {"attention", kDim,
       [=](std::size_t rows, Rows out) {
         vit::attentionCpu(first(x, rows), first(x, 200), first(x, 200), {8, 0.2F, weights},
                           precision, *operands, out);
       }},
      {"mask head", kClasses,
       [=](std::size_t rows, Rows out) {
         maskHeadCpu(first(x, rows), classes, *head, *headScratch, out);
       }},
      {"patch embedding", kEmbedDim, [=](std::size_t rows, Rows out) {
         (void)network;  // owns the pixels
         patchEmbedCpu({pixels.data, 3, 8, rows * 8}, *embed, out);
       }}};
  const auto addLinear = [&](const char* name, ConstRows in, std::size_t outputs) {
    const auto linear =
        std::make_shared<vit::PackedLinear>(network->linear(in.dim, outputs), precision);
    all.push_back({name, outputs,
                   [=](std::size_t rows, Rows out) { linearCpu(first(in, rows), *linear, out); }});
  };
  addLinear("linear layer", x, 96);
  for (const std::size_t outputs : {24, 700}) addLinear("long sum", wide, outputs);
  return all;
}

}  // namespace mpm::test

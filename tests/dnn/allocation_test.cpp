// SPDX-License-Identifier: Apache-2.0
// From the tenth frame on no layer takes memory, although row counts change with every frame:
// frames follow each other for weeks. On one thread, as every thread has scratch memory of its own.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "counted_new.h"
#include "dnn/layer_call.h"
#include "dnn/mutual_pair_merge_layer.h"
#include "mpm/threads.h"

namespace mpm::test {
namespace {

using cv::Mat;

constexpr int kFrames = 3;  // that differ, seen again and again
constexpr int kSpecial = 1, kImage = kCapacity - kSpecial;

// Row counts of the two images of a frame, and a map that fits them.
int liveOf(int frame, int image) { return kCapacity - 2 * frame - image; }

/// Tokens, rows and map of a frame.
Mats tokensRowsMap(int frame) {
  Mat rows(2, 1, CV_32F), map(2, kImage, CV_32F);
  for (int image = 0; image < 2; ++image) {
    rows.ptr<float>()[image] = static_cast<float>(liveOf(frame, image));
    for (int at = 0; at < kImage; ++at)
      map.ptr<float>(image)[at] = static_cast<float>(at % (liveOf(frame, image) - kSpecial));
  }
  return {normalBlob({2, kCapacity, kDim}, 7 + static_cast<unsigned>(frame)), rows, map};
}
Mats tokensRows(int frame) {
  const Mats all = tokensRowsMap(frame);
  return {all[0], all[1]};
}
Mats tokensMap(int frame) {
  const Mats all = tokensRowsMap(frame);
  return {all[0], all[2]};
}
Mats planes(int frame) { return {normalBlob({2, 3, 16, 24}, 3 + static_cast<unsigned>(frame))}; }
Mats places(int frame) { return {normalBlob({2, 12, 5}, 3 + static_cast<unsigned>(frame))}; }

struct Kind {
  std::string type, settings;
  Mats (*inputs)(int frame);
  std::vector<std::vector<int>> constants, outputs;
};

const std::vector<int> kRow = {1, kDim}, kTokens = {2, kCapacity, kDim}, kSquare = {kDim, kDim};

const Kind kKinds[] = {
    {"mpm.MutualPairMerge",
     "special=1 inputs=tokens,rows,map",
     tokensRowsMap,
     {},
     {kTokens, {2, 1}, {2, kImage}}},
    {"mpm.MergeRestore", "special=1 inputs=tokens,map", tokensMap, {}, {kTokens}},
    {"mpm.MeanRows", "special=1 inputs=tokens,rows,map", tokensRowsMap, {}, {{2, kDim}}},
    {"mpm.ReplaceSpecial",
     "special=1 inputs=tokens,rows,special_rows",
     tokensRows,
     {{2, kDim}},
     {{2, kCapacity + 1, kDim}, {2, 1}}},
    {"mpm.Upsample", "size=24,40 grid=3,4", places, {}, {{2, 5, 24, 40}}},
    {"mpm.Linear",
     "inputs=tokens,rows,weight,bias",
     tokensRows,
     {{10, kDim}, {1, 10}},
     {{2, kCapacity, 10}}},
    {"mpm.Normalize", "inputs=tokens,rows,scale,shift", tokensRows, {kRow, kRow}, {kTokens}},
    {"mpm.TransformerBlock",
     "heads=3 special=1 inputs=tokens,rows,map,norm1_scale,norm1_shift,qkv_weight,proj_weight,"
     "norm2_scale,norm2_shift,fc1_weight,fc2_weight",
     tokensRowsMap,
     {kRow, kRow, {3 * kDim, kDim}, kSquare, kRow, kRow, {50, kDim}, {kDim, 50}},
     {kTokens}},
    {"mpm.MaskDecoderHead",
     "special=3 inputs=tokens,rows,proj_patch,proj_classes,norm_scale,norm_shift",
     tokensRows,
     {kSquare, kSquare, {1, 3}, {1, 3}},
     {{2, kCapacity - 3, 3}}},
    {"mpm.Convolve", "", planes, {{10, 3, 3, 3}, {1, 10}}, {{2, 10, 14, 22}}},
    {"mpm.PatchEmbed",
     "patch=8 inputs=image,weight,bias,position,special",
     planes,
     {{20, 3, 8, 8}, {1, 20}, {6, 20}, {2, 20}},
     {{2, 8, 20}}}};

// `traces`: of a merge; as a Segmenter has it, on for a forward, then off.
void expectNone(const Kind& kind, bool traces = false) {
  SCOPED_TRACE(kind.type);
  Mats constants;
  for (const std::vector<int>& shape : kind.constants)
    constants.push_back(normalBlob(shape, 20 + static_cast<unsigned>(constants.size())));
  const auto layer = makeLayer(kind.type, kind.settings, constants);
  std::vector<Mats> inputs, outputs;
  Mats internals;
  for (int frame = 0; frame < kFrames; ++frame) {
    inputs.push_back(kind.inputs(frame));
    outputs.emplace_back();
    for (const std::vector<int>& shape : kind.outputs) outputs.back().emplace_back(shape, CV_32F);
  }
  long before = 0;
  for (int frame = 0; frame < 40; ++frame) {
    if (frame == 10) before = allocations;
    const auto at = static_cast<std::size_t>(frame % kFrames);
    if (traces) layer.dynamicCast<dnn::MutualPairMergeLayer>()->setTracing(true);
    layer->forward(inputs[at], outputs[at], internals);
    if (traces) layer.dynamicCast<dnn::MutualPairMergeLayer>()->setTracing(false);
  }
  EXPECT_GT(before, 0);
  EXPECT_EQ(allocations, before);
}

TEST(LayerAllocation, NoneAfterTheTenthFrame) {
  setThreads(1);
  for (const Kind& kind : kKinds) expectNone(kind);
  expectNone(kKinds[0], true);
}

}  // namespace
}  // namespace mpm::test

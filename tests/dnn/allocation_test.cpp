// SPDX-License-Identifier: Apache-2.0
// From the tenth frame on no layer takes memory, although row counts change with every frame:
// frames follow each other for weeks. On one thread, as every thread has scratch memory of its own.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "counted_new.h"
#include "dnn/mutual_pair_merge_layer.h"
#include "dnn/ragged_batch.h"
#include "mpm/threads.h"

namespace mpm::test {
namespace {

using cv::Mat;
using cv::dnn::LayerParams;
using Mats = std::vector<Mat>;

constexpr int kFrames = 3;  // that differ, seen again and again
constexpr int kSpecial = 1, kImage = kCapacity - kSpecial;

// Row counts of the two images of a frame, and a map that fits them.
int liveOf(int frame, int image) { return kCapacity - 2 * frame - image; }

Mat liveRowsOf(int frame) {
  return filledBlob({2, 1},
                    {static_cast<float>(liveOf(frame, 0)), static_cast<float>(liveOf(frame, 1))});
}

Mat mapOf(int frame) {
  Mat map(std::vector<int>{2, kImage}, CV_32F);
  for (int image = 0; image < 2; ++image) {
    const int live = liveOf(frame, image) - kSpecial;
    for (int at = 0; at < kImage; ++at) map.ptr<float>(image)[at] = static_cast<float>(at % live);
  }
  return map;
}

Mat tokensOf(int frame) {
  return normalBlob({2, kCapacity, kDim}, 7 + static_cast<unsigned>(frame));
}

struct Kind {
  std::string type;
  LayerParams params;
  std::function<Mats(int frame)> inputs;
  std::vector<std::vector<int>> constants;
  std::vector<std::vector<int>> outputs;
};

LayerParams settingsOf(const std::string& inputs, const std::map<std::string, int>& values) {
  LayerParams all = params(values);
  all.set("inputs", cv::String(inputs));
  return all;
}

const std::vector<int> kRow = {1, kDim}, kTokens = {2, kCapacity, kDim};

Mats tokensRowsMap(int frame) { return {tokensOf(frame), liveRowsOf(frame), mapOf(frame)}; }
Mats tokensRows(int frame) { return {tokensOf(frame), liveRowsOf(frame)}; }

std::vector<Kind> kindsOfNetwork() {
  return {
      {"mpm.Linear",
       settingsOf("tokens,rows,weight,bias", {}),
       tokensRows,
       {{10, kDim}, {1, 10}},
       {{2, kCapacity, 10}}},
      {"mpm.Normalize",
       settingsOf("tokens,rows,scale,shift", {}),
       tokensRows,
       {kRow, kRow},
       {kTokens}},
      {"mpm.TransformerBlock",
       settingsOf("tokens,rows,map,norm1_scale,norm1_shift,qkv_weight,proj_weight,norm2_scale,"
                  "norm2_shift,fc1_weight,fc2_weight",
                  {{"heads", 3}, {"special", kSpecial}}),
       tokensRowsMap,
       {kRow, kRow, {3 * kDim, kDim}, {kDim, kDim}, kRow, kRow, {50, kDim}, {kDim, 50}},
       {kTokens}},
      {"mpm.MaskDecoderHead",
       settingsOf("tokens,rows,proj_patch,proj_classes,norm_scale,norm_shift", {{"special", 3}}),
       tokensRows,
       {{kDim, kDim}, {kDim, kDim}, {1, 3}, {1, 3}},
       {{2, kCapacity - 3, 3}}},
      {"mpm.Convolve",
       {},
       [](int frame) {
         return Mats{normalBlob({2, 3, 16, 24}, 3 + static_cast<unsigned>(frame))};
       },
       {{10, 3, 3, 3}, {1, 10}},
       {{2, 10, 14, 22}}},
      {"mpm.PatchEmbed",
       settingsOf("image,weight,bias,position,special", {{"patch", 8}}),
       [](int frame) {
         return Mats{normalBlob({2, 3, 16, 24}, 3 + static_cast<unsigned>(frame))};
       },
       {{20, 3, 8, 8}, {1, 20}, {6, 20}, {2, 20}},
       {{2, 8, 20}}}};
}

std::vector<Kind> kindsOfMerging() {
  LayerParams upsample;
  const int size[] = {24, 40}, grid[] = {3, 4};
  upsample.set("size", cv::dnn::DictValue::arrayInt(size, 2));
  upsample.set("grid", cv::dnn::DictValue::arrayInt(grid, 2));
  return {{"mpm.MutualPairMerge",
           settingsOf("tokens,rows,map", {{"special", kSpecial}}),
           tokensRowsMap,
           {},
           {kTokens, {2, 1}, {2, kImage}}},
          {"mpm.MergeRestore",
           settingsOf("tokens,map", {{"special", kSpecial}}),
           [](int frame) {
             return Mats{tokensOf(frame), mapOf(frame)};
           },
           {},
           {kTokens}},
          {"mpm.MeanRows",
           settingsOf("tokens,rows,map", {{"special", kSpecial}}),
           tokensRowsMap,
           {},
           {{2, kDim}}},
          {"mpm.ReplaceSpecial",
           settingsOf("tokens,rows,special_rows", {{"special", kSpecial}}),
           tokensRows,
           {{2, kDim}},
           {{2, kCapacity + 1, kDim}, {2, 1}}},
          {"mpm.Upsample",
           upsample,
           [](int frame) {
             return Mats{normalBlob({2, 12, 5}, 3 + static_cast<unsigned>(frame))};
           },
           {},
           {{2, 5, 24, 40}}}};
}

// `traces`: of a merge; as a Segmenter has it, on for a forward, then off.
void expectNone(const Kind& kind, bool traces = false) {
  SCOPED_TRACE(kind.type);
  Mats constants;
  for (const std::vector<int>& shape : kind.constants)
    constants.push_back(normalBlob(shape, 20 + static_cast<unsigned>(constants.size())));
  const auto layer = makeLayer(kind.type, kind.params, constants);
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
  for (const Kind& kind : kindsOfNetwork()) expectNone(kind);
  for (const Kind& kind : kindsOfMerging()) expectNone(kind);
  expectNone(kindsOfMerging()[0], true);
}

}  // namespace
}  // namespace mpm::test

// SPDX-License-Identifier: Apache-2.0
// A little Segmenter from pixels to scores, merged and not, against the references image by image.
#include <gtest/gtest.h>

#include <algorithm>

#include "mpm/merge.h"
#include "tolerances.h"
#include "torch/runner_calls.h"
#include "vit/mask_head.h"
#include "vit/patch_embed.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm {
namespace {

using test::Blobs;
using test::HostBlob;
using test::Made;
using test::OwnedRows;

constexpr int kBatch = 2, kSide = 6, kPatches = kSide * kSide, kDim = 24, kClasses = 4;
constexpr int kBlocks = 3;

OwnedRows own(std::size_t count, std::size_t dim, const float* data) {
  OwnedRows rows(count, dim);
  rows.data.assign(data, data + count * dim);
  return rows;
}

struct Weights {
  test::RandomNetwork network{261};
  vit::PatchEmbedWeights embed;
  std::vector<vit::BlockWeights> blocks;  // the last one is the decoder's
  vit::NormWeights norm = network.norm(kDim);
  vit::LinearWeights linear = network.linear(kDim, kDim);
  ConstRows classes = network.matrix(kClasses, kDim, 0, 1);
  vit::MaskHeadWeights head = network.maskHead(kDim, kClasses);

  Weights() {
    embed.patch = 8;
    embed.projection = network.linear(3 * 64, kDim);
    embed.position = network.matrix(kPatches, kDim, 0, 1);
    embed.special = network.matrix(1, kDim, 0, 1);
    for (int i = 0; i <= kBlocks; ++i) blocks.push_back(network.block(kDim, 3, vit::Gelu::erf));
  }
};

/// The chain on one image; `merges`: in front of blocks 1 and 2.
struct Reference {
  const Weights& weights;
  bool merges;
  OwnedRows rows{1 + kPatches, kDim};
  std::vector<std::int32_t> map;

  void merge() {
    OwnedRows out(rows.count, kDim);
    std::copy_n(rows.data.data(), kDim, out.data.data());
    PairMerger merger;
    const std::size_t live = rows.count - 1;
    const std::size_t left = merger.merge({rows.row(1), live, kDim}, {}, map.data(), map.size(),
                                          {out.row(1), live, kDim});
    rows = own(1 + left, kDim, out.data.data());
  }

  void block(int index, int special) {
    const auto ofImage = merges && index > 0 ? map : std::vector<std::int32_t>();
    rows = test::blockReference(rows.view(), weights.blocks[static_cast<std::size_t>(index)],
                                special, ofImage);
  }

  OwnedRows scores(const float* pixels) {
    const auto side = static_cast<std::size_t>(8 * kSide);
    map.resize(kPatches);
    identityMap(map.data(), map.size());
    vit::patchEmbedReference({pixels, 3, side, side}, weights.embed, rows.view());
    for (int i = 0; i < kBlocks; ++i) {
      if (merges && i > 0) merge();
      block(i, 1);
    }
    vit::normalizeReference(rows.view(), weights.norm, rows.view());
    OwnedRows projected(rows.count, kDim);
    vit::linearReference(rows.view(), weights.linear, projected.view());
    OwnedRows decoded(rows.count - 1 + kClasses, kDim);
    std::copy_n(weights.classes.data, kClasses * kDim, decoded.data.data());
    std::copy_n(projected.row(1), (rows.count - 1) * kDim, decoded.row(kClasses));
    rows = decoded;
    block(kBlocks, kClasses);
    vit::normalizeReference(rows.view(), weights.norm, rows.view());
    const std::size_t image = rows.count - kClasses;
    OwnedRows live(image, kClasses), full(kPatches, kClasses);
    vit::maskHeadReference(ConstRows(rows.row(kClasses), image, kDim),
                           ConstRows(rows.data.data(), kClasses, kDim), weights.head, live.view());
    restore(live.view(), map.data(), full.view());
    return full;
  }
};

class RunnerChain : public test::RunnerTest {
 protected:
  void add(const Made& made) { layers_.push_back(layer(made)); }

  void make(const Weights& weights, const std::string& precision) {
    layers_.clear();
    Made embed("mpm.PatchEmbed");
    embed.number("patch", {8}).linear("", weights.embed.projection).word("precision", precision);
    embed.constant("position", {kPatches, kDim}, weights.embed.position.data);
    add(embed.constant("special", {1, kDim}, weights.embed.special.data));
    for (const auto& block : weights.blocks) add(test::madeBlock(block, precision));
    merge_ = layer(Made("mpm.MutualPairMerge").number("special", {1}));
    norm_ = layer(Made("mpm.Normalize").number("eps", {1e-6}).norm("", weights.norm, kDim));
    linear_ = layer(Made("mpm.Linear").linear("", weights.linear).word("precision", precision));
    replace_ = layer(Made("mpm.ReplaceSpecial")
                         .number("special", {1})
                         .constant("special_rows", {kClasses, kDim}, weights.classes.data));
    Made head("mpm.MaskDecoderHead");
    head.number("special", {kClasses}).word("precision", precision);
    head.constant("proj_patch", {kDim, kDim}, weights.head.projPatch.data);
    head.constant("proj_classes", {kDim, kDim}, weights.head.projClasses.data);
    head_ = layer(head.norm("norm", weights.head.norm, kClasses));
    restore_ = layer(Made("mpm.MergeRestore"));
  }

  Blobs named(bool withMap) const {
    Blobs blobs = {{"tokens", tokens_}};
    if (rows_.device) blobs["rows"] = rows_;
    if (withMap && map_.device) blobs["map"] = map_;
    return blobs;
  }

  void apply(RunnerLayer& layer, bool withMap) {
    tokens_ = forward(layer, named(withMap), {tokens_.shape})[0];
  }

  RunnerBlob scores(HostBlob& image, bool merges) {
    rows_ = map_ = {};
    tokens_ = forward(*layers_[0], {{"image", image.blob()}}, {{kBatch, 1 + kPatches, kDim}})[0];
    for (std::size_t i = 0; i < kBlocks; ++i) {
      if (i > 0) {
        merge_->setEnabled(merges);
        const auto out =
            forward(*merge_, named(true), {tokens_.shape, {kBatch, 1}, {kBatch, kPatches}});
        tokens_ = out[0], rows_ = out[1], map_ = out[2];
      }
      apply(*layers_[1 + i], true);
    }
    apply(*norm_, false);
    apply(*linear_, false);
    const auto replaced =
        forward(*replace_, named(false), {{kBatch, kClasses + kPatches, kDim}, {kBatch, 1}});
    tokens_ = replaced[0], rows_ = replaced[1];
    apply(*layers_[1 + kBlocks], true);
    apply(*norm_, false);
    const RunnerBlob live = forward(*head_, named(false), {{kBatch, kPatches, kClasses}})[0];
    return forward(*restore_, {{"tokens", live}, {"map", map_}}, {live.shape})[0];
  }

  void expectScores(const std::string& precision, double tolerance) {
    const Weights weights;
    make(weights, precision);
    HostBlob image = test::normalBlob({kBatch, 3, 8 * kSide, 8 * kSide}, 262);
    for (const bool merges : {false, true, true}) {
      SCOPED_TRACE(testing::Message() << precision << ", merges " << merges);
      HostBlob out = download(scores(image, merges));
      const HostBlob map = download(map_);
      for (int b = 0; b < kBatch; ++b) {
        Reference reference{weights, merges, OwnedRows(1 + kPatches, kDim), {}};
        const OwnedRows expected = reference.scores(image.values.data() + b * 3 * 64 * kPatches);
        if (precision == "fp32") {
          EXPECT_EQ(test::mapOf(map, b), reference.map);
        }
        if (precision == "fp32" || test::mapOf(map, b) == reference.map)
          expectImage(out, b, expected.view(), tolerance);
      }
    }
  }

  std::vector<std::unique_ptr<RunnerLayer>> layers_;
  std::unique_ptr<RunnerLayer> merge_, norm_, linear_, replace_, head_, restore_;
  RunnerBlob tokens_, rows_, map_;
};

TEST_P(RunnerChain, Fp32) { expectScores("fp32", 10 * test::kVitNetwork); }

TEST_P(RunnerChain, Bf16) {
  if (!runner_->hasPrecision("bf16")) GTEST_SKIP() << runner_->deviceName() << " has no bfloat16";
  expectScores("bf16", test::kBf16ModelOutput);
}

MPM_ON_EACH_DEVICE(RunnerChain);

}  // namespace
}  // namespace mpm

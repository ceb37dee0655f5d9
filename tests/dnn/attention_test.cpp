// SPDX-License-Identifier: Apache-2.0
// mpm.Attention and mpm.AddRows on ragged batches, against the references of what they stand on.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "dnn/layer_call.h"
#include "tolerances.h"
#include "vit/late_restore.h"
#include "vit/references.h"

namespace mpm {
namespace {

using cv::Mat;
using test::expectCase;
using test::kCapacity;
using test::kDim;
using test::Mats;
using test::normalBlob;
using test::RaggedBatch;
using test::rowsOf;
using Values = std::vector<float>;

// A row of 24 features is two heads of four for each of q, k and v.
constexpr int kHeads = 2, kWidth = 4, kSum = kHeads * kWidth;
constexpr float kNear = 1e-5F;
static_assert(kDim == 3 * kSum);

const RaggedBatch kBatch;
const dnn::Shape kShape = {3, kCapacity, kSum};

std::size_t liveOf(int image) { return static_cast<std::size_t>(kBatch.live[image]); }

/// The part of an image's live rows that is q, k or v, as i is 0, 1 or 2.
ConstRows partOf(int image, int i) {
  return {kBatch.tokens.ptr<float>(image) + i * kSum, liveOf(image), kSum, kDim};
}

/// The tokens of an image's live rows; the map is of all that are not special.
vit::Members membersOf(const Mat& map, int image) {
  const float* const first = map.ptr<float>(image);
  const std::vector<std::int32_t> entries(first, first + map.size[1]);
  vit::Members members;
  members.set(entries.data(), entries.size(), static_cast<std::size_t>(kCapacity - map.size[1]),
              liveOf(image));
  return members;
}

Rows viewOf(Values& values) { return {values.data(), values.size() / kSum, kSum}; }

Values rotated(ConstRows rows, const Mat& own, const Mat& other, const vit::Members& members) {
  Values out(rows.count * kSum);
  vit::rotateReference(
      rows, {{own.ptr<float>(), kCapacity, kWidth}, {other.ptr<float>(), kCapacity, kWidth}},
      members, kHeads, viewOf(out));
  return out;
}

// Norms of each head, by one scale for all heads or each head's own.
Values normedHeads(ConstRows rows, const Mat& scale) {
  Values out(rows.count * kSum);
  for (std::size_t head = 0; head < kHeads; ++head) {
    const std::size_t first = scale.total() == kSum ? head * kWidth : 0;
    vit::normalizeReference({rows.data + head * kWidth, rows.count, kWidth, kDim},
                            {scale.ptr<float>() + first, nullptr, 1e-5F, false},
                            {out.data() + head * kWidth, rows.count, kWidth, kSum});
  }
  return out;
}

TEST(AttentionLayer, NormsPositionsAndBiasOfMergedRows) {
  const Mat map = kBatch.map(), own = normalBlob({kCapacity, kWidth}, 3),
            other = normalBlob({kCapacity, kWidth}, 4),
            bias = normalBlob({kHeads * kCapacity, kCapacity}, 5);
  for (const bool counts : {false, true}) {
    const Mat scale = normalBlob({1, counts ? kSum : kWidth}, 2);
    const auto expected = [&](int image) {
      const std::size_t live = liveOf(image);
      const vit::Members members = membersOf(map, image);
      Values qk[2], weights(live, 0), liveBias(kHeads * live * live), out(live * kSum);
      for (const int i : {0, 1}) {
        Values normed = normedHeads(partOf(image, i), scale);
        qk[i] = rotated(viewOf(normed), own, other, members);
      }
      const std::vector<std::int32_t> entries(map.ptr<float>(image),
                                              map.ptr<float>(image) + map.size[1]);
      vit::keyWeights(entries.data(), entries.size(), weights.data() + 1, live - 1);
      vit::biasOfMembersReference({bias.ptr<float>(), kCapacity, kCapacity}, members, kHeads,
                                  liveBias.data());
      const vit::BiasTable given{liveBias.data(), live, live};
      vit::attentionReference(viewOf(qk[0]), viewOf(qk[1]), partOf(image, 2),
                              {kHeads, 0.7F, counts ? weights.data() : nullptr}, viewOf(out),
                              &given);
      return out;
    };
    expectCase("mpm.Attention",
               "heads=2 special=1 scale=0.7 norm=rms inputs=tokens,rows,map,q_norm_scale,"
               "k_norm_scale,rotary_own,rotary_other,bias counts=" +
                   std::to_string(counts),
               {kBatch.tokens, kBatch.rows, map}, {scale, scale, own, other, bias}, kShape,
               expected, kNear);
  }
}

TEST(AttentionLayer, NormsOfAllHeadsTogetherOrNone) {
  const Mat tokens = normalBlob({2, kCapacity, kDim}, 7);
  const Mat scale = normalBlob({1, kSum}, 2), shift = normalBlob({1, kSum}, 3);
  for (const bool normed : {true, false}) {
    const auto expected = [&](int image) {
      const auto part = [&](int i) {
        return ConstRows(tokens.ptr<float>(image) + i * kSum, kCapacity, kSum, kDim);
      };
      Values q(kCapacity * kSum), k(q.size()), out(q.size());
      vit::normalizeReference(part(0), {scale.ptr<float>(), shift.ptr<float>()}, viewOf(q));
      vit::normalizeReference(part(1), {scale.ptr<float>(), nullptr}, viewOf(k));
      vit::attentionReference(normed ? viewOf(q) : part(0), normed ? viewOf(k) : part(1), part(2),
                              {kHeads, 0.5F}, viewOf(out));
      return out;
    };
    expectCase("mpm.Attention",
               normed ? "heads=2 joint=1 norm=layer inputs=tokens,q_norm_scale,q_norm_shift,"
                        "k_norm_scale"
                      : "heads=2",
               {tokens}, normed ? Mats{scale, shift, scale} : Mats(), {2, kCapacity, kSum},
               expected, kNear);
  }
}

// Masks are often written with the lowest float. A row of them alone tells no key from another.
TEST(AttentionLayer, ABiasOfTheLowestFloatIsANumber) {
  constexpr int kRows = 4, kFeatures = 4;
  const Mat tokens = normalBlob({1, kRows, 3 * kFeatures}, 31);
  Mat bias(kRows, kRows, CV_32F, cv::Scalar(0));
  bias.row(0).setTo(std::numeric_limits<float>::lowest());
  const auto layer = test::makeLayer("mpm.Attention", "inputs=tokens,bias", {bias});
  const Mat made = test::callLayer(*layer, {tokens})[0];
  for (int k = 0; k < kFeatures; ++k) {
    double mean = 0;
    for (int row = 0; row < kRows; ++row)
      mean += tokens.ptr<float>()[row * 3 * kFeatures + 2 * kFeatures + k] / kRows;
    EXPECT_NEAR(made.ptr<float>()[k], mean, test::kVitOperation);
  }
}

// Two windows of which the first has tokens 0 to `ofFirst`. Of the images' live rows the last
// stands for the second window, and those in front for the first.
Mat mapWithinWindows(int ofFirst = 8) {
  Mat map(3, kCapacity, CV_32F);
  for (int image = 0; image < 3; ++image) {
    const int live = kBatch.live[image];
    for (int i = 0; i < kCapacity; ++i) {
      const int row = live == kCapacity ? i : i < ofFirst ? i % (live - 1) : live - 1;
      map.ptr<float>(image)[i] = static_cast<float>(row);
    }
  }
  return map;
}

TEST(AttentionGrid, WindowsAndDistancesOfMergedRows) {
  const Mat map = mapWithinWindows();
  const Mat down = normalBlob({3, kWidth}, 2), longDown = normalBlob({5, kWidth}, 5),
            across = normalBlob({7, kWidth}, 3), outside = normalBlob({1, kDim}, 4);
  const std::string names = "inputs=tokens,rows,map,distance_down,distance_across";
  const auto expectOn = [&](const std::string& settings, const Mats& constants,
                            const vit::GridTables& tables) {
    const auto expected = [&](int image) {
      Values out(liveOf(image) * kSum);
      vit::gridAttentionReference(kBatch.of(image), {kHeads, 0.5F}, tables, membersOf(map, image),
                                  viewOf(out));
      return out;
    };
    expectCase("mpm.Attention", settings, {kBatch.tokens, kBatch.rows, map}, constants, kShape,
               expected, kNear);
  };
  expectOn("heads=2 grid=3,4 window=2,4 " + names + ",outside", {down, across, outside},
           {{3, 4, 2, 4}, rowsOf(down), rowsOf(across), outside.ptr<float>()});
  expectOn("heads=2 grid=3,4 " + names, {longDown, across},
           {{3, 4, 3, 4}, rowsOf(longDown), rowsOf(across)});
}

// Turned by the place in the window, which is not the grid's.
TEST(AttentionGrid, RotaryPositionsWithinWindows) {
  const Mat map = mapWithinWindows(6);
  const Mat own = normalBlob({kCapacity, kWidth}, 8), other = normalBlob({kCapacity, kWidth}, 9);
  const auto expected = [&](int image) {
    const vit::Members members = membersOf(map, image);
    const ConstRows rows = kBatch.of(image);
    Values turned(rows.data, rows.data + rows.count * kDim), out(rows.count * kSum);
    for (const int part : {0, 1}) {
      const Values values = rotated(partOf(image, part), own, other, members);
      for (std::size_t row = 0; row < rows.count; ++row)
        std::copy_n(values.data() + row * kSum, kSum, turned.data() + row * kDim + part * kSum);
    }
    vit::gridAttentionReference({turned.data(), rows.count, kDim}, {kHeads, 0.5F},
                                {{4, 3, 2, 3}, {}, {}}, members, viewOf(out));
    return out;
  };
  expectCase("mpm.Attention",
             "heads=2 grid=4,3 window=2,3 inputs=tokens,rows,map,rotary_own,rotary_other",
             {kBatch.tokens, kBatch.rows, map}, {own, other}, kShape, expected, kNear);
}

TEST(AddRowsLayer, AddsToMergedRowsTheMeanOfTheirTokens) {
  const Mat map = kBatch.map(), added = normalBlob({kCapacity, kDim}, 11);
  const auto expected = [&](int image) {
    const ConstRows rows = kBatch.of(image);
    Values sums(rows.data, rows.data + rows.count * kDim);
    for (std::size_t row = 0; row < rows.count; ++row) {
      std::vector<int> tokens;
      for (int token = 0; token < kCapacity; ++token) {
        const float stands = token == 0 ? 0 : map.ptr<float>(image)[token - 1] + 1;
        if (stands == static_cast<float>(row)) tokens.push_back(token);
      }
      for (std::size_t i = 0; i < kDim; ++i) {
        double sum = 0;
        for (const int token : tokens) sum += static_cast<double>(added.ptr<float>(token)[i]);
        if (!tokens.empty())
          sums[row * kDim + i] += static_cast<float>(sum / static_cast<double>(tokens.size()));
      }
    }
    return sums;
  };
  expectCase("mpm.AddRows", "special=1", {kBatch.tokens, kBatch.rows, map}, {added},
             {3, kCapacity, kDim}, expected, kNear);
}

}  // namespace
}  // namespace mpm

// SPDX-License-Identifier: Apache-2.0
#include "merge/merge_cuda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "merge/cuda/merging.h"

namespace mpm::merge {
namespace {

using test::MergeInput;
using test::MergeOutput;
using test::OwnedRows;
using Ints = std::vector<std::int32_t>;

constexpr Element kElements[] = {Element::float32, Element::bfloat16};

class MergeCudaTest : public test::OnDevice {};

// Ragged images behind `special` special rows, one of them without image rows.
test::Batch raggedBatch(Element element, std::size_t dim, int special, std::size_t gap) {
  std::vector<OwnedRows> images;
  for (const std::size_t rows : {197, 0, 1, 129, 2, 64}) {
    images.push_back(
        test::heldBy(element, test::normalRows(rows + static_cast<std::size_t>(special), dim,
                                               static_cast<std::uint32_t>(41 + rows))));
  }
  return test::batchOf(images, special, element, gap);
}

TEST_F(MergeCudaTest, MergesARaggedBatchInBothLayouts) {
  for (const Element element : kElements) {
    for (const std::size_t dim : {21, 24, 40, 65}) {
      for (const int special : {0, 1, 5}) {
        if (special != 1 && dim != 24) continue;
        SCOPED_TRACE(testing::Message()
                     << test::nameOf(element) << ' ' << dim << ", " << special << " special rows");
        MergeInput input;
        input.tokens = raggedBatch(element, dim, special, dim % 2 * 3);
        for (const bool packed : {false, true}) {
          input.packed = packed;
          test::mergeAndCompare(input);
        }
      }
    }
  }
}

TEST_F(MergeCudaTest, TiesAndOrderAreTheReferences) {  // signs: every similarity is exact
  for (const Element element : kElements) {
    MergeInput input;
    input.tokens =
        test::batchOf({test::signRows(300, 16, 1), test::signRows(200, 16, 2)}, 0, element);
    test::mergeAndCompare(input, test::Choices::exact);
  }
}

// The output of each merge is the input of the next, as in a net.
void mergeThreeTimes(MergeInput input) {
  for (int merge = 0; merge < 3; ++merge) {
    SCOPED_TRACE(testing::Message() << "merge " << merge);
    MergeOutput output = test::mergeAndCompare(input);
    if (testing::Test::HasFailure()) return;
    const auto before = input.tokens.count;
    for (std::size_t image = 0; image < before.size(); ++image) {
      const int rows = before[image] - input.tokens.sizes.special;
      EXPECT_LE(output.tokens.count[image], before[image]);
      EXPECT_GE(output.tokens.count[image] - input.tokens.sizes.special, (rows + 1) / 2);
    }
    input.tokens = output.tokens;
    input.map = output.map;
  }
}

TEST_F(MergeCudaTest, MapsComposeOverSeveralMerges) {
  for (const Element element : kElements) {
    for (const bool packed : {false, true}) {
      SCOPED_TRACE(testing::Message() << test::nameOf(element) << (packed ? ", packed" : ""));
      MergeInput input;
      input.tokens = test::batchOf({test::heldBy(element, test::normalRows(201, 48, 51)),
                                    test::heldBy(element, test::normalRows(201, 48, 52))},
                                   1, element);
      input.packed = packed;
      mergeThreeTimes(input);
    }
  }
}

TEST_F(MergeCudaTest, AWindowAndRegionsFollowMergedTokens) {
  std::mt19937 random(53);
  Ints regions(2 * 200);
  for (std::int32_t& region : regions) region = static_cast<std::int32_t>(random() % 3);
  for (const bool ofEachImage : {false, true}) {
    for (const int window : {0, 1, 3, 25}) {
      SCOPED_TRACE(testing::Message() << "window " << window);
      MergeInput input;
      input.tokens =
          test::batchOf({test::normalRows(203, 48, 54), test::normalRows(203, 48, 55)}, 3);
      input.window = window;
      input.gridWidth = window > 0 ? 20 : 0;
      input.regions.assign(regions.begin(), regions.begin() + (ofEachImage ? 400 : 200));
      mergeThreeTimes(input);
    }
  }
}

TEST_F(MergeCudaTest, NonFiniteRowsPassThrough) {
  for (const Element element : kElements) {
    OwnedRows rows(3, 4, 1);
    rows.row(1)[2] = std::numeric_limits<float>::infinity();
    MergeInput input;
    input.tokens = test::batchOf({rows}, 0, element);
    const MergeOutput output = test::mergeOnDevice(input);
    EXPECT_EQ(output.tokens.count, Ints{2});
    EXPECT_EQ(output.map, (Ints{0, 1, 0}));
    EXPECT_EQ(output.tokens.image(0).row(1)[2], std::numeric_limits<float>::infinity());
  }
}

TEST_F(MergeCudaTest, WhatDoesNotFitIsLeftOut) {
  MergeInput input;
  input.tokens = raggedBatch(Element::float32, 24, 1, 0);
  input.packed = true;
  const MergeOutput all = test::mergeOnDevice(input);
  for (const int capacity : {0, 1, 100, 200, all.first.back() - 1, all.first.back()}) {
    SCOPED_TRACE(testing::Message() << capacity << " of " << all.first.back() << " rows");
    input.capacity = capacity;
    const MergeOutput some = test::mergeOnDevice(input);
    EXPECT_EQ(some.first.back(), all.first.back());
    EXPECT_EQ(some.map, all.map);
    EXPECT_TRUE(
        std::equal(some.tokens.data.begin(), some.tokens.data.end(), all.tokens.data.begin()));
    for (std::size_t image = 0; image < all.tokens.count.size(); ++image) {
      EXPECT_EQ(some.tokens.first[image], std::min(all.tokens.first[image], capacity));
      EXPECT_EQ(some.tokens.first[image] + some.tokens.count[image],
                std::min(all.tokens.first[image] + all.tokens.count[image], capacity));
    }
  }
}

TEST_F(MergeCudaTest, GridsMayBeLargerThanTheImages) {  // mostRows is what the host knows
  MergeInput input;
  input.tokens = raggedBatch(Element::bfloat16, 40, 2, 1);
  input.tokens.sizes.mostRows += 300;
  test::mergeAndCompare(input);
}

TEST_F(MergeCudaTest, NoImagesAreNoRows) {
  MergeInput input;
  input.tokens = test::batchOf({});
  input.capacity = 3;
  input.packed = true;
  const MergeOutput output = test::mergeOnDevice(input);
  EXPECT_EQ(output.first, Ints{0});
  EXPECT_EQ(output.tokens.data, test::Bytes(12));
}

TEST_F(MergeCudaTest, RefusesSizesThatDoNotFit) {
  MergeInput input;
  input.tokens = test::batchOf({OwnedRows(4, 4, 1)});
  const test::DeviceArray<unsigned char> scratch(4096);
  const auto refused = [&](auto change) {
    MergeCuda call = test::callOf(input);
    change(call);
    return mergeCuda(call, scratch.data(), nullptr) == cudaErrorInvalidValue;
  };
  EXPECT_TRUE(refused([](MergeCuda& call) { call.sizes.dim = 0; }));
  EXPECT_TRUE(refused([](MergeCuda& call) { call.sizes.batch = -1; }));
  EXPECT_TRUE(refused([](MergeCuda& call) { call.capacity = -1; }));
  EXPECT_TRUE(refused([](MergeCuda& call) { call.window = 2; }));  // and no width
  EXPECT_TRUE(refused([](MergeCuda& call) { call.regionStride = 3; }));
  EXPECT_TRUE(refused([&](MergeCuda& call) { call.tokens.data = scratch.data() + 4; }));
}

TEST(MergeCudaScratch, StaysFarBelowRowsByRows) {  // 1 GiB, and the unit rows 64 MiB
  MergeSizes sizes;
  sizes.batch = 1;
  sizes.mostRows = sizes.originals = 16384;
  sizes.dim = 1024;
  EXPECT_LE(mergeCudaScratch(sizes), std::size_t{1} << 20);
  EXPECT_GE(mergeCudaScratch(sizes), std::size_t{16384} * 8);
}

}  // namespace
}  // namespace mpm::merge

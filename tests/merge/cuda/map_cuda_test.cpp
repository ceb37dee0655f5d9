// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "merge/cuda/batch.h"
#include "merge/steps.h"
#include "merge/steps_cuda.h"

namespace mpm::merge {
namespace {

using test::OwnedRows;
using Ints = std::vector<std::int32_t>;

constexpr Element kElements[] = {Element::float32, Element::bfloat16};

class MapCuda : public test::OnDevice {};

// Two images of 7 original tokens, of which 4 and 2 rows are left behind 2 special ones.
test::Batch liveBatch(std::size_t dim, Element element) {
  test::Batch batch =
      test::batchOf({test::normalRows(6, dim, 31), test::normalRows(4, dim, 32)}, 2, element, 3);
  batch.sizes.originals = 7;
  return batch;
}
const Ints kMap = {0, 1, 0, 2, 3, 3, 3, 0, 1, 1, 1, 0, 0, 1};

TEST_F(MapCuda, LowestMembersAreTheFirstThatPointAtARow) {
  const test::Batch batch = liveBatch(4, Element::float32);
  const test::DeviceBatch live(batch);
  const test::DeviceArray<std::int32_t> map(kMap), lowest(12);
  test::expectSuccess(
      lowestMembersCuda(batch.sizes, live.rows(), map.data(), lowest.data(), nullptr));
  const Ints values = lowest.values();
  EXPECT_EQ(Ints(values.begin(), values.begin() + 4), (Ints{0, 1, 3, 4}));
  EXPECT_EQ(Ints(values.begin() + 6, values.begin() + 8), (Ints{0, 1}));
  EXPECT_GT(values[4], 7);  // no row
}

TEST_F(MapCuda, ComposesTwoMerges) {
  const test::Batch batch = liveBatch(4, Element::float32);
  const test::DeviceBatch live(batch);
  Ints outside = kMap;
  outside[2] = 4, outside[9] = 2, outside[13] = -1;  // at no row of their images
  const test::DeviceArray<std::int32_t> map(outside),
      clusterOf(Ints{5, 6, 7, 8, 0, 0, 9, 10, 0, 0, 0, 0});
  MergeCuda call;
  call.sizes = batch.sizes;
  call.tokens = live.rows();
  call.map = map.data();
  call.mergedMap = map.data();
  test::expectSuccess(composeMapCuda(call, clusterOf.data(), nullptr));
  EXPECT_EQ(map.values(), (Ints{5, 6, 4, 7, 8, 8, 8, 9, 10, 2, 10, 9, 9, -1}));
}

TEST_F(MapCuda, CountsWhatStandsBehindARow) {
  const test::Batch batch = liveBatch(4, Element::float32);
  const test::DeviceBatch live(batch);
  const test::DeviceArray<std::int32_t> map(kMap), counts(20), few(5);
  test::expectSuccess(
      multiplicitiesCuda(batch.sizes, live.rows(), map.data(), counts.data(), 20, nullptr));
  EXPECT_EQ(counts.values(), (Ints{1, 1, 2, 1, 1, 3, 0, 0, 0, 1, 1, 3, 4, 0, 0, 0, 0, 0, 0, 0}));
  test::expectSuccess(
      multiplicitiesCuda(batch.sizes, live.rows(), map.data(), few.data(), 5, nullptr));
  EXPECT_EQ(few.values(), (Ints{1, 1, 2, 1, 1}));
}

TEST_F(MapCuda, RestoresEveryOriginal) {
  for (const Element element : kElements) {
    for (const std::size_t dim : {1, 3, 4, 8, 33, 264}) {
      SCOPED_TRACE(testing::Message() << test::nameOf(element) << ' ' << dim);
      const test::Batch batch = liveBatch(dim, element);
      const test::DeviceBatch live(batch);
      const test::DeviceArray<std::int32_t> map(kMap);
      const test::DeviceArray<unsigned char> full(18 * batch.rowBytes());
      test::expectSuccess(restoreCuda(batch.sizes, live.rows(), map.data(), full.data(), nullptr));
      for (std::size_t image = 0; image < 2; ++image) {
        const auto first = static_cast<std::size_t>(batch.first[image]);
        OwnedRows expected(7, dim);
        restoreReference(batch.image(image).view(), kMap.data() + 7 * image, expected.view());
        const auto at = image * 9;
        EXPECT_EQ(test::decoded(batch.sizes, full.values(), at + 2, 7).data, expected.data);
        EXPECT_EQ(test::decoded(batch.sizes, full.values(), at, 2).data,
                  test::decoded(batch.sizes, batch.data, first, 2).data);
      }
    }
  }
}

TEST_F(MapCuda, WithoutAMapRestoringCopies) {
  const test::Batch batch = test::batchOf({test::normalRows(9, 5, 33), test::normalRows(9, 5, 34)});
  const test::DeviceBatch live(batch);
  const test::DeviceArray<unsigned char> full(batch.data.size());
  test::expectSuccess(restoreCuda(batch.sizes, live.rows(), nullptr, full.data(), nullptr));
  EXPECT_EQ(full.values(), batch.data);
}

TEST_F(MapCuda, AnEntryThatPointsAtNoRowRestoresToZeros) {
  for (const std::int32_t outside : {4, -1, std::numeric_limits<std::int32_t>::max()}) {
    const test::Batch batch = liveBatch(5, Element::float32);
    const test::DeviceBatch live(batch);
    Ints entries = kMap;
    entries[1] = outside;
    const test::DeviceArray<std::int32_t> map(entries);
    const test::DeviceArray<unsigned char> full(18 * batch.rowBytes());
    test::expectSuccess(restoreCuda(batch.sizes, live.rows(), map.data(), full.data(), nullptr));
    EXPECT_EQ(test::decoded(batch.sizes, full.values(), 3, 1).data, std::vector<float>(5, 0));
  }
}

}  // namespace
}  // namespace mpm::merge

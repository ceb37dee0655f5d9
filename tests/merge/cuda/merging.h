// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "merge/cuda/batch.h"
#include "merge/match.h"
#include "merge/steps.h"
#include "tolerances.h"

/// Whole merges on the device, and what the references make of the same.
namespace mpm::test {

struct MergeInput {
  Batch tokens;
  std::vector<std::int32_t> map;  ///< empty: nothing was merged yet
  int window = 0, gridWidth = 0;
  std::vector<std::int32_t> regions;  ///< of one image, or of all of them
  bool packed = false;
  int capacity = -1;  ///< -1: what the tokens have
};

/// `tokens` holds `capacity` rows; its sizes are the input's.
struct MergeOutput {
  Batch tokens;
  std::vector<std::int32_t> first;  ///< [batch + 1]
  std::vector<std::int32_t> map;
};

inline merge::MergeCuda callOf(const MergeInput& input) {
  merge::MergeCuda call;
  call.sizes = input.tokens.sizes;
  call.window = input.window;
  call.gridWidth = input.gridWidth;
  call.regionStride =
      static_cast<int>(input.regions.size()) > call.sizes.originals ? call.sizes.originals : 0;
  call.capacity = input.capacity < 0 ? static_cast<int>(input.tokens.rows()) : input.capacity;
  call.packed = input.packed;
  return call;
}

inline MergeOutput mergeOnDevice(const MergeInput& input) {
  merge::MergeCuda call = callOf(input);
  const std::size_t images = input.tokens.count.size();
  const DeviceBatch tokens(input.tokens);
  const DeviceArray<std::int32_t> regions(input.regions), first(images + 1), count(images);
  const DeviceArray<std::int32_t> map =
      input.map.empty()
          ? DeviceArray<std::int32_t>(images * static_cast<std::size_t>(call.sizes.originals))
          : DeviceArray<std::int32_t>(input.map);
  const DeviceArray<unsigned char> merged(static_cast<std::size_t>(call.capacity) *
                                          input.tokens.rowBytes());
  const DeviceArray<unsigned char> scratch(merge::mergeCudaScratch(call.sizes));
  call.tokens = tokens.rows();
  call.map = input.map.empty() ? nullptr : map.data();  // and else composed in place
  call.mergedMap = map.data();
  call.regions = input.regions.empty() ? nullptr : regions.data();
  call.merged = merged.data();
  call.mergedFirst = first.data();
  call.mergedCount = count.data();
  expectSuccess(merge::mergeCuda(call, scratch.data(), nullptr));
  MergeOutput output{
      {call.sizes, first.values(), count.values(), merged.values()}, first.values(), map.values()};
  output.tokens.first.pop_back();
  return output;
}

inline merge::Scope scopeOf(const MergeInput& input, std::size_t image,
                            const std::vector<std::int32_t>& map, std::size_t rows) {
  MergeOptions options;
  options.window = input.window;
  options.gridWidth = input.gridWidth;
  const auto stride = static_cast<std::size_t>(callOf(input).regionStride);
  if (!input.regions.empty()) options.regions = input.regions.data() + image * stride;
  merge::Scope scope;
  merge::buildScope(options, map.data(), map.size(), rows, scope);
  return scope;
}

/// The entries of one image's map in front of the merge.
inline std::vector<std::int32_t> mapBefore(const MergeInput& input, std::size_t image) {
  const auto originals = static_cast<std::ptrdiff_t>(input.tokens.sizes.originals);
  if (!input.map.empty()) {
    const auto begin = input.map.begin() + static_cast<std::ptrdiff_t>(image) * originals;
    return {begin, begin + originals};
  }
  std::vector<std::int32_t> map(input.tokens.imageRows(image));
  identityMap(map.data(), map.size());
  return map;
}

/// Rows whose similarities are exact may tie; others have to be clear, or nothing is known.
enum class Choices { clear, exact };

/// Compares one image with the references: its rows, to the bit where they are bfloat16, and its
/// map.
inline void expectMerged(const MergeInput& input, const MergeOutput& output, std::size_t image,
                         Choices choices = Choices::clear) {
  SCOPED_TRACE(testing::Message() << "image " << image);
  const OwnedRows rows = input.tokens.image(image);
  std::vector<std::int32_t> map = mapBefore(input, image);
  std::vector<merge::ReferenceMatch> matches(rows.count);
  merge::matchReference(rows.view(), scopeOf(input, image, map, rows.count), matches.data());
  std::vector<std::int32_t> best(rows.count), partner(rows.count), clusterOf(rows.count);
  for (std::size_t i = 0; i < rows.count; ++i) {
    best[i] = matches[i].row;
    const double gap = matches[i].similarity - matches[i].runnerUp;
    ASSERT_TRUE(choices == Choices::exact || best[i] < 0 || gap > kCudaClearGap)
        << "row " << i << " has no clear match; please take another seed";
  }
  std::vector<merge::Cluster> clusters(rows.count);
  merge::pairMutual(best.data(), rows.count, partner.data());
  const std::size_t found =
      merge::compact(partner.data(), rows.count, clusterOf.data(), clusters.data());
  merge::composeMap(map.data(), map.size(), clusterOf.data());
  OwnedRows means(found, rows.dim);
  merge::averageReference(rows.view(), clusters.data(), found, means.view());

  const merge::MergeSizes& sizes = input.tokens.sizes;
  ASSERT_EQ(output.tokens.count[image], static_cast<int>(found) + sizes.special);
  const OwnedRows actual = output.tokens.image(image);
  if (sizes.element == merge::Element::bfloat16) {
    EXPECT_EQ(encoded(sizes.element, actual), encoded(sizes.element, means));
  } else {
    for (std::size_t i = 0; i < means.data.size(); ++i) {
      ASSERT_NEAR(actual.data[i], means.data[i], kMergedRow * 4) << "element " << i;
    }
  }
  const auto special = static_cast<std::size_t>(sizes.special) * input.tokens.rowBytes();
  const auto bytesAt = [&](const Batch& batch) {
    const auto begin =
        batch.data.begin() + batch.first[image] * static_cast<std::ptrdiff_t>(batch.rowBytes());
    return Bytes(begin, begin + static_cast<std::ptrdiff_t>(special));
  };
  EXPECT_EQ(bytesAt(output.tokens), bytesAt(input.tokens));
  const auto mapAt = output.map.begin() + static_cast<std::ptrdiff_t>(image) * sizes.originals;
  EXPECT_TRUE(std::equal(map.begin(), map.end(), mapAt));
}

/// What no image holds is zero; images lie as they should.
inline void expectLayout(const MergeInput& input, const MergeOutput& output) {
  std::vector<bool> live(output.tokens.rows());
  std::int32_t all = 0;
  for (std::size_t image = 0; image < input.tokens.count.size(); ++image) {
    const auto first = output.tokens.first[image], count = output.tokens.count[image];
    EXPECT_EQ(first, input.packed ? all : input.tokens.first[image]);
    all += count;
    std::fill_n(live.begin() + first, count, true);
  }
  EXPECT_EQ(output.first.back(), all);
  const std::size_t bytes = input.tokens.rowBytes();
  for (std::size_t row = 0; row < live.size(); ++row) {
    const auto begin = output.tokens.data.begin() + static_cast<std::ptrdiff_t>(row * bytes);
    EXPECT_TRUE(live[row] || std::count(begin, begin + static_cast<std::ptrdiff_t>(bytes), 0) ==
                                 static_cast<std::ptrdiff_t>(bytes))
        << "row " << row << " is not live and not zero";
  }
}

inline MergeOutput mergeAndCompare(const MergeInput& input, Choices choices = Choices::clear) {
  MergeOutput output = mergeOnDevice(input);
  expectLayout(input, output);
  for (std::size_t image = 0; image < input.tokens.count.size(); ++image) {
    expectMerged(input, output, image, choices);
  }
  return output;
}

}  // namespace mpm::test

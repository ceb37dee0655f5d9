// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <vector>

#include "merge/cuda/batch.h"
#include "merge/match.h"
#include "merge/steps_cuda.h"
#include "tolerances.h"

namespace mpm::test {

inline float similarityOf(merge::MatchKey key) {
  auto bits = static_cast<std::uint32_t>(key >> 32);
  bits ^= (bits >> 31) != 0 ? 0x80000000U : 0xFFFFFFFFU;
  float similarity = 0;
  std::memcpy(&similarity, &bits, sizeof bits);
  return similarity;
}

/// The matches of each image's rows. `scope`, where there is one, is of images all alike: rows are
/// original tokens.
inline std::vector<std::vector<merge::Match>> matchOnDevice(const Batch& batch,
                                                            const merge::Scope& scope = {}) {
  const DeviceBatch tokens(batch);
  const auto most = static_cast<std::size_t>(batch.sizes.mostRows);
  const std::size_t places = most * batch.count.size();
  const DeviceArray<double> inverse(places);
  const DeviceArray<merge::MatchKey> best(places);
  const DeviceArray<std::int32_t> lowest(places), regions(scope.region);
  merge::DeviceScope onDevice;
  onDevice.window = scope.window;
  for (const std::int32_t x : scope.x) onDevice.gridWidth = std::max(onDevice.gridWidth, x + 1);
  if (!scope.region.empty()) onDevice.regions = regions.data();
  onDevice.lowest = lowest.data();
  expectSuccess(merge::normaliseCuda(batch.sizes, tokens.rows(), inverse.data(), nullptr));
  expectSuccess(
      merge::lowestMembersCuda(batch.sizes, tokens.rows(), nullptr, lowest.data(), nullptr));
  expectSuccess(
      merge::matchCuda(batch.sizes, tokens.rows(), inverse.data(), onDevice, best.data(), nullptr));
  const auto keys = best.values();
  std::vector<std::vector<merge::Match>> matches;
  for (std::size_t image = 0; image < batch.count.size(); ++image) {
    matches.emplace_back(batch.imageRows(image));
    for (std::size_t i = 0; i < batch.imageRows(image); ++i) {
      const merge::MatchKey key = keys[image * most + i];
      if (key != 0) matches.back()[i] = {merge::matchedRow(key), similarityOf(key)};
    }
  }
  return matches;
}

inline std::vector<merge::Match> matchOnDevice(const OwnedRows& rows,
                                               const merge::Scope& scope = {},
                                               merge::Element element = merge::Element::float32) {
  return matchOnDevice(batchOf({rows}, 0, element), scope)[0];
}

/// Compares one image's matches with the reference's wherever its choice is clear; returns the
/// share of rows where it was.
inline double compareWhereClear(const OwnedRows& rows, const merge::Scope& scope,
                                const std::vector<merge::Match>& actual) {
  std::vector<merge::ReferenceMatch> expected(rows.count);
  merge::matchReference(rows.view(), scope, expected.data());
  std::size_t clear = 0;
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (expected[i].row == merge::kNoMatch) {
      EXPECT_EQ(actual[i].row, merge::kNoMatch) << "row " << i;
      continue;
    }
    EXPECT_NEAR(actual[i].similarity, expected[i].similarity, kCudaSimilarity) << "row " << i;
    if (expected[i].similarity - expected[i].runnerUp <= kCudaClearGap) continue;
    ++clear;
    EXPECT_EQ(actual[i].row, expected[i].row) << "row " << i;
  }
  return rows.count == 0 ? 1 : static_cast<double>(clear) / static_cast<double>(rows.count);
}

inline double expectSameWhereClear(const OwnedRows& rows, const merge::Scope& scope = {},
                                   merge::Element element = merge::Element::float32) {
  const OwnedRows held = heldBy(element, rows);
  return compareWhereClear(held, scope, matchOnDevice(held, scope, element));
}

/// For rows whose similarities are exact: the same match everywhere, ties included.
inline void expectSameEverywhere(const OwnedRows& rows, const merge::Scope& scope = {},
                                 merge::Element element = merge::Element::float32) {
  const auto actual = matchOnDevice(rows, scope, element);
  std::vector<merge::ReferenceMatch> expected(rows.count);
  merge::matchReference(rows.view(), scope, expected.data());
  for (std::size_t i = 0; i < rows.count; ++i) {
    ASSERT_EQ(actual[i].row, expected[i].row) << "row " << i;
  }
}

}  // namespace mpm::test

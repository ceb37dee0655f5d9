// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <vector>

#include "merge/clear_matches.h"
#include "merge/cuda/batch.h"
#include "merge/steps_cuda.h"

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

inline void compareWhereClear(const OwnedRows& rows, const merge::Scope& scope,
                              const std::vector<merge::Match>& actual, double least = kMostRows) {
  expectSameWhereClear(rows.view(), scope, actual, least, {kCudaSimilarity, kCudaClearGap});
}

inline void expectSameWhereClear(const OwnedRows& rows, const merge::Scope& scope = {},
                                 merge::Element element = merge::Element::float32,
                                 double least = kMostRows) {
  const OwnedRows held = heldBy(element, rows);
  compareWhereClear(held, scope, matchOnDevice(held, scope, element), least);
}

/// For rows whose similarities are exact: the same match everywhere, ties included.
inline void expectSameEverywhere(const OwnedRows& rows, const merge::Scope& scope = {},
                                 merge::Element element = merge::Element::float32) {
  const auto actual = matchOnDevice(rows, scope, element);
  const auto expected = matchByReference(rows.view(), scope);
  for (std::size_t i = 0; i < rows.count; ++i) {
    ASSERT_EQ(actual[i].row, expected[i].row) << "row " << i;
  }
}

}  // namespace mpm::test

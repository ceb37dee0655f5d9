// SPDX-License-Identifier: Apache-2.0
#include "merge/cuda/on_device.h"

#include <algorithm>
#include <cstring>

namespace mpm::test {
namespace {

using merge::Element;
using Ints = std::vector<std::int32_t>;

float similarityOf(merge::MatchKey key) {
  auto bits = static_cast<std::uint32_t>(key >> 32);
  bits ^= (bits >> 31) != 0 ? 0x80000000U : 0xFFFFFFFFU;
  float similarity = 0;
  std::memcpy(&similarity, &bits, sizeof bits);
  return similarity;
}

template <Element kElement>
Implementation implementationOf(const char* name) {
  return {name,
          true,
          kElement == Element::bfloat16,
          kCudaClearGap,
          kCudaSimilarity,
          [](const OwnedRows& rows) { return heldBy(kElement, rows); },
          [](const OwnedRows& rows, const merge::Scope& scope) {
            return matchOnDevice(batchOf({rows}, 0, kElement), scope)[0];
          },
          [](const OwnedRows& rows) { return inversesOnDevice(batchOf({rows}, 0, kElement)); },
          [](const OwnedRows& rows, const std::vector<merge::Cluster>& clusters) {
            const Batch batch = batchOf({rows}, 0, kElement);
            return decoded(batch.sizes, averageOnDevice(batch, clusters, clusters.size()), 0,
                           clusters.size());
          },
          [](const OwnedRows& live, const Ints& map) {
            Batch batch = batchOf({live}, 0, kElement);
            batch.sizes.originals = static_cast<int>(map.size());
            return decoded(batch.sizes, restoreOnDevice(batch, map), 0, map.size());
          }};
}

}  // namespace

std::vector<std::vector<merge::Match>> matchOnDevice(const Batch& batch,
                                                     const merge::Scope& scope) {
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

std::vector<double> inversesOnDevice(const Batch& batch) {
  const DeviceBatch tokens(batch);
  const DeviceArray<double> inverse(batch.count.size() *
                                    static_cast<std::size_t>(batch.sizes.mostRows));
  expectSuccess(merge::normaliseCuda(batch.sizes, tokens.rows(), inverse.data(), nullptr));
  return inverse.values();
}

Bytes averageOnDevice(const Batch& batch, const std::vector<merge::Cluster>& clusters,
                      std::size_t capacity) {
  const DeviceBatch tokens(batch);
  const DeviceArray<merge::Cluster> onDevice(clusters);
  const DeviceArray<std::int32_t> first(Ints{0, -1}),
      count(Ints{static_cast<std::int32_t>(clusters.size())});
  const DeviceArray<unsigned char> merged(capacity * batch.rowBytes());
  merge::MergeCuda call;
  call.sizes = batch.sizes;
  call.tokens = tokens.rows();
  call.merged = merged.data();
  call.capacity = static_cast<int>(capacity);
  call.mergedFirst = first.data();
  call.mergedCount = count.data();
  expectSuccess(averageCuda(call, onDevice.data(), nullptr));
  return merged.values();
}

Bytes restoreOnDevice(const Batch& batch, const Ints& map) {
  const DeviceBatch live(batch);
  const DeviceArray<std::int32_t> onDevice(map);
  const auto rows = static_cast<std::size_t>(batch.sizes.special + batch.sizes.originals);
  const DeviceArray<unsigned char> full(batch.count.size() * rows * batch.rowBytes());
  expectSuccess(merge::restoreCuda(batch.sizes, live.rows(),
                                   map.empty() ? nullptr : onDevice.data(), full.data(), nullptr));
  return full.values();
}

const std::vector<Implementation>& implementations() {
  static const std::vector<Implementation> all = [] {
    int devices = 0;
    const bool isThere = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
    return !isThere ? std::vector<Implementation>()
                    : std::vector<Implementation>{implementationOf<Element::float32>("float32"),
                                                  implementationOf<Element::bfloat16>("bfloat16")};
  }();
  return all;
}

}  // namespace mpm::test

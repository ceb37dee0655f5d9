// SPDX-License-Identifier: Apache-2.0
#include "vit/attention_bias.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "processor/pool.h"
#include "vit/positions.h"

namespace mpm::vit {
namespace {

constexpr float kLog2E = 1.44269504088896F, kMost = 1e30F;

float inPowersOfTwo(float bias) {
  return (std::isfinite(bias) ? std::clamp(bias, -kMost, kMost) : bias) * kLog2E;
}

// Writes the mean over its members for each live query of a group to `out` [keys of the table x
// kColumnStep]. Pairs from one group of the table are taken at once, but only one per query.
void meanOverQueries(const AttentionBias& bias, std::size_t head, std::size_t first,
                     std::size_t count, float* out) {
  const PackedBias& table = *bias.table;
  const Members& members = *bias.members;
  if (table.byDistance() != nullptr)
    return table.byDistance()->columns(head, &members, first, count, out);
  const auto addColumns = kernels(Precision::fp32).addColumns;
  const std::int32_t* next[kColumnStep];
  for (std::size_t r = 0; r < count; ++r) next[r] = members.begin(first + r);
  bool isAdded = false;
  for (std::size_t left = 0; left < count;) {
    if (next[left] == members.end(first + left)) {
      ++left;
      continue;
    }
    const std::size_t group = static_cast<std::size_t>(*next[left]) / kColumnStep;
    std::int32_t columns[kColumnStep] = {};
    float shares[kColumnStep] = {};
    for (std::size_t r = left; r < count; ++r) {
      if (next[r] == members.end(first + r)) continue;
      const auto query = static_cast<std::size_t>(*next[r]);
      if (query / kColumnStep != group) continue;
      columns[r] = static_cast<std::int32_t>(query % kColumnStep);
      shares[r] = 1 / static_cast<float>(members.count(first + r));
      ++next[r];
    }
    const float* const from = table.group(head, group * kColumnStep);
    addColumns(from, columns, shares, isAdded, table.keys(), out);
    isAdded = true;
  }
  if (!isAdded) std::fill_n(out, table.groupStride(), 0.0F);
}

std::size_t liveKeys(const AttentionBias& bias) {
  return bias.members == nullptr ? bias.table->keys() : bias.members->live();
}

// Averages rows [keys of the table x kColumnStep] into `out` [live keys x kColumnStep].
void meanOverKeys(const Members& members, const float* rows, float* out) {
  const auto rowOf = [&](std::int32_t member) {
    return rows + static_cast<std::size_t>(member) * kColumnStep;
  };
  for (std::size_t key = 0; key < members.live(); ++key)
    std::copy_n(rowOf(members.firsts()[key]), kColumnStep, out + key * kColumnStep);
  for (const std::size_t key : members.others()) {
    float sum[kColumnStep] = {};
    for (const auto* member = members.begin(key); member != members.end(key); ++member) {
      const float* const row = rowOf(*member);
      for (std::size_t r = 0; r < kColumnStep; ++r) sum[r] += row[r];
    }
    const float share = 1 / static_cast<float>(std::max<std::size_t>(members.count(key), 1));
    for (float& value : sum) value *= share;
    std::copy_n(sum, kColumnStep, out + key * kColumnStep);
  }
}

}  // namespace

void PackedBias::pack(ConstRows table, std::size_t heads, std::size_t special) {
  heads_ = heads;
  queries_ = heads == 0 ? 0 : table.count / heads;
  keys_ = table.dim;
  assert(table.count == heads_ * queries_);
  byDistance_ = BiasByDistance::find(table, heads, special);
  memory_ = {};
  if (byDistance_) return byDistance_->change(inPowersOfTwo);
  const std::size_t groups = padded(queries_) / kColumnStep;
  float* const memory = memory_.reserve(heads_ * groups * groupStride());
  processor::forEachTask(heads_ * groups, [&](std::size_t task) {
    const std::size_t first = task % groups * kColumnStep;
    const std::size_t row = task / groups * queries_ + first;
    float* const out = memory + task * groupStride();
    for (std::size_t r = 0; r < kColumnStep; ++r) {
      const float* const from = first + r < queries_ ? table.row(row + r) : nullptr;
      for (std::size_t key = 0; key < keys_; ++key)
        out[key * kColumnStep + r] = from == nullptr ? 0 : inPowersOfTwo(from[key]);
    }
  });
}

const float* PackedBias::group(std::size_t head, std::size_t query) const {
  const std::size_t groups = padded(queries_) / kColumnStep;
  return memory_.data() + (head * groups + query / kColumnStep) * groupStride();
}

BiasColumns biasColumns(const AttentionBias& bias, std::size_t head, std::size_t first,
                        std::size_t count, float* room) {
  assert(first % kColumnStep == 0);
  const PackedBias& table = *bias.table;
  const BiasByDistance* const byDistance = table.byDistance();
  if (bias.members == nullptr && byDistance == nullptr)
    return {table.group(head, first), table.groupStride()};
  const std::size_t stride = liveKeys(bias) * kColumnStep;
  for (std::size_t group = 0; bias.members == nullptr && group < count; group += kColumnStep) {
    byDistance->columns(head, nullptr, first + group, std::min(kColumnStep, count - group),
                        room + group / kColumnStep * stride);
  }
  if (bias.members == nullptr) return {room, stride};
  float* const ofQueries = room + kTileRows / kColumnStep * stride;
  for (std::size_t group = 0; group < count; group += kColumnStep) {
    meanOverQueries(bias, head, first + group, std::min(kColumnStep, count - group), ofQueries);
    meanOverKeys(*bias.members, ofQueries, room + group / kColumnStep * stride);
  }
  return {room, stride};
}

std::size_t biasRoomFor(const AttentionBias& bias) {
  const bool isByDistance = bias.table->byDistance() != nullptr;
  if (bias.members == nullptr && !isByDistance) return 0;
  const std::size_t ofQueries = bias.members == nullptr ? 0 : bias.table->groupStride();
  return liveKeys(bias) * kTileRows + ofQueries + (isByDistance ? BiasByDistance::kSlack : 0);
}

}  // namespace mpm::vit

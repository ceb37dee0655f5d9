// SPDX-License-Identifier: Apache-2.0
#include "vit/positions.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "processor/pool.h"

namespace mpm::vit {
namespace {

constexpr std::size_t kTaskRows = 32;

// Averages a table's rows over a row's members. Returns a single member's row itself.
const float* meanRow(ConstRows table, const Members& members, std::size_t row, float* room) {
  if (members.count(row) == 1) return table.row(static_cast<std::size_t>(*members.begin(row)));
  std::fill_n(room, table.dim, 0.0F);
  for (const std::int32_t* member = members.begin(row); member != members.end(row); ++member) {
    const float* const from = table.row(static_cast<std::size_t>(*member));
    for (std::size_t i = 0; i < table.dim; ++i) room[i] += from[i];
  }
  const float share = 1 / static_cast<float>(std::max<std::size_t>(members.count(row), 1));
  for (std::size_t i = 0; i < table.dim; ++i) room[i] *= share;
  return room;
}

void rotateRow(const float* in, const float* own, const float* other, std::size_t d, float* out) {
  const std::size_t half = d / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const float first = in[i], second = in[i + half];
    out[i] = own[i] * first + other[i] * second;
    out[i + half] = own[i + half] * second + other[i + half] * first;
  }
}

}  // namespace

void Members::set(const std::int32_t* map, std::size_t originals, std::size_t special,
                  std::size_t live) {
  isEachItself_ = map == nullptr || live == special + originals;
  for (std::size_t i = 0; map != nullptr && isEachItself_ && i < originals; ++i)
    isEachItself_ = static_cast<std::size_t>(map[i]) == i;
  starts_.assign(live + 1, 0);
  members_.resize(map == nullptr ? live : special + originals);
  if (map == nullptr) {
    std::iota(starts_.begin(), starts_.end(), std::size_t{0});
    std::iota(members_.begin(), members_.end(), 0);
    return listFirsts();
  }
  const auto rowOf = [&](std::size_t i) { return special + static_cast<std::size_t>(map[i]); };
  for (std::size_t row = 0; row < special; ++row) starts_[row + 1] = 1;
  for (std::size_t i = 0; i < originals; ++i) ++starts_[rowOf(i) + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  next_.assign(starts_.begin(), starts_.end() - 1);
  for (std::size_t row = 0; row < special; ++row)
    members_[next_[row]++] = static_cast<std::int32_t>(row);
  for (std::size_t i = 0; i < originals; ++i)
    members_[next_[rowOf(i)]++] = static_cast<std::int32_t>(special + i);
  listFirsts();
}

void Members::listFirsts() {
  firsts_.clear();
  others_.clear();
  for (std::size_t row = 0; row < live(); ++row) {
    firsts_.push_back(count(row) > 0 ? *begin(row) : 0);
    if (count(row) != 1) others_.push_back(row);
  }
}

void addRowsOfMembers(ConstRows in, ConstRows table, const Members& members, Rows out) {
  assert(in.count == members.live() && in.dim == table.dim && table.count == members.rows());
  processor::forEachTask((in.count + kTaskRows - 1) / kTaskRows, [&](std::size_t task) {
    float* const room = processor::threadScratch().reserve(in.dim);
    const std::size_t end = std::min(in.count, (task + 1) * kTaskRows);
    for (std::size_t row = task * kTaskRows; row < end; ++row) {
      const float* const mean = meanRow(table, members, row, room);
      const float* const x = in.row(row);
      float* const y = out.row(row);
      for (std::size_t i = 0; i < in.dim; ++i) y[i] = x[i] + mean[i];
    }
  });
}

void rotateCpu(ConstRows in, const Rotary& rotary, const Members& members, std::size_t heads,
               Rows out) {
  const std::size_t d = in.dim / heads, width = rotary.own.dim;
  assert(in.count == members.live() && (width == d || width == in.dim));
  processor::forEachTask((in.count + kTaskRows - 1) / kTaskRows, [&](std::size_t task) {
    float* const room = processor::threadScratch().reserve(2 * width);
    const std::size_t end = std::min(in.count, (task + 1) * kTaskRows);
    for (std::size_t row = task * kTaskRows; row < end; ++row) {
      const float* const own = meanRow(rotary.own, members, row, room);
      const float* const other = meanRow(rotary.other, members, row, room + width);
      for (std::size_t head = 0; head < heads; ++head) {
        const std::size_t factors = width == d ? 0 : head * d;
        rotateRow(in.row(row) + head * d, own + factors, other + factors, d,
                  out.row(row) + head * d);
      }
    }
  });
}

}  // namespace mpm::vit

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

namespace mpm::gui {

/// Gives each group of places that share a token a number that it keeps from frame to frame: a
/// group takes over the number that most of its places had, and of two that want the same one
/// the group with more of these places gets it. A place remembers its last number while it stands
/// alone, so that a group which comes back is known again.
class GroupTracker {
 public:
  /// `map`: CV_32S, a map as mapBehind gives it. One number for each place, 0 where it stands
  /// alone. A grid of another size starts anew. The same map twice gives the same numbers.
  const std::vector<std::uint32_t>& update(const cv::Mat& map) {
    if (map.size() != grid_) {
      grid_ = map.size();
      remembered_.assign(map.total(), 0);
      used_.clear();
    }
    collect(map);
    claim();
    own_.assign(map.total(), 0);
    std::fill(used_.begin(), used_.end(), 0);
    for (const Claim& claim : claims_) {
      if (own_[claim.group] != 0 || used_[claim.number]) continue;
      own_[claim.group] = claim.number;
      used_[claim.number] = 1;
    }
    numbers_.assign(map.total(), 0);
    for (std::size_t g = 0; g + 1 < starts_.size(); ++g) {
      if (starts_[g + 1] - starts_[g] < 2) continue;
      if (own_[g] == 0) own_[g] = freshNumber(members_[starts_[g]]);
      for (std::uint32_t m = starts_[g]; m < starts_[g + 1]; ++m) {
        numbers_[members_[m]] = remembered_[members_[m]] = own_[g];
      }
    }
    return numbers_;
  }

 private:
  struct Claim {
    int overlap;
    std::uint32_t group, number;
  };
  // Groups by their row: places of row g, in order.
  void collect(const cv::Mat& map) {
    const std::size_t places = map.total();
    const int* rows = map.ptr<int>();
    starts_.assign(places + 1, 0);
    for (std::size_t i = 0; i < places; ++i) ++starts_[static_cast<std::size_t>(rows[i]) + 1];
    for (std::size_t g = 0; g < places; ++g) starts_[g + 1] += starts_[g];
    members_.resize(places);
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t i = 0; i < places; ++i) {
      members_[next[static_cast<std::size_t>(rows[i])]++] = static_cast<std::uint32_t>(i);
    }
  }

  // What each group of two or more could be called, the largest overlaps first.
  void claim() {
    claims_.clear();
    for (std::uint32_t g = 0; g + 1 < starts_.size(); ++g) {
      if (starts_[g + 1] - starts_[g] < 2) continue;
      taken_.clear();
      for (std::uint32_t m = starts_[g]; m < starts_[g + 1]; ++m) {
        if (remembered_[members_[m]] != 0) taken_.push_back(remembered_[members_[m]]);
      }
      std::sort(taken_.begin(), taken_.end());
      for (std::size_t from = 0; from < taken_.size();) {
        std::size_t to = from + 1;
        while (to < taken_.size() && taken_[to] == taken_[from]) ++to;
        claims_.push_back({static_cast<int>(to - from), g, taken_[from]});
        from = to;
      }
    }
    std::stable_sort(claims_.begin(), claims_.end(),
                     [](const Claim& a, const Claim& b) { return a.overlap > b.overlap; });
  }

  // By its first place, so that views which began at other frames agree where they can.
  std::uint32_t freshNumber(std::uint32_t place) {
    std::uint32_t number = place + 1;
    const auto places = static_cast<std::uint32_t>(members_.size());
    while (number < used_.size() && used_[number]) number += places;
    if (number >= used_.size()) used_.resize(number + 1, 0);
    used_[number] = 1;
    return number;
  }

  cv::Size grid_;
  std::vector<std::uint32_t> remembered_, numbers_;
  std::vector<std::uint32_t> starts_,
      members_;  // members_[starts_[g]..starts_[g + 1]]: places of g
  std::vector<Claim> claims_;
  std::vector<std::uint32_t> taken_, own_;  // own_: each group's number
  std::vector<char> used_;                  // by number
};

/// A colour for a number, far from those of numbers beside it.
inline std::uint32_t groupColour(std::uint32_t number) {
  constexpr double kGoldenTurn = 0.61803398875;
  const double turns = number * kGoldenTurn;
  const int hue = static_cast<int>((turns - std::floor(turns)) * 360) % 360;
  const int saturation = 120 + static_cast<int>(number * 7 % 3) * 50;
  const int value = 255 - static_cast<int>(number * 11 % 3) * 45;
  return QColor::fromHsv(hue, saturation, value).rgb();
}

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  const std::vector<std::uint32_t>& update(const cv::Mat& map);

 private:
  struct Claim {
    int overlap;
    std::uint32_t group, number;
  };
  void collect(const cv::Mat& map);
  void claim();
  std::uint32_t freshNumber(std::uint32_t place);

  cv::Size grid_;
  std::vector<std::uint32_t> remembered_, numbers_;
  std::vector<std::uint32_t> starts_,
      members_;  // members_[starts_[g]..starts_[g + 1]]: places of g
  std::vector<Claim> claims_;
  std::vector<std::uint32_t> taken_, own_;  // own_: each group's number
  std::vector<char> used_;                  // by number
};

/// A colour for a number, far from those of numbers beside it.
std::uint32_t groupColour(std::uint32_t number);

}  // namespace mpm::gui

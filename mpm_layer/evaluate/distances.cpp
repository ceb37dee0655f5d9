// SPDX-License-Identifier: Apache-2.0
#include "evaluate/distances.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace mpm::evaluate {
namespace {

constexpr double kPerPatch = 1000;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::int32_t distanceKey(double dx, double dy) {
  return static_cast<std::int32_t>(std::lround(std::hypot(dx, dy) * kPerPatch));
}

// A token before the merge.
struct Token {
  double x = 0, y = 0;  // sums over its patches
  int patches = 0;
  int live = -1;  // behind the merge

  double distanceX(const Token& other) const { return x / patches - other.x / other.patches; }
  double distanceY(const Token& other) const { return y / patches - other.y / other.patches; }
};

[[noreturn]] void refuse() {
  throw std::invalid_argument("these maps are not what a merge makes of one another");
}

// By their number; where none has a number, its patches stay 0.
std::vector<Token> tokensOf(const cv::Mat& before, const cv::Mat& after) {
  std::vector<Token> tokens(after.total());
  for (int y = 0; y < after.rows; ++y) {
    for (int x = 0; x < after.cols; ++x) {
      const int number = before.empty() ? y * after.cols + x : before.at<int>(y, x);
      const int live = after.at<int>(y, x);
      const int all = static_cast<int>(tokens.size());
      if (number < 0 || number >= all || live < 0 || live >= all) refuse();
      Token& token = tokens[static_cast<std::size_t>(number)];
      if (token.patches > 0 && token.live != live) refuse();
      token.live = live;
      token.x += x, token.y += y;
      ++token.patches;
    }
  }
  return tokens;
}

}  // namespace

Distances pairDistances(const cv::Mat& before, const cv::Mat& after) {
  if (after.type() != CV_32S ||
      (!before.empty() && (before.type() != CV_32S || before.size() != after.size()))) {
    refuse();
  }
  const std::vector<Token> tokens = tokensOf(before, after);
  Distances distances;
  std::vector<const Token*> first(tokens.size(), nullptr);  // of each live token
  std::vector<bool> isPaired(tokens.size(), false);
  for (const Token& token : tokens) {
    if (token.patches == 0) continue;
    const auto live = static_cast<std::size_t>(token.live);
    if (first[live] == nullptr) {
      first[live] = &token;
      continue;
    }
    if (isPaired[live]) refuse();
    isPaired[live] = true;
    ++distances[distanceKey(token.distanceX(*first[live]), token.distanceY(*first[live]))];
  }
  return distances;
}

Distances randomDistances(const cv::Size& grid) {
  Distances distances;
  for (int dy = 0; dy < grid.height; ++dy) {
    for (int dx = 0; dx < grid.width; ++dx) {
      if (dx == 0 && dy == 0) continue;
      const int directions = dx == 0 || dy == 0 ? 1 : 2;
      distances[distanceKey(dx, dy)] +=
          static_cast<std::uint64_t>(grid.width - dx) * (grid.height - dy) * directions;
    }
  }
  return distances;
}

std::uint64_t pairsOf(const Distances& distances) {
  std::uint64_t pairs = 0;
  for (const auto& [distance, count] : distances) pairs += count;
  return pairs;
}

double shareWithin(const Distances& distances, double patches) {
  std::uint64_t within = 0;
  for (const auto& [distance, count] : distances) {
    if (distance <= std::lround(patches * kPerPatch)) within += count;
  }
  const std::uint64_t all = pairsOf(distances);
  return all == 0 ? kNone : static_cast<double>(within) / static_cast<double>(all);
}

double meanDistance(const Distances& distances) {
  double sum = 0;
  for (const auto& [distance, count] : distances) sum += distance * static_cast<double>(count);
  const std::uint64_t all = pairsOf(distances);
  return all == 0 ? kNone : sum / kPerPatch / static_cast<double>(all);
}

double medianDistance(const Distances& distances) {
  const std::uint64_t half = (pairsOf(distances) + 1) / 2;
  std::uint64_t seen = 0;
  for (const auto& [distance, count] : distances) {
    seen += count;
    if (seen >= half) return distance / kPerPatch;
  }
  return kNone;
}

}  // namespace mpm::evaluate

// SPDX-License-Identifier: Apache-2.0
#include "tune/schedules.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace mpm::tune {
namespace {

void extend(const std::vector<int>& blocks, std::size_t first, std::size_t merges, Schedule& begun,
            std::vector<Schedule>& all) {
  if (begun.size() == merges) {
    all.push_back(begun);
    return;
  }
  for (std::size_t i = first; i < blocks.size(); ++i) {
    begun.push_back(blocks[i]);
    extend(blocks, i + 1, merges, begun, all);
    begun.pop_back();
  }
}

}  // namespace

std::vector<Schedule> schedulesOf(const std::vector<int>& blocks, int merges) {
  std::vector<Schedule> all;
  Schedule begun;
  if (merges > 0) extend(blocks, 0, static_cast<std::size_t>(merges), begun, all);
  return all;
}

std::vector<Schedule> extensionsOf(const std::vector<Schedule>& bases,
                                   const std::vector<int>& blocks) {
  std::set<Schedule> all;
  for (const Schedule& base : bases) {
    for (const int block : blocks) {
      Schedule longer = base;
      const auto place = std::lower_bound(longer.begin(), longer.end(), block);
      if (place != longer.end() && *place == block) continue;
      longer.insert(place, block);
      all.insert(longer);
    }
  }
  return {all.begin(), all.end()};
}

bool simpler(const Schedule& a, const Schedule& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace mpm::tune

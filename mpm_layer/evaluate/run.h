// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "evaluate/header.h"
#include "evaluate/pairs.h"
#include "evaluate/picture.h"
#include "mpm/segmenter.h"

namespace mpm::evaluate {

/// A segmenter as what runs schedules. It has to outlive the result; its schedule is the last one
/// that was run.
RunSchedule runnerOf(Segmenter& segmenter);

/// Measures the pictures of a shard, one after the other, but those in `done`. `keep` is given each
/// one's record; `progress` is told which share of this call's pictures is done, from 0 to 1.
void measureShard(const std::vector<Pair>& pairs, const Shard& shard, const Measure& measure,
                  const RunSchedule& run, const std::set<std::size_t>& done,
                  const std::function<void(const PictureRecord&)>& keep,
                  const std::function<void(double)>& progress);

/// So many of the pairs, spread over all, the middle of each part; all of them where there are no
/// more, or where `count` is 0.
std::vector<Pair> spreadPairs(const std::vector<Pair>& pairs, std::size_t count);

}  // namespace mpm::evaluate

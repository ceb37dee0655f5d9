// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "monitor/light/light_state.h"
#include "monitor/record/record_reader.h"

namespace mpm::monitor {

/// A snapshot of a record that has a picture, with what it says of itself.
struct DayPicture {
  Moment taken;
  std::string reason;
  LightState light = LightState::transition;
  double rowsBefore = std::numeric_limits<double>::quiet_NaN(), liveRows = rowsBefore;
  std::string modelHash;
  /// Paths. `picture`: of the frame itself, or, where that was not kept, with the labels over it.
  std::string picture, labels, mergeMap;
  bool isFrame = false;
};

/// Of a source, from <= time < to, the oldest first; without those of a simulated night.
/// std::runtime_error, one sentence.
std::vector<DayPicture> dayPictures(const RecordReader& record, const std::string& source,
                                    std::int64_t fromUtcMs, std::int64_t toUtcMs);

}  // namespace mpm::monitor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "monitor/light/light_state.h"
#include "monitor/record/record_reader.h"
#include "mpm/schedule.h"

namespace mpm::monitor {

/// A snapshot of a record that has a picture, with what it says of itself.
struct DayPicture {
  Moment taken;
  std::string reason;
  LightState light = LightState::transition;
  /// Of the picture, before merging and behind; NaN where that is not known, or none merged.
  double tokens = std::numeric_limits<double>::quiet_NaN(), liveTokens = tokens;
  std::string modelHash;
  Schedule schedule;  ///< that it was segmented with
  /// Paths. `picture`: with the labels over it, or, where there is none such, `frame`, which is
  /// empty where the frame itself was not kept.
  std::string picture, frame, labels, mergeMap;
};

/// Of a source, from <= time < to, the oldest first; without those of a simulated night.
/// std::runtime_error, one sentence.
std::vector<DayPicture> dayPictures(const RecordReader& record, const std::string& source,
                                    std::int64_t fromUtcMs, std::int64_t toUtcMs);

}  // namespace mpm::monitor

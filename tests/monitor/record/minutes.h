// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {

inline const std::atomic<bool> kGoOn{false}, kStop{true};  ///< of makeBackup

/// A minute of seconds, their minute, and an event; from `minute` on.
inline void writeMinute(Record& record, std::int64_t run, int minute) {
  const std::int64_t begin = kNoon + 60000 * minute;
  for (int i = 0; i < 60; ++i) record.write(run, {sampleBucket(begin + 1000 * i, i)});
  record.write(run, {sampleBucket(begin, minute, Resolution::minute)});
  record.write(run, Event{{begin, begin, 0, true}, "light", "night", "It is night.", {}});
  ASSERT_TRUE(record.flush(20000));
}

inline std::size_t minutesIn(const std::filesystem::path& path) {
  return RecordReader(path.string())
      .buckets("gate", Resolution::minute, 0, 2 * kNoon, {"luma"})
      .size();
}

}  // namespace mpm::monitor

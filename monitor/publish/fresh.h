// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "monitor/publish/published.h"

namespace mpm::monitor {

/// For so long after a source's last frame its figures are told as what is the case now.
constexpr std::int64_t kFiguresLastMs = 60000;

inline bool hasFreshFigures(const PublishedSource& source) {
  return source.latest && source.capture.msSinceFrame <= kFiguresLastMs;
}

}  // namespace mpm::monitor

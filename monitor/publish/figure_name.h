// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mpm::monitor {

/// What a name of Metrics (monitor/statistics/metrics.h) is about.
enum class FigureKind {
  rows,        ///< part: the stage
  similarity,  ///< part: the stage
  mergedShare,
  confidence,
  area,      ///< part: the class
  zoneArea,  ///< zone; part: the class
  luma,
  saturation,
  step,  ///< part: the step
  frameAge,
  perFrame,  ///< drops, reconnects: counts of one frame
  other      ///< part: the whole name
};

struct FigureName {
  FigureKind kind = FigureKind::other;
  std::string zone, part;
};

FigureName splitFigureName(std::string_view name);

}  // namespace mpm::monitor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "monitor/camera/registration.h"

namespace mpm::monitor {

/// What one look says about one fault.
struct Sighting {
  bool isKnown = false;  ///< whether it says anything
  bool isSeen = false;
  double value = 0;                    ///< as CameraChange::value
  std::optional<Placement> placement;  ///< of a view that was found elsewhere
};

/// From sightings to a fault: it is one when it was seen for so long, and none any more when it was
/// not seen for so long. What is not known counts as neither.
class Holding {
 public:
  Holding(double beginMs, double endMs) : beginMs_(beginMs), endMs_(endMs) {}

  /// Whether it began (true) or ended (false) with this.
  std::optional<bool> update(const Sighting& sighting, double elapsedMs) {
    if (!sighting.isKnown) return std::nullopt;
    const bool isOther = sighting.isSeen != holds_;
    otherMs_ = isOther ? otherMs_ + elapsedMs : 0;
    if (!isOther || otherMs_ < (holds_ ? endMs_ : beginMs_)) return std::nullopt;
    holds_ = !holds_;
    otherMs_ = 0;
    return holds_;
  }
  bool holds() const { return holds_; }

 private:
  double beginMs_, endMs_;
  bool holds_ = false;
  double otherMs_ = 0;  // for how long it has looked as if it should change
};

}  // namespace mpm::monitor

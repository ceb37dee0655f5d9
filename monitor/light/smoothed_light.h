// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace mpm::monitor {

/// A value smoothed exponentially over time, at whatever times it comes: after a long gap next to
/// nothing is left of what was before.
class Smoothed {
 public:
  void add(double value, double elapsedMs, double constantMs) {
    const double kept = known_ && constantMs > 0 ? std::exp(-elapsedMs / constantMs) : 0;
    value_ = kept * value_ + (1 - kept) * value;
    known_ = true;
  }
  double value() const { return value_; }

 private:
  bool known_ = false;
  double value_ = 0;
};

/// Level and colour of the light, each as it was lately and as it is just now.
class SmoothedLight {
 public:
  explicit SmoothedLight(double constantMs) : constantMs_(constantMs) {}

  void add(double level, double saturation, double elapsedMs) {
    level_.add(level, elapsedMs, constantMs_);
    newLevel_.add(level, elapsedMs, constantMs_ / kQuicker);
    saturation_.add(saturation, elapsedMs, constantMs_);
    newSaturation_.add(saturation, elapsedMs, constantMs_ / kQuicker);
  }
  void forget() { *this = SmoothedLight(constantMs_); }

  double level() const { return level_.value(); }
  /// Of a moment ago: a camera goes from colour to none and back at once, and nothing else does.
  double saturation() const { return newSaturation_.value(); }
  double levelDrift() const { return std::abs(newLevel_.value() - level_.value()); }
  double saturationDrift() const { return std::abs(newSaturation_.value() - saturation_.value()); }

 private:
  static constexpr double kQuicker = 6;
  double constantMs_;
  Smoothed level_, newLevel_, saturation_, newSaturation_;
};

}  // namespace mpm::monitor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mpm::cli {

/// One frame of a drawn street.
struct SceneFrame {
  std::uint64_t seed = 0;
  int second = 0;  ///< of the day
};

/// What the options say about which frames; the words of the command line, empty where not given.
struct SceneWords {
  std::string seed, seeds, hour, hours;
  std::optional<int> count, perSeed;
};

/// Which frames to draw: one street at an hour or through hours, or many streets at hours of their
/// own. Frames of a street come one after another, and no two are of the same second.
class ScenePlan {
 public:
  /// UsageError where the words make no plan.
  explicit ScenePlan(const SceneWords& words);

  bool next(SceneFrame& frame);  ///< false behind the last one
  bool isEndless() const { return !lastSeed_; }
  double share() const;  ///< how many have been given, from 0 to 1

 private:
  int secondOf(std::uint64_t seed, int index) const;

  std::uint64_t firstSeed_, seed_;
  std::optional<std::uint64_t> lastSeed_;
  int from_, length_;  // seconds of the day
  int perSeed_ = 1, index_ = 0;
  bool byChance_ = false;  // hours of their own, not evenly apart
  bool ended_ = false;
};

/// "seed7_h1330", with seconds where there are any: "seed7_h133012".
std::string nameOf(const SceneFrame& frame);

}  // namespace mpm::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "cli/commands.h"
#include "models/scenes/camera.h"
#include "models/scenes/chance.h"

namespace mpm::cli {

/// One frame of a drawn street.
struct SceneFrame {
  std::uint64_t seed = 0;
  int second = 0;  ///< since the first day's midnight
};

/// Frames that the options request, in the command line's words; empty if not given.
struct SceneWords {
  std::string seed, seeds, hour, hours;
  std::optional<int> count, perSeed;
};

/// Selects frames to draw: one street at an hour or through hours, or many streets at different
/// hours. Frames of a street follow each other, and no two share a second.
class ScenePlan {
 public:
  /// Throws UsageError if the words make no plan.
  explicit ScenePlan(const SceneWords& words) {
    if (!words.seeds.empty()) {
      const auto [from, to] = ends(words.seeds);
      const auto first = scenes::seedOf(from);
      lastSeed_ = scenes::seedOf(to);
      if (!first || (!lastSeed_ && !to.empty()) || (lastSeed_ && *lastSeed_ < *first)) {
        throw UsageError(
            "--seeds " + words.seeds +
            " is not a range of seeds; give whole numbers, such as 1000..1999, or 1000..");
      }
      firstSeed_ = *first;
      if (words.count)
        throw UsageError("--count goes with one --seed; with --seeds use --per-seed");
    } else {
      const std::string word = wordOr(words.seed, kSeed);
      lastSeed_ = scenes::seedOf(word);
      if (!lastSeed_)
        throw UsageError("--seed " + word + " is not a seed; give a whole number from 0");
      firstSeed_ = *lastSeed_;
      if (words.perSeed)
        throw UsageError("--per-seed goes with --seeds; with one --seed use --count");
    }
    seed_ = firstSeed_;
    byChance_ = !words.seeds.empty() && words.hour.empty();
    perSeed_ = words.count.value_or(words.perSeed.value_or(1));
    if (words.hours.empty() && !byChance_) {
      if (perSeed_ != 1)
        throw UsageError("one --hour is one frame of a street; for more use --hours");
      from_ = secondIn(wordOr(words.hour, kHour));
      length_ = 1;
      return;
    }
    const auto [from, to] = secondsIn(wordOr(words.hours, "0..24"));
    from_ = from, length_ = to - from;
    if (perSeed_ > length_) {
      throw UsageError(cv::format("%d frames do not fit into %d seconds of a street, one for each",
                                  perSeed_, length_));
    }
  }

  /// Returns false after the last one.
  bool next(SceneFrame& frame) {
    if (ended_) return false;
    frame = {seed_, secondOf(seed_, index_)};
    if (++index_ == perSeed_) {
      index_ = 0;
      ended_ = lastSeed_ == seed_;
      ++seed_;
    }
    return true;
  }

  bool isEndless() const { return !lastSeed_; }
  /// Returns the share of frames so far, from 0 to 1.
  double share() const {
    if (!lastSeed_) return 0;
    const double done = static_cast<double>(seed_ - firstSeed_) + 1.0 * index_ / perSeed_;
    return done / (static_cast<double>(*lastSeed_ - firstSeed_) + 1);
  }

 private:
  static constexpr const char* kSeed = "7";
  static constexpr const char* kHour = "12";
  static std::string wordOr(const std::string& word, const char* standing) {
    return word.empty() ? standing : word;
  }

  static std::pair<std::string, std::string> ends(const std::string& text) {
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) return {text, "none"};
    return {text.substr(0, dots), text.substr(dots + 2)};
  }

  static int secondsOf(double hour) { return static_cast<int>(std::lround(hour * 3600)); }
  static constexpr double kLastHour = 8760;  // of a year

  static std::optional<double> hourIn(const std::string& text) {
    double hour = 0;
    const char* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, hour);
    const bool isGood = error == std::errc() && last == end && hour >= 0 && hour <= kLastHour;
    return isGood ? std::optional(hour) : std::nullopt;
  }

  static int secondIn(const std::string& text) {
    const auto hour = hourIn(text);
    if (!hour) {
      throw UsageError("--hour " + text +
                       " is not an hour; give one from 0 on, such as 13.5, or 37.5 for half past "
                       "one on the second day");
    }
    return secondsOf(*hour);
  }

  static std::pair<int, int> secondsIn(const std::string& text) {
    const auto [from, to] = ends(text);
    const auto first = hourIn(from), last = hourIn(to);
    if (!first || !last || secondsOf(*first) >= secondsOf(*last)) {
      throw UsageError("--hours " + text +
                       " is not a range of hours; give one such as 6..18.5, or 24..48 for the "
                       "second day");
    }
    return {secondsOf(*first), secondsOf(*last)};
  }

  // Divides the range into as many parts as frames. Returns the beginning of each, or a random
  // second of it.
  int secondOf(std::uint64_t seed, int index) const {
    const auto beginning = [&](int part) {
      return static_cast<int>(static_cast<std::int64_t>(length_) * part / perSeed_);
    };
    const int begin = beginning(index);
    if (!byChance_) return from_ + begin;
    const scenes::Chance chance(seed, 7800);
    return from_ + begin +
           chance.below(static_cast<std::uint64_t>(index), beginning(index + 1) - begin);
  }

  std::uint64_t firstSeed_, seed_;
  std::optional<std::uint64_t> lastSeed_;
  int from_, length_;  // in seconds
  int perSeed_ = 1, index_ = 0;
  bool byChance_ = false;  // hours of their own, not evenly apart
  bool ended_ = false;
};

/// Returns "seed7_h1330", with seconds if there are any: "seed7_h133012". The second day is
/// "seed7_day2_h1330".
inline std::string nameOf(const SceneFrame& frame) {
  constexpr int kDay = 86400;
  const int day = frame.second / kDay, minutes = frame.second % kDay / 60,
            seconds = frame.second % 60;
  std::string name = "seed" + std::to_string(frame.seed);
  if (day > 0) name += "_day" + std::to_string(day + 1);
  name += cv::format("_h%02d%02d", minutes / 60, minutes % 60);
  if (seconds != 0) name += cv::format("%02d", seconds);
  return name;
}

}  // namespace mpm::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "monitor/camera/camera_fault.h"
#include "monitor/camera/registration.h"
#include "monitor/clock/clock.h"
#include "monitor/light/light_meter.h"
#include "monitor/light/light_state.h"

namespace mpm::monitor {

/// Appends a value as bytes, for the machine that wrote them, to store what was learnt.
template <typename Value>
void putBytes(std::string& bytes, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}
/// Takes the first value off; returns false if there are too few bytes.
template <typename Value>
bool takeBytes(std::string_view& bytes, Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

/// A moment's picture in the form that is compared: the mean of the last seconds, in which noise
/// and passing things have faded.
struct Sight {
  cv::Mat grey;     ///< CV_32F, about 320 pixels wide: what is sharp shows here
  cv::Mat fine;     ///< its finest structure
  cv::Mat coarse;   ///< structure of half the size, in grey levels
  cv::Mat details;  ///< of half the size: see detailsOf
};
Sight sightOf(const cv::Mat& grey);
/// Moves a sight back to its place in the view that it is compared with.
Sight broughtBack(const Sight& sight, const Placement& placement);

/// Compares a sight with the usual view in this light. Shares count only those parts of the picture
/// where the usual view has structure.
struct Comparison {
  double kept = 1;   ///< share whose structure is where it was, against the usual share
  double gone = 0;   ///< share that has next to no structure any more
  double sharp = 1;  ///< finest structure against coarser one, as it was: 1 as usual, 0 none left
  bool canTellSharp = false;
};

/// Reference of a placement: the view of the last minutes, or of hours. The latter searches
/// everywhere, or only nearby.
enum class Against { lately, forHours, besideForHours };

/// One view of a fixed camera: its usual look in each light.
class View {
 public:
  /// Tells whether this light was seen for long enough, with enough structure that stays still.
  bool knows(LightState light) const;
  Comparison compare(const Sight& sight, LightState light) const;
  /// Learns a sight that is less sharp than usual, or shifted, only into the recent view.
  void learn(const Sight& sight, LightState light, double seconds, bool isSharp);

  /// Returns all that was learnt, to be stored: some hundred kilobytes for each light.
  std::string bytes() const;
  /// Takes the result of bytes(), for pictures of any size. Returns false and changes nothing for
  /// other bytes.
  bool learnFrom(std::string_view bytes);

  /// Finds the placement of a sight; nothing fits if pictures have another size now.
  Placement placementOf(const Sight& sight, LightState light, Against against) const;

 private:
  struct Learnt {
    double seconds = 0;                     // for which it was learnt
    cv::Mat details, coarse;                // lately
    cv::Mat longDetails, longCoarse, fine;  // for hours
    double kept = 0, sharp = 0;             // usual
    double sharpSeconds = 0;
  };
  const Learnt& of(LightState light) const { return learnt_[learntPlace(light)]; }

  std::array<Learnt, kLearntLights> learnt_;
};

/// Notices that a camera shows something else: moved, covered or blurred. It compares with the view
/// at installation; after a move, the last two compare with the present view.
class ViewWatch {
 public:
  struct Found {
    Sighting moved, covered, blurred;
    /// Set once, when a moved camera was moved again: its placement.
    std::optional<Placement> movedAgain{};
  };
  /// `sight` is the mean of the last seconds, `now` the present picture in grey. `mayLearn` is true
  /// if nothing else is wrong with it.
  Found look(const Sight& sight, const cv::Mat& now, LightState light, double seconds,
             bool mayLearn = true);

  /// Return the view at installation for storage, and restore it before the first look.
  std::string home() const { return home_.bytes(); }
  bool setHome(std::string_view bytes) { return home_.learnFrom(bytes); }

  /// Declares the camera moved for good, or back.
  void setMoved(bool isMoved);

 private:
  View& view() { return present_ ? *present_ : home_; }
  const View& view() const { return present_ ? *present_ : home_; }
  void compare(const Sight& sight, const cv::Mat& now, LightState light, bool isKnown,
               Found& found);
  void search(const Sight& sight, const cv::Mat& now, LightState light, const Comparison& seen);
  void lookBeside(const Sight& sight, LightState light);
  void lookAgain(const Sight& sight, LightState light, Found& found);
  std::optional<double> sharpInPlace(const Sight& sight, LightState light) const;
  bool isStrange(const Comparison& seen) const;
  bool isHome(const Sight& sight, LightState light) const;
  void followMove(const Sight& sight, LightState light, double seconds, Found& found);

  View home_;                             // as it was put up
  std::optional<View> present_;           // since it was moved
  std::optional<LightState> knownLight_;  // the last one that the view was known in
  std::optional<Placement> elsewhere_;    // where the last search has found it
  std::optional<double> sharp_;           // at the last search, in the place where it was found
  int besideLooks_ = 0;                   // in a row that found it a little beside its place
  int triesAgain_ = 0;                    // to find it at home, since it was moved once more
  bool isAway_ = true;                    // from home, at the last look there
  double lostSeconds_ = 0;                // for which the present view is not seen either
  bool isBlurred_ = false;
  int looks_ = 0;
};

/// Notices problems of a fixed camera from its pictures alone, against earlier ones in the same
/// light. A light is known after a minute. Before that, while the light changes, and where a
/// picture has no structure, the view is not judged. A problem must be seen for 12 to 15 seconds (a
/// frozen picture for 45), so that passing things do not count. It must be gone for 10 to 60
/// seconds to end; a frozen picture ends within seconds.
///
/// It learns slow changes, such as sun, snow and parked cars. Changes that blur or move the picture
/// are compared over hours instead. A moved camera stays so until it shows its old view; other
/// problems are then looked for in the new view.
///
/// It depends only on pictures, readings and their times, and looks at most twice a second. Not for
/// two threads at once.
class CameraWatch {
 public:
  CameraWatch();

  /// `picture` is CV_8UC3 or CV_8UC1, not empty; `light` is the light meter's reading of it.
  std::vector<CameraChange> update(const cv::Mat& picture, const Moment& taken,
                                   const LightReading& light);

  CameraFaults faults() const;

  /// Returns what the camera usually shows, how much changes and how much is white or black. Keep
  /// it over a restart and set it before the first picture. setView returns false if it cannot be
  /// used, and nothing is known. Earlier versions stored only the view.
  std::string view() const;
  bool setView(std::string_view bytes);

 private:
  using Sightings = std::array<Sighting, kCameraFaults>;
  void countSwitches(const LightReading& light, std::int64_t nowMs);
  void average(const cv::Mat& grey, double elapsedMs);
  Sightings look(const cv::Mat& picture, const Moment& taken, LightState light, double elapsedMs);
  CameraChange movedAgain() const;
  std::vector<CameraChange> decide(const Sightings& sightings, std::int64_t nowMs,
                                   double elapsedMs);

  cv::Mat mean_;  // of the last seconds
  ViewWatch view_;
  Stillness stillness_;
  ExposureWatch exposure_;
  std::deque<std::int64_t> switchesMs_;  // between colour and none, within a minute
  std::optional<bool> isColour_;
  std::vector<Holding> holding_;  // by CameraFault
  std::array<std::int64_t, kCameraFaults> beganMs_{};
  std::optional<Placement> movedAgain_;  // at this look
  std::optional<std::int64_t> lookedMs_;
};

}  // namespace mpm::monitor

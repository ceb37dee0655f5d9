// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstring>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "monitor/camera/camera_fault.h"
#include "monitor/camera/registration.h"
#include "monitor/light/light_state.h"

namespace mpm::monitor {

/// Puts values after each other as bytes, for the machine that wrote them: what is learnt is kept
/// so.
template <typename Value>
void putBytes(std::string& bytes, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}
/// Takes the first value off; false: there are too few bytes.
template <typename Value>
bool takeBytes(std::string_view& bytes, Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

/// A moment's picture as it is compared: the mean of the last seconds, in which noise and what
/// passes by have faded.
struct Sight {
  cv::Mat grey;     ///< CV_32F, about 320 pixels wide: what is sharp shows here
  cv::Mat fine;     ///< its finest structure
  cv::Mat coarse;   ///< structure of half the size, in grey levels
  cv::Mat details;  ///< of half the size: see detailsOf
};
Sight sightOf(const cv::Mat& grey);
/// Brought back to where the view it is compared with has it.
Sight broughtBack(const Sight& sight, const Placement& placement);

/// Compares a sight with what is usual there in this light. Shares of those parts of the picture
/// in which the usual view has structure.
struct Comparison {
  double kept = 1;   ///< share whose structure is where it was, against the usual share
  double gone = 0;   ///< share that has next to no structure any more
  double sharp = 1;  ///< finest structure against coarser one, as it was: 1 as usual, 0 none left
  bool canTellSharp = false;
};

/// A sight is placed against how a view looked lately, or for hours: anywhere, or beside its place
/// at most.
enum class Against { lately, forHours, besideForHours };

/// One view of a fixed camera, as it usually looks in each light.
class View {
 public:
  /// Says whether this light was seen for long enough, with enough structure that stands still.
  bool knows(LightState light) const;
  Comparison compare(const Sight& sight, LightState light) const;
  /// Learns what is less sharp than usual, or beside its place, as the view of lately alone.
  void learn(const Sight& sight, LightState light, double seconds, bool isSharp);

  /// All that was learnt, to be kept while nobody looks: some hundred kilobytes for each light.
  std::string bytes() const;
  /// Takes what bytes() gave, of pictures of whatever size; false, and nothing changes: it is no
  /// such thing.
  bool learnFrom(std::string_view bytes);

  /// Finds where the sight lies; nothing fits where pictures are of another size now.
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

/// Notices that a camera shows something else than it did: moved, covered or blurred. Against its
/// view as it was put up; while it is moved, the last two against the view that it has now.
class ViewWatch {
 public:
  struct Found {
    Sighting moved, covered, blurred;
    /// Says, once, where a moved one is that was moved once more.
    std::optional<Placement> movedAgain{};
  };
  /// `sight`: of the mean of the last seconds, `now`: the picture of this moment, as grey.
  /// `mayLearn`: whether nothing else is wrong with it.
  Found look(const Sight& sight, const cv::Mat& now, LightState light, double seconds,
             bool mayLearn = true);

  /// Its view as it was put up, to be kept; and one that was, before anything is looked at.
  std::string home() const { return home_.bytes(); }
  bool setHome(std::string_view bytes) { return home_.learnFrom(bytes); }

  /// The camera has been moved for good, or is back.
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

}  // namespace mpm::monitor

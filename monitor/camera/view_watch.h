// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "monitor/camera/sighting.h"
#include "monitor/camera/view.h"

namespace mpm::monitor {

/// Notices that a camera shows something else than it did: moved, covered or blurred. Against its
/// view as it was put up; while it is moved, the last two against the view that it has now.
class ViewWatch {
 public:
  struct Found {
    Sighting moved, covered, blurred;
    /// Of a moved one that was moved once more, where it is now; once.
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

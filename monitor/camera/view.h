// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>

#include "monitor/camera/registration.h"
#include "monitor/light/light_state.h"

namespace mpm::monitor {

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

/// What a sight is against what is usual there in this light. Shares of those parts of the picture
/// in which the usual view has structure.
struct Comparison {
  double kept = 1;   ///< share whose structure is where it was, against the usual share
  double gone = 0;   ///< share that has next to no structure any more
  double sharp = 1;  ///< finest structure against coarser one, as it was: 1 as usual, 0 none left
  bool canTellSharp = false;
};

/// One view of a fixed camera, as it usually looks in each light.
class View {
 public:
  /// Whether this light was seen for long enough, and has enough structure that stands still.
  bool knows(LightState light) const;
  Comparison compare(const Sight& sight, LightState light) const;
  /// What is less sharp than usual, or beside its place, is learnt as the view of lately alone.
  void learn(const Sight& sight, LightState light, double seconds, bool isSharp);

  /// All that was learnt, to be kept while nobody looks: some hundred kilobytes for each light.
  std::string bytes() const;
  /// What bytes() gave, of pictures of whatever size; false, and nothing changes: it is no such
  /// thing.
  bool learnFrom(std::string_view bytes);

  /// Where the sight lies against how it looked lately, and against how it has looked for hours;
  /// nothing fits where pictures are of another size now.
  Placement againstLately(const Sight& sight, LightState light) const;
  Placement againstLong(const Sight& sight, LightState light) const;
  /// The latter where it lies beside its place at most.
  Placement besideLong(const Sight& sight, LightState light) const;

 private:
  struct Learnt {
    double seconds = 0;                     // for which it was learnt
    cv::Mat details, coarse;                // lately
    cv::Mat longDetails, longCoarse, fine;  // for hours
    double kept = 0, sharp = 0;             // usual
    double sharpSeconds = 0;
  };
  const Learnt& of(LightState light) const { return learnt_[static_cast<std::size_t>(light)]; }

  std::array<Learnt, kLightStates> learnt_;
};

}  // namespace mpm::monitor

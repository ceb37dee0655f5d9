// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <string>

#include "monitor/clock/clock.h"
#include "monitor/light/light_state.h"
#include "monitor/light/light_steps.h"

namespace mpm::monitor {

/// What is seen on a small copy of the picture. Shares and means from 0 to 1.
struct LightReading {
  LightState state = LightState::transition;
  double luma = 0;        ///< mean
  double contrast = 0;    ///< standard deviation of luma
  double saturation = 0;  ///< mean chroma to mean brightness and 0.1: dark greys have next to none
  double change = 0;      ///< mean absolute difference of luma to the frame before
  double level = 0;  ///< mean luma of the darker three quarters (without lamps, headlights), or
                     ///< what a bright sky stands for
};

/// Levels that a smoothed value has to pass to leave a state, `margin` further than to stay in it,
/// and for how long. All can be set by who knows the camera.
struct LightOptions {
  double dayLuma = 0.34;              ///< of LightReading::level: from here on day
  double nightLuma = 0.29;            ///< up to here night; between the two dusk
  double infraredSaturation = 0.008;  ///< up to here a picture has no colour; a grey road has more
  double blankContrast = 0.008;       ///< up to here it shows nothing
  double blankLuma = 0.02;            ///< mean up to which it is black
  double margin = 0.03;               ///< of luma; of saturation a tenth of it
  double smoothingMs = 3000;          ///< time constant
  double dwellMs = 5000;  ///< how long another state has to be seen before it is the state
  std::optional<cv::Vec2d> location;  ///< latitude north, longitude east, in degrees: with it the
                                      ///< sun's altitude decides between day (above 0 degrees),
                                      ///< dusk and night (below -6), unless the wall clock was
                                      ///< never set
};

/// "day=0.4,night=0.3,dwell=20": what is not named keeps its default. std::invalid_argument, one
/// sentence.
LightOptions parseLight(const std::string& text);
/// What `options` are in the same words, all but the place, so that a record says what it was made
/// with.
std::string lightText(const LightOptions& options);
std::string lightHelp();  ///< a line for each word, with its default

/// Which light a fixed camera sees. A frame's state depends on the frames before it and their
/// times alone, so a replay says the same. Not from two threads at once.
class LightMeter {
 public:
  explicit LightMeter(const LightOptions& options = {});  ///< std::invalid_argument, one sentence

  /// `picture`: CV_8UC3 (BGR) or CV_8UC1, not empty.
  LightReading update(const cv::Mat& picture, const Moment& taken);

 private:
  LightState seen(const Look& look, const Moment& taken) const;
  bool isBlank(const Look& look) const;
  bool isInfrared() const;
  bool sunIsKnown(const Moment& taken) const;
  LightState byLevel() const;
  LightState bySun(const Moment& taken) const;
  bool moving(const Moment& taken) const;

  LightOptions options_;
  Glance glance_;
  SmoothedLight light_;
  Settling settling_;
  std::optional<std::int64_t> beforeMs_;
};

}  // namespace mpm::monitor

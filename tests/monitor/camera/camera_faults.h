// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>
#include <string>

#include "monitor/camera/camera_fault.h"

namespace mpm::test {

/// What is done to a drawn camera.
enum class Drawn {
  nothing,
  moved,          ///< by 5 percent of the width, and down by 3
  movedALittle,   ///< by 2 percent
  turned,         ///< by 5 degrees
  turnedALittle,  ///< by 2
  turnedAway,     ///< another part of the street: here its mirror image
  covered,        ///< something dark and dim close to the lens
  defocused,      ///< a deviation of 3 pixels in 640
  iced,           ///< blurred, half the contrast, a veil of the scene's own light
  frozen,         ///< with a running number in a corner
  stuck,          ///< by day as exposed for the night, by night as for the day
  flapping        ///< in colour and without, three seconds each
};
constexpr std::array<Drawn, 11> kAllDrawn{Drawn::moved,         Drawn::movedALittle, Drawn::turned,
                                          Drawn::turnedALittle, Drawn::turnedAway,   Drawn::covered,
                                          Drawn::defocused,     Drawn::iced,         Drawn::frozen,
                                          Drawn::stuck,         Drawn::flapping};
std::string nameOf(Drawn drawn);
/// Which fault that is. What is black is covered: nobody can tell.
monitor::CameraFault faultOf(Drawn drawn, bool isNight);

/// What befalls a camera between two times, in seconds since it began.
class Misfortune {
 public:
  Misfortune(Drawn drawn, double from, double to, std::uint64_t seed)
      : drawn_(drawn), from_(from), to_(to), chance_(seed) {}

  /// Changes the picture of a moment, one after the other.
  void befall(cv::Mat& picture, double seconds);

 private:
  void change(cv::Mat& picture, double seconds);
  void blur(cv::Mat& picture, double deviation);  // before the sensor, which adds its noise

  Drawn drawn_;
  double from_, to_;
  cv::Mat last_;
  cv::RNG chance_;
};

}  // namespace mpm::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "monitor/camera/registration.h"

namespace mpm::monitor {

/// What can befall a camera that still gives frames.
enum class CameraFault {
  moved,     ///< shifted, turned, or it shows another view
  covered,   ///< next to nothing of the view is left
  blurred,   ///< out of focus, fogged, iced over
  frozen,    ///< the same picture again and again
  exposure,  ///< white or black where it was not
  flapping   ///< between colour and infrared, to and fro
};

constexpr std::size_t kCameraFaults = 6;
constexpr std::array<CameraFault, kCameraFaults> kAllCameraFaults{
    CameraFault::moved,  CameraFault::covered,  CameraFault::blurred,
    CameraFault::frozen, CameraFault::exposure, CameraFault::flapping};

/// "moved", "covered", ...: in files and messages.
constexpr std::string_view nameOf(CameraFault fault) {
  constexpr std::array<std::string_view, kCameraFaults> kNames{"moved",  "covered",  "blurred",
                                                               "frozen", "exposure", "flapping"};
  return kNames[static_cast<std::size_t>(fault)];
}

/// Which faults hold, by CameraFault.
using CameraFaults = std::bitset<kCameraFaults>;

/// A fault that began or ended.
struct CameraChange {
  CameraFault fault = CameraFault::moved;
  bool began = true;
  double value = 0;  ///< moved: how far, in shares of the picture's width (1: it is found nowhere);
                     ///< covered: share that is gone; blurred: sharpness, 1 as usual; frozen: share
                     ///< that still changes; exposure: share that is white or black; flapping: how
                     ///< often within a minute
  std::string text;  ///< one sentence for people
  /// moved, where it began and the old view is found in the new one; it began again where it was
  /// moved once more. Always against the view that it had first.
  std::optional<Placement> placement{};
};

}  // namespace mpm::monitor

// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/sighting.h"

#include <cmath>

#include "monitor/rules/words.h"

namespace mpm::monitor {
namespace {

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + "%"; }
std::string finePercent(double share) { return numberText(std::round(share * 1000) / 10) + "%"; }

std::string movedText(const Sighting& sighting) {
  if (!sighting.placement) {
    return "the camera shows another view: it was moved, or something stands in front of it";
  }
  return "the camera was moved: what it shows is now " + placementText(*sighting.placement);
}

}  // namespace

std::string placementText(const Placement& placement) {
  std::string where;
  const auto add = [&](const std::string& part) { where += (where.empty() ? "" : ", ") + part; };
  const double x = placement.shift.x, y = placement.shift.y, degrees = placement.degrees;
  if (std::abs(x) >= 0.0005)
    add(finePercent(std::abs(x)) + (x > 0 ? " further right" : " further left"));
  if (std::abs(y) >= 0.0005)
    add(finePercent(std::abs(y)) + (y > 0 ? " further down" : " further up"));
  const double turn = std::round(std::abs(degrees) * 10) / 10;
  if (turn > 0) {
    add(numberText(turn) + (turn == 1 ? " degree " : " degrees ") +
        (degrees > 0 ? "clockwise" : "counterclockwise"));
  }
  return where.empty() ? "where it was" : where + " (of the picture's width)";
}

std::string movedAgainText(const Placement& placement) {
  return "the camera was moved again: against its first view, what it shows is now " +
         placementText(placement);
}

std::string beganText(CameraFault fault, const Sighting& sighting) {
  switch (fault) {
    case CameraFault::moved:
      return movedText(sighting);
    case CameraFault::covered:
      return "the camera is covered, or shows next to nothing: " + percent(sighting.value) +
             " of what it showed are gone";
    case CameraFault::blurred:
      return "the picture is blurred (out of focus, fogged or iced over): " +
             percent(sighting.value) + " of its usual sharpness";
    case CameraFault::frozen:
      return "the picture is frozen: frames come, but they are the same";
    case CameraFault::exposure:
      return "the exposure is wrong: " + percent(sighting.value) +
             " of the picture are white or black";
    case CameraFault::flapping:
      return "the camera switches to and fro between colour and infrared: " +
             std::to_string(std::lround(sighting.value)) + " times within a minute";
  }
  return {};
}

std::string endedText(CameraFault fault, std::int64_t heldMs) {
  const std::string after = ", after " + durationText(heldMs);
  switch (fault) {
    case CameraFault::moved:
      return "the camera shows its old view again" + after;
    case CameraFault::covered:
      return "the camera is not covered any more" + after;
    case CameraFault::blurred:
      return "the picture is as sharp as before" + after;
    case CameraFault::frozen:
      return "the picture changes again" + after;
    case CameraFault::exposure:
      return "the exposure is as before" + after;
    case CameraFault::flapping:
      return "the camera has stopped switching between colour and infrared" + after;
  }
  return {};
}

}  // namespace mpm::monitor

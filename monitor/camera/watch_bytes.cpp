// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>

#include "monitor/camera/bytes.h"
#include "monitor/camera/camera_watch.h"

// What a watch knows as bytes, for the machine that wrote them: a version, what is usual of change
// and of exposure in each light, and the view.
namespace mpm::monitor {
namespace {

constexpr std::uint32_t kWatchVersion = 0x4d504301;

bool takeShare(std::string_view& bytes, double& share) {
  return take(bytes, share) && share >= 0 && share <= 1;
}

bool takeDuration(std::string_view& bytes, double& ms) {
  return take(bytes, ms) && ms >= 0 && std::isfinite(ms);
}

}  // namespace

std::string CameraWatch::view() const {
  std::string bytes;
  put(bytes, kWatchVersion);
  put(bytes, stillness_.usual().changing);
  put(bytes, stillness_.usual().knownMs);
  for (const ExposureWatch::Usual& usual : exposure_.usual()) {
    for (const double number : {usual.white, usual.black, usual.knownMs}) put(bytes, number);
  }
  return bytes + view_.home();
}

bool CameraWatch::setView(std::string_view bytes) {
  std::string_view rest = bytes;
  std::uint32_t version = 0;
  if (!take(rest, version) || version != kWatchVersion) return view_.setHome(bytes);
  Stillness::Usual changing;
  if (!takeShare(rest, changing.changing) || !takeDuration(rest, changing.knownMs)) return false;
  ExposureWatch::UsualByLight exposed;
  for (ExposureWatch::Usual& usual : exposed) {
    if (!takeShare(rest, usual.white) || !takeShare(rest, usual.black) ||
        !takeDuration(rest, usual.knownMs)) {
      return false;
    }
  }
  if (!view_.setHome(rest)) return false;
  stillness_.setUsual(changing);
  exposure_.setUsual(exposed);
  return true;
}

}  // namespace mpm::monitor

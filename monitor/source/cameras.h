// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mpm::monitor {

/// A connected camera.
struct CameraDevice {
  std::string device;  ///< /dev/video0: may be another one after the next start
  std::string byId;  ///< /dev/v4l/by-id/...: the same wherever it is plugged in; empty: it has none
  std::string name;  ///< for people

  const std::string& address() const { return byId.empty() ? device : byId; }  ///< the more lasting
};

struct CameraFolders {
  std::string devices = "/dev";
  std::string byId = "/dev/v4l/by-id";
  std::string names = "/sys/class/video4linux";
};

/// Lists devices that deliver pictures, by number, without metadata nodes and codecs. A missing
/// folder counts as empty. Asks each device; if that is not allowed, the kernel's index decides.
std::vector<CameraDevice> listCameras(const CameraFolders& folders = {});

}  // namespace mpm::monitor

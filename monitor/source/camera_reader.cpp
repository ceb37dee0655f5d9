// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/readers.h"

#include <unistd.h>

#include <filesystem>

#include "monitor/source/cameras.h"
#include "monitor/source/live_reader.h"

namespace mpm::monitor {
namespace {

// What there is instead of a camera that is missing.
std::string othersSentence() {
  std::string names;
  for (const CameraDevice& camera : listCameras()) {
    names += (names.empty() ? "" : ", ") + camera.address() + " (" + camera.name + ")";
  }
  return names.empty() ? "no camera is connected" : "connected: " + names;
}

class CameraReader : public LiveReader {
 public:
  using LiveReader::LiveReader;

 protected:
  bool openSource() override {
    forget();
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(address().text, error);
    const std::string& name = address().shown;
    if (!std::filesystem::exists(status)) {
      return refuse("there is no camera " + name + "; " + othersSentence());
    }
    if (!std::filesystem::is_character_file(status)) return refuse(name + " is not a camera");
    if (access(address().text.c_str(), R_OK | W_OK) != 0) {
      return refuse("the camera " + name +
                    " cannot be read by this user; add the user to the group video");
    }
    if (!video().open(address().text, cv::CAP_V4L2)) {
      return refuse("the camera " + name +
                    " cannot be opened: another program is using it, or it gives no pictures");
    }
    if (!options().cameraSize.empty()) {
      video().set(cv::CAP_PROP_FRAME_WIDTH, options().cameraSize.width);
      video().set(cv::CAP_PROP_FRAME_HEIGHT, options().cameraSize.height);
    }
    if (options().cameraFps > 0) video().set(cv::CAP_PROP_FPS, options().cameraFps);
    return openedFits();
  }

  std::string silence() const override {
    return "the camera " + address().shown + " gives no more frames; is it still connected?";
  }
};

}  // namespace

std::unique_ptr<Reader> makeCameraReader(const SourceAddress& address,
                                         const ReaderOptions& options) {
  return std::make_unique<CameraReader>(address, options);
}

}  // namespace mpm::monitor

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>

#include "models/scenes/camera.h"
#include "monitor/source/readers.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kPaceMs = 100;

class SceneReader : public GuardedReader {
 public:
  using GuardedReader::GuardedReader;

  bool isLive() const override { return false; }
  double paceMs() const override { return static_cast<double>(kPaceMs); }

 protected:
  bool openSource() override {
    scene_ = scenes::parseSceneAddress(address().text);
    if (!fits(scene_.size)) return false;
    camera_ = std::make_unique<scenes::Camera>(scene_);
    index_ = 0;
    return true;
  }

  ReadStatus readSource(Shot& shot) override {
    const std::int64_t positionMs = index_ * kPaceMs;
    const double seconds = static_cast<double>(positionMs) / 1000;
    camera_->shoot(scene_.start + scene_.clock * seconds, shot.picture, labels_);
    shot.positionMs = positionMs;
    ++index_;
    return ReadStatus::frame;
  }

  bool seekSource(std::int64_t positionMs) override {
    index_ = std::max<std::int64_t>(0, positionMs / kPaceMs);
    return true;
  }

 private:
  scenes::CameraOptions scene_;
  std::unique_ptr<scenes::Camera> camera_;
  cv::Mat labels_;
  std::int64_t index_ = 0;  // of the next frame
};

}  // namespace

void checkSceneAddress(const std::string& text) { scenes::parseSceneAddress(text); }

std::unique_ptr<Reader> makeSceneReader(const SourceAddress& address,
                                        const ReaderOptions& options) {
  return std::make_unique<SceneReader>(address, options);
}

}  // namespace mpm::monitor

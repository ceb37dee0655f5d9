// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/readers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <opencv2/videoio.hpp>
#include <opencv2/videoio/registry.hpp>

#include "monitor/source/guarded_reader.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr double kUsualFps = 25, kMostFps = 1000;
constexpr double kWholeShare = 0.9;  // of the frames that a file promises

std::string seconds(double ms) { return cv::format("%.1f s", ms / 1000); }

class VideoReader : public GuardedReader {
 public:
  using GuardedReader::GuardedReader;

  bool isLive() const override { return false; }
  double paceMs() const override { return paceMs_; }

 protected:
  bool openSource() override {
    given_ = 0;
    positionMs_ = -1;
    return checkFile() && openVideo();
  }

  ReadStatus readSource(Shot& shot) override {
    for (;;) {
      const double before = video_.get(cv::CAP_PROP_POS_MSEC);
      if (!video_.grab()) {
        if (given_ == 0)
          return fail("no picture can be read from " + address().shown +
                      ": it is broken or not a video");
        if (!options().loop) return ended();
        if (!openSource()) return ReadStatus::failed;
        continue;
      }
      cv::Mat picture = shot.room;              // OpenCV writes into one that has the size
      if (!video_.retrieve(picture)) continue;  // a broken one between good ones
      shot.picture = bgrOf(picture);
      if (shot.picture.empty()) continue;
      ++given_;
      shot.positionMs = notePosition(before);
      return ReadStatus::frame;
    }
  }

  bool seekSource(std::int64_t positionMs) override {
    double target = std::max(0.0, static_cast<double>(positionMs));
    if (const int frames = promised(); frames > 0) {
      target = std::min(target, (frames - 1) * paceMs_);
    }
    if (!video_.set(cv::CAP_PROP_POS_MSEC, target)) return false;
    positionMs_ = -1;
    return true;
  }

 private:
  bool checkFile() {
    std::error_code error;
    const fs::file_status status = fs::status(address().text, error);
    if (!fs::exists(status)) return refuse("there is no file " + address().shown);
    if (fs::is_directory(status)) {
      return refuse(address().shown + " is a folder; a video is one file");
    }
    if (fs::is_regular_file(status) && fs::file_size(address().text, error) == 0 && !error) {
      return refuse("the file " + address().shown + " is empty");
    }
    return true;
  }

  bool openVideo() {
    // With its whole path, since FFmpeg takes what stands before a colon for a protocol. Left to
    // itself OpenCV would hand the name to every camera driver that it knows.
    const std::string path = fs::absolute(address().text).string();
    // GStreamer can wait for ever on a file that is broken, and reads nothing that FFmpeg does not.
    const int main =
        cv::videoio_registry::hasBackend(cv::CAP_FFMPEG) ? cv::CAP_FFMPEG : cv::CAP_GSTREAMER;
    for (const int backend : {main, static_cast<int>(cv::CAP_OPENCV_MJPEG)}) {
      if (!video_.open(path, backend)) continue;
      const cv::Size size(static_cast<int>(video_.get(cv::CAP_PROP_FRAME_WIDTH)),
                          static_cast<int>(video_.get(cv::CAP_PROP_FRAME_HEIGHT)));
      if (!fits(size)) return false;
      tellsNext_ = backend == cv::CAP_OPENCV_MJPEG;
      const double fps = video_.get(cv::CAP_PROP_FPS);
      paceMs_ = 1000 / (fps > 0 && fps <= kMostFps ? fps : kUsualFps);
      return true;
    }
    return refuse("the file " + address().shown + " is not a video that can be read");
  }

  // Where the picture stands that was read last. Files without times, or with times that do not
  // grow, are taken to be of one pace.
  std::int64_t notePosition(double before) {
    const double told = tellsNext_ ? before : video_.get(cv::CAP_PROP_POS_MSEC);
    const bool sound = std::isfinite(told) && told >= 0 && told > positionMs_;
    positionMs_ = sound ? told : std::max(0.0, positionMs_ + paceMs_);
    return std::llround(positionMs_);
  }

  int promised() const { return promisedFrames(video_.get(cv::CAP_PROP_FRAME_COUNT)); }

  ReadStatus ended() {
    const double promisedMs = promised() * paceMs_;
    if (positionMs_ + paceMs_ < promisedMs * kWholeShare) {
      tell("the file " + address().shown + " ends after " + seconds(positionMs_ + paceMs_) +
           ", although it should be " + seconds(promisedMs) + " long: it is broken or cut off");
    }
    return ReadStatus::ended;
  }

  cv::VideoCapture video_;
  double paceMs_ = 1000 / kUsualFps;
  bool tellsNext_ = false;   // the position is that of the next picture
  std::uint64_t given_ = 0;  // since it was opened or began again
  double positionMs_ = -1;   // of the newest picture; -1: none yet
};

}  // namespace

std::unique_ptr<Reader> makeVideoReader(const SourceAddress& address,
                                        const ReaderOptions& options) {
  return std::make_unique<VideoReader>(address, options);
}

}  // namespace mpm::monitor

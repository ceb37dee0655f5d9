// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <opencv2/videoio.hpp>
#include <opencv2/videoio/registry.hpp>
#include <vector>

#include "monitor/source/cameras.h"
#include "monitor/source/readers.h"

namespace mpm::monitor {
namespace {

/// Common part of cameras, streams and pipelines: cv::VideoCapture delivers frames as they come. An
/// occasional broken frame is skipped.
class LiveReader : public GuardedReader {
 public:
  using GuardedReader::GuardedReader;

  bool isLive() const override { return true; }

 protected:
  ReadStatus readSource(Shot& shot) override {
    for (int broken = 0; broken < kMostBroken; ++broken) {
      if (!video_.grab()) return fail(silence());
      cv::Mat picture = shot.room;  // OpenCV writes into one that has the size
      if (!video_.retrieve(picture)) continue;
      shot.picture = bgrOf(picture);
      if (shot.picture.empty()) continue;
      return ReadStatus::frame;
    }
    return fail(address().shown + " gives frames, but none can be read");
  }
  /// Returns the message for a missing frame.
  virtual std::string silence() const = 0;

  cv::VideoCapture& video() { return video_; }
  /// Tells whether the opened source delivers pictures that may be read, as far as it says.
  bool openedFits() {
    const cv::Size size(static_cast<int>(video_.get(cv::CAP_PROP_FRAME_WIDTH)),
                        static_cast<int>(video_.get(cv::CAP_PROP_FRAME_HEIGHT)));
    if (fits(size)) return true;
    video_.release();
    return false;
  }
  /// Prepares a source for being opened again.
  void forget() { video_.release(); }

 private:
  static constexpr int kMostBroken = 10;  // in a row

  cv::VideoCapture video_;
};

// Lists the cameras that exist instead of a missing one.
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
    return openedFits();
  }

  std::string silence() const override {
    return "the camera " + address().shown + " gives no more frames; is it still connected?";
  }
};

constexpr double kMostFps = 1000;

int asProperty(std::int64_t ms) {
  return static_cast<int>(std::clamp<std::int64_t>(ms, 1, std::numeric_limits<int>::max()));
}

std::string seconds(std::int64_t ms) {
  return cv::format("%.1f s", static_cast<double>(ms) / 1000);
}

class StreamReader : public LiveReader {
 public:
  using LiveReader::LiveReader;

  bool isLive() const override { return paceMs_ <= 0; }
  double paceMs() const override { return paceMs_; }

 protected:
  bool openSource() override {
    forget();
    paceMs_ = 0;
    // Uses one backend only. GStreamer opens no stream that FFmpeg cannot, and has no time limit.
    // With OpenCV 4.6 it leaks memory for each address that does not open, and cameras stay away
    // for weeks.
    if (!cv::videoio_registry::hasBackend(cv::CAP_FFMPEG)) {
      return video().open(address().text, cv::CAP_GSTREAMER) ? openedFits() : refuseUnopened();
    }
    const auto start = std::chrono::steady_clock::now();
    if (openWithFFmpeg()) {
      noteOpened();
      return openedFits();
    }
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start);
    if (took.count() * 10 >= options().openTimeoutMs * 8) {
      return refuse(address().shown + " did not answer within " + seconds(options().openTimeoutMs));
    }
    return refuseUnopened();
  }

  ReadStatus readSource(Shot& shot) override {
    const ReadStatus status = LiveReader::readSource(shot);
    if (status == ReadStatus::frame) {
      ++given_;
      return status;
    }
    // A recording at its end, not one that cannot be read.
    return !isLive() && given_ > 0 ? ReadStatus::ended : status;
  }

  std::string silence() const override {
    return address().shown + " gave no frame for " + seconds(options().readTimeoutMs) +
           ", or closed the connection" +
           (isSizeKnown_ ? ""
                         : cv::format("; its pictures may be broken, or have more than %g "
                                      "megapixels (--max-megapixels allows more)",
                                      options().mostMegapixels));
  }

 private:
  bool refuseUnopened() {
    return refuse(address().shown +
                  " cannot be opened; is it switched on, and are host, path, user "
                  "and password right?");
  }

  bool openWithFFmpeg() {
    const std::vector<int> limits = {
        cv::CAP_PROP_OPEN_TIMEOUT_MSEC, asProperty(options().openTimeoutMs),
        cv::CAP_PROP_READ_TIMEOUT_MSEC, asProperty(options().readTimeoutMs)};
    return video().open(address().text, cv::CAP_FFMPEG, limits);
  }

  void noteOpened() {
    given_ = 0;
    isSizeKnown_ = video().get(cv::CAP_PROP_FRAME_WIDTH) > 0;
    // Paces a file on a web server, which knows its length and would come as fast as the network.
    const int frames = promisedFrames(video().get(cv::CAP_PROP_FRAME_COUNT));
    const double fps = video().get(cv::CAP_PROP_FPS);
    if (address().text.rfind("http", 0) == 0 && frames > 1 && fps > 0 && fps <= kMostFps) {
      paceMs_ = 1000 / fps;
    }
  }

  double paceMs_ = 0;  // of a recording; 0: it is live
  bool isSizeKnown_ = true;
  std::uint64_t given_ = 0;
};

class PipelineReader : public LiveReader {
 public:
  using LiveReader::LiveReader;

 protected:
  bool openSource() override {
    forget();
    if (!cv::videoio_registry::hasBackend(cv::CAP_GSTREAMER)) {
      return refuse("this OpenCV was built without GStreamer, so " + address().shown +
                    " cannot be opened");
    }
    constexpr std::size_t kPrefix = 4;  // gst:
    if (video().open(address().text.substr(kPrefix), cv::CAP_GSTREAMER)) return openedFits();
    return refuse(
        address().shown +
        " cannot be opened; does gst-launch-1.0 run it with fakesink in place of appsink?");
  }

  std::string silence() const override { return address().shown + " gives no more frames"; }
};

}  // namespace

std::unique_ptr<Reader> makeCameraReader(const SourceAddress& address,
                                         const ReaderOptions& options) {
  return std::make_unique<CameraReader>(address, options);
}

std::unique_ptr<Reader> makeStreamReader(const SourceAddress& address,
                                         const ReaderOptions& options) {
  return std::make_unique<StreamReader>(address, options);
}

std::unique_ptr<Reader> makePipelineReader(const SourceAddress& address,
                                           const ReaderOptions& options) {
  return std::make_unique<PipelineReader>(address, options);
}

}  // namespace mpm::monitor

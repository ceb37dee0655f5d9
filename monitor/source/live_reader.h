// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/videoio.hpp>

#include "monitor/source/guarded_reader.h"

namespace mpm::monitor {

/// What cameras, streams and pipelines have in common: frames come from cv::VideoCapture whenever
/// there are some. A broken one now and then is passed over.
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
  /// What to say when no frame came.
  virtual std::string silence() const = 0;

  cv::VideoCapture& video() { return video_; }
  /// Whether what was opened gives pictures that may be read, as far as it tells.
  bool openedFits() {
    const cv::Size size(static_cast<int>(video_.get(cv::CAP_PROP_FRAME_WIDTH)),
                        static_cast<int>(video_.get(cv::CAP_PROP_FRAME_HEIGHT)));
    if (fits(size)) return true;
    video_.release();
    return false;
  }
  /// For a source that is opened again.
  void forget() { video_.release(); }

 private:
  static constexpr int kMostBroken = 10;  // in a row

  cv::VideoCapture video_;
};

}  // namespace mpm::monitor

// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/live_reader.h"

#include "monitor/source/bgr.h"

namespace mpm::monitor {
namespace {

constexpr int kMostBroken = 10;           // in a row
constexpr std::uint64_t kGainEvery = 30;  // frames: asking takes a call of the driver

}  // namespace

void LiveReader::forget() {
  video_.release();
  frames_ = 0;
  gain_.reset();
}

ReadStatus LiveReader::readSource(Shot& shot) {
  for (int broken = 0; broken < kMostBroken; ++broken) {
    if (!video_.grab()) return fail(silence());
    cv::Mat picture;  // a new one each time: OpenCV writes into one that has the size
    if (!video_.retrieve(picture)) continue;
    shot.picture = bgrOf(picture);
    if (shot.picture.empty()) continue;
    if (frames_++ % kGainEvery == 0) gain_ = askGain();
    shot.gain = gain_;
    return ReadStatus::frame;
  }
  return fail(address().shown + " gives frames, but none that can be read");
}

}  // namespace mpm::monitor

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
  ReadStatus readSource(Shot& shot) override;
  /// Once in a while behind a frame.
  virtual std::optional<double> askGain() { return {}; }
  /// What to say when no frame came.
  virtual std::string silence() const = 0;

  cv::VideoCapture& video() { return video_; }
  /// For a source that is opened again.
  void forget();

 private:
  cv::VideoCapture video_;
  std::uint64_t frames_ = 0;
  std::optional<double> gain_;
};

}  // namespace mpm::monitor

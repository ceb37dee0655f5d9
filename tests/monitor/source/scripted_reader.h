// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "monitor/says.h"
#include "monitor/source/capture.h"

namespace mpm::test {

/// What hangs, hangs here until it is let go.
class Gate {
 public:
  void wait();
  void open();
  int waiting() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
  int waiting_ = 0;
};

/// What the readers of a test do. `attempt` counts readers from 0, `frame` reads of one from 0.
struct Script {
  std::function<bool(int attempt)> open = [](int) { return true; };
  std::function<monitor::ReadStatus(int attempt, int frame, monitor::Shot& shot)> read;
  std::function<bool(std::int64_t positionMs, int& frame)> seek;  ///< says which frame comes next
  std::string fault = "the script says so";
  bool live = true;
  double paceMs = 0;
};

/// The readers of one script: how many there were, and how many there are. Readers may outlive
/// it, as they do a capture.
class Stage {
 public:
  explicit Stage(Script script);
  ~Stage();  ///< waits until no reader is left: let go what hangs before

  monitor::Capture::MakeReader maker() const;
  int made() const;
  int alive() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
  friend class ScriptedReader;
};

/// A picture that tells its number, and differs from those beside it.
cv::Mat numbered(int number, cv::Size size = {8, 6});
int numberOf(const cv::Mat& picture);

/// Only to end a test that fails.
constexpr std::chrono::milliseconds kLong{120000};

/// Short waits, so that failures do not take long. A reader that is slow to begin, as on a busy
/// machine, is not abandoned.
monitor::CaptureOptions quick();

}  // namespace mpm::test

// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/scripted_reader.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace mpm::test {

using monitor::Reader;
using monitor::ReadStatus;
using monitor::Shot;

void Gate::wait() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  opened_.wait(lock, [&] { return open_; });
  --waiting_;
}

void Gate::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  opened_.notify_all();
}

int Gate::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

struct Stage::State {
  Script script;
  std::mutex mutex;
  std::condition_variable changed;
  int made = 0, alive = 0;
};

class ScriptedReader : public Reader {
 public:
  explicit ScriptedReader(std::shared_ptr<Stage::State> state) : state_(std::move(state)) {
    const std::lock_guard lock(state_->mutex);
    attempt_ = state_->made++;
    ++state_->alive;
  }
  ~ScriptedReader() override {
    const std::lock_guard lock(state_->mutex);
    --state_->alive;
    state_->changed.notify_all();
  }

  bool open() override { return state_->script.open(attempt_); }
  ReadStatus read(Shot& shot) override { return state_->script.read(attempt_, frame_++, shot); }
  const std::string& fault() const override { return state_->script.fault; }
  bool isLive() const override { return state_->script.live; }
  double paceMs() const override { return state_->script.paceMs; }
  bool seek(std::int64_t positionMs) override {
    return state_->script.seek && state_->script.seek(positionMs, frame_);
  }

 private:
  std::shared_ptr<Stage::State> state_;
  int attempt_ = 0, frame_ = 0;
};

Stage::Stage(Script script) : state_(std::make_shared<State>()) {
  state_->script = std::move(script);
}

Stage::~Stage() {
  std::unique_lock lock(state_->mutex);
  // What scripts use are a test's locals: no reader may live longer.
  if (!state_->changed.wait_for(lock, std::chrono::seconds(120),
                                [&] { return state_->alive == 0; })) {
    std::cerr << "a reader never returned\n";
    std::abort();
  }
}

monitor::Capture::MakeReader Stage::maker() const {
  return [state = state_] { return std::make_unique<ScriptedReader>(state); };
}

int Stage::made() const {
  const std::lock_guard lock(state_->mutex);
  return state_->made;
}

int Stage::alive() const {
  const std::lock_guard lock(state_->mutex);
  return state_->alive;
}

cv::Mat numbered(int number, cv::Size size) {
  cv::Mat picture(size, CV_8UC3, cv::Scalar::all(0));
  picture.at<cv::Vec3b>(0, 0) = {static_cast<uchar>(number), static_cast<uchar>(number >> 8),
                                 static_cast<uchar>(number >> 16)};
  return picture;
}

int numberOf(const cv::Mat& picture) {
  const auto pixel = picture.at<cv::Vec3b>(0, 0);
  return pixel[0] + (pixel[1] << 8) + (pixel[2] << 16);
}

monitor::CaptureOptions quick() {
  monitor::CaptureOptions options;
  options.firstWaitMs = 1;
  options.longestWaitMs = 4;
  options.reader.abandonAfterMs = 600'000;
  return options;
}

}  // namespace mpm::test

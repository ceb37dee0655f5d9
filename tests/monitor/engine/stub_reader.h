// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <thread>
#include <utility>

#include "monitor/source/reader.h"

namespace mpm::test {

/// Where reads hang while `hangs`. It may outlive a test that leaves readers behind.
struct StubHang {
  std::atomic<bool> hangs{false};
  std::atomic<int> waiting{0};
};

/// Grey pictures, as many as asked for; each is a little brighter than the one before.
struct StubReaderPlan {
  int frames = 10;            ///< then it ends
  std::int64_t stepMs = 100;  ///< from frame to frame
  cv::Size size{64, 48};
  bool live = false;
  int liveMs = 5;                    ///< of a live one: how long a read takes
  std::shared_ptr<StubHang> hang{};  ///< may be null
};

class StubReader : public monitor::Reader {
 public:
  explicit StubReader(const StubReaderPlan& plan) : plan_(plan) {}

  bool open() override { return true; }
  monitor::ReadStatus read(monitor::Shot& shot) override {
    if (plan_.hang && plan_.hang->hangs) {
      ++plan_.hang->waiting;
      while (plan_.hang->hangs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --plan_.hang->waiting;
    }
    if (next_ >= plan_.frames) return monitor::ReadStatus::ended;
    if (plan_.live) std::this_thread::sleep_for(std::chrono::milliseconds(plan_.liveMs));
    shot.picture = cv::Mat(plan_.size, CV_8UC3, cv::Scalar::all(next_ * 7 % 256));
    if (!plan_.live) shot.positionMs = next_ * plan_.stepMs;
    ++next_;
    return monitor::ReadStatus::frame;
  }
  const std::string& fault() const override { return fault_; }
  bool isLive() const override { return plan_.live; }

 private:
  StubReaderPlan plan_;
  int next_ = 0;
  std::string fault_;
};

/// A file of so many pictures, `stepMs` apart, each of which `make` gives by its number.
class MadeReader : public monitor::Reader {
 public:
  MadeReader(int frames, std::int64_t stepMs, std::function<cv::Mat(int frame)> make)
      : frames_(frames), stepMs_(stepMs), make_(std::move(make)) {}

  bool open() override { return true; }
  monitor::ReadStatus read(monitor::Shot& shot) override {
    if (next_ == frames_) return monitor::ReadStatus::ended;
    shot.picture = make_(next_);
    shot.positionMs = next_++ * stepMs_;
    return monitor::ReadStatus::frame;
  }
  const std::string& fault() const override { return fault_; }
  bool isLive() const override { return false; }

 private:
  int frames_, next_ = 0;
  std::int64_t stepMs_;
  std::function<cv::Mat(int)> make_;
  std::string fault_;
};

}  // namespace mpm::test

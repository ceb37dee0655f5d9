// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "monitor/engine/network.h"

namespace mpm::test {

/// A network without a net: a pixel's class is its brightness in quarters, and the more of it is
/// bright the fewer rows are left.
/// With `remembers`, of a frame that need not be full 8 of 64 patches are computed.
class StubNetwork : public monitor::Network {
 public:
  class StubMemory : public Memory {
   public:
    explicit StubMemory(StubNetwork& network) : network_(network) {}
    Segmentation segment(const cv::Mat& picture) override {
      Segmentation result = network_.segment(picture);
      const int places = kGrid * kGrid;
      const bool isFull = std::exchange(audits_, false) || !filled_;
      result.memory = {places, isFull ? places : 8, isFull ? 0 : 5, std::nullopt};
      if (isFull && filled_) result.memory.agreement = 0.75;
      filled_ = true;
      if (isFull) return result;
      result.rows.assign(result.rows.size(), 9);
      result.mergeMap.release();
      return result;
    }
    void forget() override {
      filled_ = false;
      ++network_.forgotten;
    }
    void audit() override { audits_ = true; }

   private:
    StubNetwork& network_;
    bool filled_ = false, audits_ = false;
  };

  static constexpr int kGrid = 8, kClasses = 4, kBlocks = 6;

  Segmentation segment(const cv::Mat& picture) override {
    ++segmented;
    if (failing) throw std::runtime_error("the net is out of order");
    Segmentation result;
    cv::Mat grey;
    cv::cvtColor(picture, grey, cv::COLOR_BGR2GRAY);
    // One after the other: how OpenCV's threads meet is hidden from ThreadSanitizer.
    for (int y = 0; y < grey.rows; ++y) {
      for (int x = 0; x < grey.cols; ++x) grey.at<uchar>(y, x) /= 64;
    }
    result.labels = grey;
    result.confidence = cv::Mat(picture.size(), CV_32F, cv::Scalar(0.5));
    const int tokens = kGrid * kGrid;
    result.rows = {1 + tokens};
    for (std::size_t i = 0; i < schedule_.size(); ++i) {
      const int merged = static_cast<int>(cv::mean(picture)[0] / 16) + 1;
      result.rows.push_back(result.rows.back() - merged);
    }
    result.mergeMap = cv::Mat::zeros(kGrid, kGrid, CV_32S);
    result.times = {1, 2, 3};
    return result;
  }
  Segmentation segmentFull(const cv::Mat& picture) override {
    const Schedule merging = std::exchange(schedule_, {});
    Segmentation result = segment(picture);
    schedule_ = merging;
    return result;
  }
  std::vector<std::string> classes() const override { return {"dark", "dim", "light", "bright"}; }
  std::vector<cv::Vec3b> palette() const override {
    return {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
  }
  Schedule schedule() override { return schedule_; }
  void setSchedule(const Schedule& blocks) override {
    blocks.check(mergeable);
    schedule_ = blocks;
  }
  int blocks() const override { return kBlocks; }
  std::string reason() const override { return {}; }
  int specialRows() const override { return 1; }
  cv::Size input() const override { return {64, 64}; }
  std::unique_ptr<Memory> makeMemory() override { return std::make_unique<StubMemory>(*this); }
  std::string memoryFault() const override { return remembers ? "" : "it is a stub"; }
  std::string taught() const override { return taughtFrom; }

  std::string taughtFrom;
  bool remembers = false;
  std::vector<int> mergeable{0, 1, 2, 3, 4, 5};  ///< fewer, as of a converted file
  std::atomic<int> forgotten{0};
  std::atomic<int> segmented{0};
  std::atomic<bool> failing{false};

 private:
  Schedule schedule_{2, 5};
};

}  // namespace mpm::test

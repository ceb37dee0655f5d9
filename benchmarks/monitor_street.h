// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "monitor/engine/network.h"
#include "monitor/rules/rules.h"
#include "monitor/source/reader.h"

namespace mpm::bench {

/// Some seconds of a drawn street with its labels, made before anything is timed.
struct Street {
  explicit Street(cv::Size size);
  std::vector<cv::Mat> pictures;
  std::vector<Segmentation> found;  ///< what a net would say, with two merges
  std::vector<std::string> classes;
};

/// Three zones, and rules that look at them and at the whole picture; one keeps clips.
monitor::RuleBook streetRules();

/// A camera of ten frames a second that shows the street again and again.
class StreetReader : public monitor::Reader {
 public:
  StreetReader(const Street& street, std::atomic<double>& cpuMs) : street_(street), cpuMs_(cpuMs) {}
  bool open() override;
  monitor::ReadStatus read(monitor::Shot& shot) override;
  const std::string& fault() const override { return fault_; }
  bool isLive() const override { return true; }

 private:
  const Street& street_;
  std::atomic<double>& cpuMs_;  ///< that its reads took
  std::int64_t next_ = 0, firstMs_ = 0;
  std::string fault_;
};

/// A net that costs nothing: it knows the street.
class StreetNetwork : public monitor::Network {
 public:
  explicit StreetNetwork(const Street& street) : street_(street) {}
  Segmentation segment(const cv::Mat& picture) override;
  Segmentation segmentFull(const cv::Mat& picture) override { return segment(picture); }
  std::vector<std::string> classes() const override { return street_.classes; }
  std::vector<cv::Vec3b> palette() const override;
  Schedule schedule() override { return {2, 5}; }
  void setSchedule(const Schedule& /*blocks*/) override {}
  int blocks() const override { return 12; }
  std::string reason() const override { return {}; }
  int specialRows() const override { return 1; }
  cv::Size input() const override { return {64, 64}; }
  std::unique_ptr<Memory> makeMemory() override { return nullptr; }
  std::string memoryFault() const override { return "it remembers the street anyway"; }

 private:
  const Street& street_;
  std::size_t next_ = 0;
};

}  // namespace mpm::bench

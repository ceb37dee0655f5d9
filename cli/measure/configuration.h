// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/measure/timing.h"
#include "mpm/net.h"

namespace mpm::cli {

/// A net with its input, and what of it people want.
struct LoadedNet {
  cv::dnn::Net net;
  cv::Mat blob;
  std::vector<cv::String> outputs;  ///< the model's own
  segment::StepProfile profile;

  LoadedNet(cv::dnn::Net loaded, cv::Mat input, const Description& model);

  /// One frame: what its outputs are, until the next one.
  std::vector<cv::Mat> forward();

 private:
  std::vector<cv::Mat> results_;  // of several outputs
};

/// One way to run a model: a net, which several configurations may share, and a schedule.
class Configuration {
 public:
  std::string name, precision, device = "cpu";
  Schedule schedule;
  std::optional<double> labels;  ///< as BenchReport::Row has it

  Configuration(std::string name, std::string precision, Schedule schedule,
                std::shared_ptr<LoadedNet> net, int rowsBefore);

  /// Images in a forward of the net. Times are of one of them.
  int images() const { return net_->blob.size[0]; }

  /// The outputs of a frame. std::runtime_error where one of them is not finite.
  std::vector<cv::Mat> check();

  /// Runs a frame, or a batch of them; gives a frame's time and keeps where it went.
  double runMs();

  /// Forgets where the time of frames until now went.
  void forget() { steps_.clear(); }

  /// Live rows before all merges and behind each, special ones included, in the last frame (of the
  /// first image of a batch). Empty where the net has no encoder.
  const std::vector<int>& rows() const { return rows_; }

  /// The median of each step over all frames that it kept.
  StepTimes medianSteps() const;

 private:
  std::shared_ptr<LoadedNet> net_;
  int rowsBefore_;
  std::vector<int> rows_;
  std::vector<StepTimes> steps_;

  void keepRows();
};

/// A model as OpenCV itself reads it.
struct OpenCvPeer {
  std::shared_ptr<LoadedNet> net;  ///< null: there is nothing to time
  std::string why;                 ///< then: "does not load it", ..., or how wrong its result is
};

/// Reads the model with cv::dnn::readNetFromONNX. Its result is right where no value differs from
/// `expected`, one for each output, by more than 1e-3 of that output's largest.
OpenCvPeer readOpenCvPeer(const std::string& path, const cv::Mat& blob, const Description& model,
                          const std::vector<cv::Mat>& expected);

/// The class with the largest score at each place of [N x K x H x W], K of 2 or more; nothing of
/// any other tensor.
cv::Mat labelsOf(const cv::Mat& scores);

/// The largest difference of two tensors relative to the largest value of `expected`; infinite
/// where their numbers of values differ or one of `given` is not finite.
double largestDifference(const cv::Mat& given, const cv::Mat& expected);

}  // namespace mpm::cli

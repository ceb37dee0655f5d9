// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "cli/measure/steps.h"
#include "mpm/net.h"

namespace mpm::cli {

/// A net with its input, and what of it people want.
struct LoadedNet {
  cv::dnn::Net net;
  cv::Mat blob;
  std::vector<cv::String> outputs;  ///< the model's own
  Steps steps;

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
  std::vector<int> schedule;

  Configuration(std::string name, std::string precision, std::vector<int> schedule,
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

}  // namespace mpm::cli

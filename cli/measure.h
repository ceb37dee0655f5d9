// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mpm/net.h"
#include "segment/forward_watch.h"

namespace mpm::cli {

/// Where something was measured.
struct Machine {
  std::string processor;  ///< as the system names it
  std::string device;     ///< what computes beside it: "NVIDIA H200"; empty: nothing does
  int cores = 0;          ///< that this process may use
  int threads = 0;        ///< that compute
  double memoryGiB = 0;   ///< 0: the system does not tell
  std::string system;     ///< "Debian GNU/Linux 12 (bookworm)"; empty where it does not tell
};

Machine thisMachine(const std::string& device, int threads);

/// "NVIDIA H200, AMD EPYC 9654, 2 threads"
std::string nameOf(const Machine& machine);

/// {"processor", "cores", "memory_gib", "system", "opencv"}, and "device" where there is one;
/// without threads, which stand beside it.
nlohmann::ordered_json machineJson(const Machine& machine);

/// How long to measure.
struct RoundCount {
  int wanted = 0;  ///< rounds; 0: as many as take `budgetMs`, but no fewer and no more than these
  double budgetMs = 15000;
  int least = 7, most = 101;
};

/// Runs things A, B, C, A, B, C, ...: what else the machine does meets all of them. `runMs(i)`
/// runs thing i once and gives its time; `onProgress` is told the share that is done, from 0 to 1.
/// Gives each thing's times, one for each round.
std::vector<std::vector<double>> measureInRounds(std::size_t things, const RoundCount& rounds,
                                                 const std::function<double(std::size_t)>& runMs,
                                                 const std::function<void(double)>& onProgress);

/// What many runs of one thing took.
struct Times {
  double medianMs = 0, p95Ms = 0, slowestMs = 0;
  double ratio = 0;  ///< to the reference: the median of the ratios within each round
};

/// `referenceMs`: the times of what it is compared with, in the same rounds.
Times summarise(const std::vector<double>& ms, const std::vector<double>& referenceMs);

/// What a frame's time goes to: the kinds of NetworkStep, a decoder being part of the head.
constexpr std::array<const char*, 6> kStepNames = {"patch_embed", "blocks", "merges",
                                                   "restore",     "head",   "rest"};

/// Of each step, in milliseconds.
using StepTimes = std::array<double, kStepNames.size()>;

/// Where the net's last forward spent its `frameMs`: by OpenCV's profile, and what that leaves over
/// is the rest.
StepTimes timesOfLastForward(segment::StepProfile& profile, cv::dnn::Net& net, double frameMs);

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

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

/// Machine of a measurement.
struct Machine {
  std::string processor;  ///< as the system names it
  std::string device;     ///< what computes beside it: "NVIDIA H200"; empty: nothing does
  int cores = 0;          ///< that this process may use
  int threads = 0;        ///< that compute
  double memoryGiB = 0;   ///< 0: the system does not tell
  std::string system;     ///< "Debian GNU/Linux 12 (bookworm)"; empty where it does not tell
};

Machine thisMachine(const std::string& device, int threads);

/// Returns "NVIDIA H200, AMD EPYC 9654, 2 threads".
std::string nameOf(const Machine& machine);

/// Returns {"processor", "cores", "memory_gib", "system", "opencv"}, and "device" if there is one,
/// without threads, which are listed separately.
nlohmann::ordered_json machineJson(const Machine& machine);

/// Duration of a measurement.
struct RoundCount {
  int wanted = 0;  ///< rounds; 0: as many as take `budgetMs`, but no fewer and no more than these
  double budgetMs = 15000;
  int least = 7, most = 101;
};

/// Runs things alternately, A, B, C, A, B, C, ..., so that other load affects all of them.
/// `runMs(i)` runs thing i once and returns its time; `onProgress` receives the share that is done,
/// from 0 to 1. Returns each thing's times, one for each round.
std::vector<std::vector<double>> measureInRounds(std::size_t things, const RoundCount& rounds,
                                                 const std::function<double(std::size_t)>& runMs,
                                                 const std::function<void(double)>& onProgress);

/// Times of many runs of one thing.
struct Times {
  double medianMs = 0, p95Ms = 0, slowestMs = 0;
  double ratio = 0;  ///< to the reference: the median of the ratios within each round
};

/// `referenceMs` are the times of the thing to compare with, in the same rounds.
Times summarise(const std::vector<double>& ms, const std::vector<double>& referenceMs);

/// Parts of a frame's time: the kinds of NetworkStep, with a decoder in the head.
constexpr std::array<const char*, 6> kStepNames = {"patch_embed", "blocks", "merges",
                                                   "restore",     "head",   "rest"};

/// Time of each step, in milliseconds.
using StepTimes = std::array<double, kStepNames.size()>;

/// Splits the `frameMs` of the net's last forward by OpenCV's profile; the remainder is the rest.
StepTimes timesOfLastForward(segment::StepProfile& profile, cv::dnn::Net& net, double frameMs);

/// A net with its input and its relevant outputs.
struct LoadedNet {
  cv::dnn::Net net;
  cv::Mat blob;
  std::vector<cv::String> outputs;  ///< the model's own
  segment::StepProfile profile;

  LoadedNet(cv::dnn::Net loaded, cv::Mat input, const Description& model);

  /// Runs one frame. Returns its outputs, valid until the next one.
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

  /// Returns the images in a forward of the net. Times are per image.
  int images() const { return net_->blob.size[0]; }

  /// Returns the outputs of a frame. Throws std::runtime_error if one of them is not finite.
  std::vector<cv::Mat> check();

  /// Runs a frame, or a batch of them. Returns a frame's time and keeps the times of its steps.
  double runMs();

  /// Forgets the times of steps so far.
  void forget() { steps_.clear(); }

  /// Returns live rows before all merges and after each, special ones included, in the last frame
  /// (a batch's first image). Empty if the net has no encoder.
  const std::vector<int>& rows() const { return rows_; }

  /// Returns the median of each step over all frames since forget().
  StepTimes medianSteps() const;

 private:
  std::shared_ptr<LoadedNet> net_;
  int rowsBefore_;
  std::vector<int> rows_;
  std::vector<StepTimes> steps_;

  void keepRows();
};

/// A model read by OpenCV itself.
struct OpenCvPeer {
  std::shared_ptr<LoadedNet> net;  ///< null: there is nothing to time
  std::string why;                 ///< then: "does not load it", ..., or how wrong its result is
};

/// Reads the model with cv::dnn::readNetFromONNX. Its result is right if no value differs from
/// `expected`, one for each output, by more than 1e-3 of that output's largest.
OpenCvPeer readOpenCvPeer(const std::string& path, const cv::Mat& blob, const Description& model,
                          const std::vector<cv::Mat>& expected);

/// Returns the class with the largest score at each place of [N x K x H x W], K >= 2; an empty
/// matrix for any other tensor.
cv::Mat labelsOf(const cv::Mat& scores);

/// Returns the largest difference of two tensors relative to the largest value of `expected`. It is
/// infinite if their sizes differ or `given` is not finite.
double largestDifference(const cv::Mat& given, const cv::Mat& expected);

}  // namespace mpm::cli

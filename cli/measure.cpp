// SPDX-License-Identifier: Apache-2.0
#include "cli/measure.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/version.hpp>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/wording.h"
#include "dnn/host.h"
#include "tune/median.h"

namespace mpm::cli {

namespace {

// Reads a field of a file with "name: value" or name="value" lines; empty if it is missing.
std::string field(const char* path, const std::string& name, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t end = line.find(separator);
    if (!line.starts_with(name) || end == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t\"", end + 1);
    const std::size_t last = line.find_last_not_of(" \t\"");
    if (first != std::string::npos && first <= last) return line.substr(first, last + 1 - first);
  }
  return "";
}

}  // namespace

std::string nameOf(const Machine& machine) {
  return (machine.device.empty() ? "" : machine.device + ", ") + machine.processor + ", " +
         countText(machine.threads, "thread");
}

nlohmann::ordered_json machineJson(const Machine& machine) {
  nlohmann::ordered_json json = {{"processor", machine.processor},
                                 {"cores", machine.cores},
                                 {"memory_gib", rounded(machine.memoryGiB)},
                                 {"system", machine.system},
                                 {"opencv", CV_VERSION}};
  if (!machine.device.empty()) json["device"] = machine.device;
  return json;
}

Machine thisMachine(const std::string& device, int threads) {
  Machine machine;
  machine.device = device;
  machine.threads = threads;
  machine.processor = field("/proc/cpuinfo", "model name", ':');
  if (machine.processor.empty()) machine.processor = field("/proc/cpuinfo", "Model", ':');  // Arm
  if (machine.processor.empty()) machine.processor = "unknown processor";
  machine.cores = std::max(1, cv::getNumberOfCPUs());
  std::istringstream kibibytes(field("/proc/meminfo", "MemTotal", ':'));
  double number = 0;
  if (kibibytes >> number) machine.memoryGiB = number / (1 << 20);
  machine.system = field("/etc/os-release", "PRETTY_NAME", '=');
  return machine;
}

std::vector<std::vector<double>> measureInRounds(std::size_t things, const RoundCount& rounds,
                                                 const std::function<double(std::size_t)>& runMs,
                                                 const std::function<void(double)>& onProgress) {
  std::vector<std::vector<double>> ms(things);
  double spentMs = 0;
  const auto share = [&](int done) {
    if (rounds.wanted > 0) return static_cast<double>(done) / rounds.wanted;
    return std::max(std::min(spentMs / rounds.budgetMs, static_cast<double>(done) / rounds.least),
                    static_cast<double>(done) / rounds.most);
  };
  for (int round = 0; share(round) < 1; ++round) {
    for (std::size_t thing = 0; thing < things; ++thing) {
      ms[thing].push_back(runMs(thing));
      spentMs += ms[thing].back();
    }
    onProgress(std::min(share(round + 1), 1.0));
  }
  return ms;
}

Times summarise(const std::vector<double>& ms, const std::vector<double>& referenceMs) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < std::min(ms.size(), referenceMs.size()); ++round)
    ratios.push_back(ms[round] / referenceMs[round]);
  return {tune::median(ms), tune::quantile(ms, 0.95), tune::quantile(ms, 1), tune::median(ratios)};
}

StepTimes timesOfLastForward(segment::StepProfile& profile, cv::dnn::Net& net, double frameMs) {
  constexpr std::array<std::size_t, 7> kPlaces = {0, 1, 2, 3, 4, 4, 5};  // of each StepKind
  std::vector<NetworkStep> steps;
  profile.addLastForward(net, frameMs, steps);
  StepTimes ms{};
  for (const NetworkStep& step : steps) ms[kPlaces[static_cast<std::size_t>(step.kind)]] += step.ms;
  return ms;
}

LoadedNet::LoadedNet(cv::dnn::Net loaded, cv::Mat input, const Description& model)
    : net(std::move(loaded)), blob(std::move(input)) {
  for (const Description::Blob& output : model.outputs) outputs.emplace_back(output.name);
}

// Keeps the blobs of several outputs: OpenCV copies each into them, and the first touch of new
// memory takes as long as a small network. A single output is the net's own memory.
std::vector<cv::Mat> LoadedNet::forward() {
  net.setInput(blob);
#if CV_VERSION_MAJOR >= 5
  // By names, OpenCV 5 computes and copies all outputs.
  std::vector<std::vector<cv::Mat>> values;
  dnn::forwardTo(net, outputs, values);
  results_.clear();
  for (const std::vector<cv::Mat>& value : values) results_.push_back(value[0]);
#else
  if (outputs.size() == 1) return {net.forward(outputs.front())};
  net.forward(results_, outputs);
#endif
  return results_;
}

Configuration::Configuration(std::string itsName, std::string itsPrecision, Schedule itsSchedule,
                             std::shared_ptr<LoadedNet> net, int rowsBefore)
    : name(std::move(itsName)),
      precision(std::move(itsPrecision)),
      schedule(std::move(itsSchedule)),
      net_(std::move(net)),
      rowsBefore_(rowsBefore) {}

std::vector<cv::Mat> Configuration::check() {
  if (rowsBefore_ > 0) setSchedule(net_->net, schedule);
  std::vector<cv::Mat> outputs;
  for (const cv::Mat& output : net_->forward()) outputs.push_back(output.clone());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!cv::checkRange(outputs[i].reshape(1, 1))) {
      throw std::runtime_error("the output " + net_->outputs[i] + " of " + name + " in " +
                               precision +
                               " holds values that are not finite; there is nothing to time");
    }
  }
  return outputs;
}

double Configuration::runMs() {
  using Clock = std::chrono::steady_clock;
  if (rowsBefore_ > 0) setSchedule(net_->net, schedule);
  const Clock::time_point start = Clock::now();
  net_->forward();
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  steps_.push_back(timesOfLastForward(net_->profile, net_->net, ms));
  for (double& step : steps_.back()) step /= images();
  keepRows();
  return ms / images();
}

void Configuration::keepRows() {
  rows_.clear();
  if (rowsBefore_ == 0) return;
  rows_.push_back(rowsBefore_);
  for (const std::vector<int>& behind : liveRows(net_->net)) rows_.push_back(behind.at(0));
}

StepTimes Configuration::medianSteps() const {
  StepTimes medians{};
  for (std::size_t step = 0; step < medians.size(); ++step) {
    std::vector<double> ms;
    for (const StepTimes& frame : steps_) ms.push_back(frame[step]);
    medians[step] = tune::median(ms);
  }
  return medians;
}

namespace {

constexpr double kTolerance = 1e-3;

std::string inPercent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g%%", share * 100);
  return text;
}

bool hasOurLayers(cv::dnn::Net& net) {
  const std::vector<cv::String> names = net.getLayerNames();
  return std::any_of(names.begin(), names.end(), [&](const cv::String& name) {
    return net.getLayer(name)->type.starts_with("mpm.");
  });
}

// Reads in another process first: OpenCV's importers crash on some models (docs/opencv5.md).
bool survivesReading(const std::string& path) {
  constexpr unsigned kMostSeconds = 120;
  const pid_t child = fork();
  if (child < 0) return true;
  if (child == 0) {
    alarm(kMostSeconds);
    try {
      cv::dnn::readNetFromONNX(path);
    } catch (...) {  // says the parent
    }
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status);
}

}  // namespace

cv::Mat labelsOf(const cv::Mat& scores) {
  if (scores.dims != 4 || scores.type() != CV_32F || scores.size[1] < 2) return {};
  const int plane = scores.size[2] * scores.size[3];
  cv::Mat labels(scores.size[0], plane, CV_32S, cv::Scalar(0));
  for (int b = 0; b < scores.size[0]; ++b) {
    int* const best = labels.ptr<int>(b);
    std::vector<float> most(scores.ptr<float>(b), scores.ptr<float>(b) + plane);
    for (int k = 1; k < scores.size[1]; ++k) {
      const float* const values = scores.ptr<float>(b, k);
      for (int i = 0; i < plane; ++i) {
        if (!(values[i] > most[i])) continue;
        most[i] = values[i];
        best[i] = k;
      }
    }
  }
  return labels;
}

double largestDifference(const cv::Mat& given, const cv::Mat& expected) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (given.total() != expected.total() || given.type() != expected.type()) return kNone;
  const cv::Mat ours = expected.reshape(1, 1), theirs = given.reshape(1, 1);
  if (!cv::checkRange(theirs)) return kNone;
  const double largest = cv::norm(ours, cv::NORM_INF);
  const double difference = cv::norm(theirs, ours, cv::NORM_INF);
  return difference == 0 ? 0 : difference / largest;
}

OpenCvPeer readOpenCvPeer(const std::string& path, const cv::Mat& blob, const Description& model,
                          const std::vector<cv::Mat>& expected) {
  if (!survivesReading(path)) return {nullptr, "crashes while loading it"};
  std::shared_ptr<LoadedNet> net;
  try {
    net = std::make_shared<LoadedNet>(cv::dnn::readNetFromONNX(path), blob, model);
  } catch (const cv::Exception&) {
    return {nullptr, "does not load it"};
  }
  if (hasOurLayers(net->net)) return {nullptr, "cannot load it, since it is converted"};
  try {
    const std::vector<cv::Mat> outputs = net->forward();
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      worst = std::max(worst, largestDifference(outputs.at(i), expected[i]));
    if (worst <= kTolerance) return {net, ""};
    if (worst == std::numeric_limits<double>::infinity())
      return {nullptr, "computes it wrongly (another shape, or values that are not finite)"};
    return {nullptr, "computes it wrongly (largest difference " + inPercent(worst) +
                         " of the largest value)"};
  } catch (const cv::Exception&) {
    return {nullptr, "loads it but cannot run it"};
  }
}

}  // namespace mpm::cli

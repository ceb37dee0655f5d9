// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>

#include "cli/bench_plan.h"
#include "cli/measure/configuration.h"
#include "cli/measure/gemm_peak.h"
#include "cli/measure/opencv_peer.h"
#include "cli/measure/picture_blob.h"
#include "cli/read_options.h"
#include "cli/wording.h"

namespace mpm::cli {
namespace {

// Everything that is needed to set the configurations up.
struct Subject {
  const BenchPlan& plan;
  Description model;
  cv::Mat blob;
  int rowsBefore = 0;  // of all merges; 0: there are none
  std::vector<std::string> precisions;
};

Subject subjectOf(const BenchPlan& plan) {
  Subject subject{plan, describe(plan.model, plan.read), {}, 0, plan.precisions};
  const Description& model = subject.model;
  if (!model.mergeable && !plan.schedules.empty())
    throw std::runtime_error(plan.model + ": it cannot merge: " + model.reason);
  try {
    subject.blob = pictureBlob(plan.picture, model, plan.read.inputSize);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(plan.model + ": " + error.what());
  }
  if (!model.mergeable) subject.precisions = {"fp32"};  // OpenCV's layers know no other
  if (model.mergeable) {
    const int patch = std::max(1, model.patch);
    subject.rowsBefore =
        model.special + subject.blob.size[2] / patch * (subject.blob.size[3] / patch);
  }
  return subject;
}

std::shared_ptr<LoadedNet> load(const Subject& subject, const std::string& precision,
                                const cv::Mat& blob) {
  ReadOptions options = subject.plan.read;
  options.schedule.emplace();
  options.precision = precision;
  return std::make_shared<LoadedNet>(readNet(subject.plan.model, options), blob, subject.model);
}

// The picture as often as the plan's batch wants it.
cv::Mat batchBlob(const Subject& subject) {
  const int batch = subject.plan.batch;
  for (const Description::Blob& input : subject.model.inputs) {
    if (input.shape.size() != 4 || input.shape[0] < 0) continue;
    throw std::runtime_error("--batch " + std::to_string(batch) + ": " + subject.plan.model +
                             " takes " + std::to_string(input.shape[0]) +
                             " at a time; a model whose number of images is open is needed");
  }
  const cv::Mat one = subject.blob.reshape(1, 1);
  cv::Mat all;
  cv::repeat(one, batch, 1, all);
  const int dims[] = {batch, subject.blob.size[1], subject.blob.size[2], subject.blob.size[3]};
  return all.reshape(1, 4, dims).clone();
}

std::string nameOfSchedule(const std::vector<int>& blocks) {
  std::string name;
  for (const int block : blocks)
    name += (name.empty() ? "merge before " : ",") + std::to_string(block);
  return name.empty() ? "full tokens" : name;
}

// Full tokens first, then each schedule once, in the order in which they were asked for.
std::vector<std::vector<int>> schedulesOf(const Subject& subject) {
  std::vector<std::vector<int>> wanted = subject.plan.schedules, all = {{}};
  if (wanted.empty() && subject.model.mergeable) {
    ReadOptions options = subject.plan.read;
    options.schedule.reset();
    wanted = {describe(subject.plan.model, options).schedule};
  }
  for (std::vector<int>& blocks : wanted) {
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    if (std::find(all.begin(), all.end(), blocks) == all.end()) all.push_back(blocks);
  }
  return all;
}

// Ours in every precision, and behind them OpenCV's own layers where they are right.
std::vector<Configuration> configurationsOf(const Subject& subject, std::string& opencv) {
  std::vector<Configuration> all;
  std::vector<cv::Mat> expected;
  for (const std::string& precision : subject.precisions) {
    const std::shared_ptr<LoadedNet> net = load(subject, precision, subject.blob);
    for (const std::vector<int>& schedule : schedulesOf(subject)) {
      all.emplace_back(nameOfSchedule(schedule), precision, schedule, net, subject.rowsBefore);
      const std::vector<cv::Mat> outputs = all.back().check();
      if (schedule.empty() && precision == "fp32") expected = outputs;
    }
    if (subject.plan.batch == 1) continue;
    const std::shared_ptr<LoadedNet> batch = load(subject, precision, batchBlob(subject));
    const std::string atOnce = ", " + std::to_string(subject.plan.batch) + " at once";
    for (const std::vector<int>& schedule : schedulesOf(subject)) {
      all.emplace_back(nameOfSchedule(schedule) + atOnce, precision, schedule, batch,
                       subject.rowsBefore);
      all.back().check();
    }
  }
  if (expected.empty()) {  // bf16 alone was asked for; OpenCV computes in float32
    expected = Configuration("full tokens", "fp32", {}, load(subject, "fp32", subject.blob),
                             subject.rowsBefore)
                   .check();
  }
  if (!subject.plan.read.device.empty()) {
    for (Configuration& one : all) one.device = subject.plan.read.device;
  }
  OpenCvPeer peer = readOpenCvPeer(subject.plan.model, subject.blob, subject.model, expected);
  opencv = std::move(peer.why);
  if (peer.net) all.emplace_back("OpenCV's own layers", "fp32", std::vector<int>{}, peer.net, 0);
  return all;
}

// The product of an encoder's first linear layer behind attention, the largest of a block.
void measurePeak(const Subject& subject, BenchReport& report) {
  constexpr int kDim = 384;  // of a model whose encoder is not known
  const int dim = subject.model.mergeable && subject.model.dim > 0 ? subject.model.dim : kDim;
  const GemmShape shape{std::max(1024, subject.rowsBefore), dim, 4 * dim};
  report.peakShape = std::to_string(shape.rows) + " x " + std::to_string(shape.inner) + " x " +
                     std::to_string(shape.columns);
  const auto better = [&](std::optional<double>& best, GemmType type) {
    const std::optional<double> peak = gemmPeak(shape, type, subject.plan.threads);
    if (peak && (!best || *best < *peak)) best = peak;
  };
  better(report.peak, GemmType::fp32);
  if (hasPrecision("bf16")) better(report.peakBf16, GemmType::bf16);
}

}  // namespace

BenchReport measureBench(const BenchPlan& plan, const std::function<void(double)>& onProgress) {
  BenchReport report;
  const Subject subject = subjectOf(plan);
  report.model = plan.model;
  report.machine = thisMachine();
  report.machine.device = usedDeviceName(plan.read);
  report.threads = plan.threads;
  report.notMergeable = subject.model.reason;
  std::vector<Configuration> all = configurationsOf(subject, report.opencv);

  // In front and behind: what is looked for is the machine's best, and it may be busy once.
  measurePeak(subject, report);
  RoundCount count;
  count.wanted = plan.rounds;
  for (Configuration& configuration : all) configuration.runMs();  // warms up
  for (Configuration& configuration : all) configuration.forget();
  const auto ms = measureInRounds(
      all.size(), count, [&](std::size_t i) { return all[i].runMs(); }, onProgress);
  measurePeak(subject, report);

  report.rounds = static_cast<int>(ms[0].size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Configuration& one = all[i];
    report.rows.push_back({one.name, one.precision, one.device, one.schedule,
                           summarise(ms[i], ms[0]), one.rows(), one.medianSteps()});
  }
  return report;
}

}  // namespace mpm::cli

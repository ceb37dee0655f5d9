// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench.h"
#include "cli/measure/configuration.h"
#include "cli/measure/gemm_peak.h"
#include "cli/picture_blob.h"
#include "cli/read_options.h"
#include "cli/wording.h"
#include "mpm/tune.h"
#include "segment/facts.h"

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

// Whether layers of this library multiply, which alone know other precisions than float32.
bool hasProducts(const Description& model) {
  static constexpr const char* kTypes[] = {"mpm.Attention", "mpm.Linear", "mpm.MaskDecoderHead",
                                           "mpm.PatchEmbed", "mpm.TransformerBlock"};
  return std::any_of(std::begin(kTypes), std::end(kTypes),
                     [&](const char* type) { return model.layers.count(type) != 0; });
}

Subject subjectOf(const BenchPlan& plan) {
  Subject subject{plan, describe(plan.model, plan.read), {}, 0, plan.precisions};
  const Description& model = subject.model;
  checkCanMerge(model, plan.model, !plan.schedules.empty());
  const segment::Facts facts = segment::factsOfModel(plan.model, model.metadata);
  try {
    subject.blob = pictureBlob(plan.picture, model, facts, plan.read.inputSize);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(plan.model + ": " + error.what());
  }
  if (!hasProducts(model)) {
    if (plan.arePrecisionsAsked && plan.precisions != std::vector<std::string>{"fp32"})
      throw std::runtime_error(plan.model + ": its layers compute in fp32 alone");
    subject.precisions = {"fp32"};
  }
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
  options.check = false;  // the description has proved the model
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
                             " at a time; use a model that takes any number of images");
  }
  const cv::Mat one = subject.blob.reshape(1, 1);
  cv::Mat all;
  cv::repeat(one, batch, 1, all);
  const int dims[] = {batch, subject.blob.size[1], subject.blob.size[2], subject.blob.size[3]};
  return all.reshape(1, 4, dims).clone();
}

// Full tokens first, then each schedule once, in the order in which they were asked for.
std::vector<Schedule> schedulesOf(const Subject& subject) {
  std::vector<Schedule> wanted = subject.plan.schedules, all = {{}};
  if (!subject.plan.areSchedulesAsked && subject.model.mergeable) wanted = {subject.model.schedule};
  for (const Schedule& schedule : wanted) {
    if (std::find(all.begin(), all.end(), schedule) == all.end()) all.push_back(schedule);
  }
  return all;
}

// Labels in float32, schedule by schedule.
using Labels = std::map<std::vector<int>, cv::Mat>;

// As BenchReport::Row has it.
std::optional<double> agreement(const cv::Mat& labels, const cv::Mat& expected) {
  if (labels.empty() || expected.empty()) return std::nullopt;
  return agreementOf(labels, expected);
}

// Ours in every precision, and behind them OpenCV's own layers where they are right.
std::vector<Configuration> configurationsOf(const Subject& subject, std::string& opencv) {
  std::vector<Configuration> all;
  // Whether or not float32 is to be timed: other precisions and OpenCV are compared with it.
  const std::shared_ptr<LoadedNet> exact = load(subject, "fp32", subject.blob);
  std::vector<cv::Mat> expected;
  Labels fp32;
  for (const Schedule& schedule : schedulesOf(subject)) {
    const std::vector<cv::Mat> outputs =
        Configuration(mergingText(schedule), "fp32", schedule, exact, subject.rowsBefore).check();
    if (schedule.empty()) expected = outputs;
    fp32[schedule.blocks()] = labelsOf(outputs.front());
  }
  for (const std::string& precision : subject.precisions) {
    const bool isExact = precision == "fp32";
    const std::shared_ptr<LoadedNet> net = isExact ? exact : load(subject, precision, subject.blob);
    for (const Schedule& schedule : schedulesOf(subject)) {
      all.emplace_back(mergingText(schedule), precision, schedule, net, subject.rowsBefore);
      if (isExact) continue;
      all.back().labels = agreement(labelsOf(all.back().check().front()), fp32[schedule.blocks()]);
    }
    if (subject.plan.batch == 1) continue;
    const std::shared_ptr<LoadedNet> batch = load(subject, precision, batchBlob(subject));
    const std::string atOnce = ", " + std::to_string(subject.plan.batch) + " at once";
    for (const Schedule& schedule : schedulesOf(subject)) {
      all.emplace_back(mergingText(schedule) + atOnce, precision, schedule, batch,
                       subject.rowsBefore);
      all.back().check();
    }
  }
  if (!subject.plan.read.device.empty()) {
    for (Configuration& one : all) one.device = subject.plan.read.device;
  }
  OpenCvPeer peer = readOpenCvPeer(subject.plan.model, subject.blob, subject.model, expected);
  opencv = std::move(peer.why);
  if (peer.net) all.emplace_back("OpenCV's own layers", "fp32", Schedule(), peer.net, 0);
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
  better(report.peakInt8, GemmType::int8);
}

}  // namespace

BenchReport measureBench(const BenchPlan& plan, const std::function<void(double)>& onProgress) {
  BenchReport report;
  const Subject subject = subjectOf(plan);
  report.model = plan.model;
  report.machine = thisMachine(usedDeviceName(plan.read), plan.threads);
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
                           summarise(ms[i], ms[0]), one.rows(), one.medianSteps(), one.labels});
  }
  return report;
}

}  // namespace mpm::cli

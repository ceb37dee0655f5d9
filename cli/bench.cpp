// SPDX-License-Identifier: Apache-2.0
// mpm bench: measures a model on this machine, merged and unmerged.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/core/version.hpp>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/frames.h"
#include "cli/gemm_peak.h"
#include "cli/measure.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/sequence.h"
#include "cli/wording.h"
#include "evaluate/pairs.h"
#include "models/scenes/camera.h"
#include "mpm/net.h"
#include "mpm/tune.h"
#include "segment/model_metadata.h"
#include "tune/precisions.h"

namespace mpm::cli {
namespace {

using Json = nlohmann::ordered_json;

// Settings of `mpm bench`.
struct BenchPlan {
  std::string model;
  ReadOptions read;                     // how each net is read, but for schedule and precision
  std::vector<Schedule> schedules;      // beside unmerged
  bool areSchedulesAsked = false;       // otherwise the model's own
  std::vector<std::string> precisions;  // at least one
  bool arePrecisionsAsked = false;      // not just all that there are
  cv::Mat picture;                      // what every frame shows
  int batch = 1;  // beside one image at a time, so many at once; the model has to have them open
  int threads = 0;
  int rounds = 0;  // 0: as many as take about a quarter of a minute
};

// Results of `mpm bench`.
struct BenchReport {
  struct Row {
    std::string name, precision, device;
    Schedule schedule;
    Times times;  // ratio: to the first row
    std::vector<int> rows;
    StepTimes steps{};
    // Share of labels equal to those of float32 with this schedule. std::nullopt for float32
    // itself, and if the first output is no scores of classes.
    std::optional<double> labels;
  };

  std::string model;
  Machine machine;
  int rounds = 0;
  std::string peakShape;                           // "1025 x 192 x 768"
  std::optional<double> peak, peakBf16, peakInt8;  // GFLOP/s
  std::string opencv;                              // why OpenCV's own layers are no row; or empty
  std::string notMergeable;                        // why the model cannot merge; or empty
  std::vector<Row> rows;                           // the first: unmerged
};

// Everything that the configurations need.
struct Subject {
  const BenchPlan& plan;
  Description model;
  cv::Mat blob;
  int rowsBefore = 0;  // of all merges; 0: there are none
  std::vector<std::string> precisions;
};

// Tells whether layers of this library multiply; only those have precisions besides float32.
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
  const segment::ModelMetadata facts = segment::modelMetadata(plan.model, model.metadata);
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
    const int patch = std::max(1, model.patchSize);
    subject.rowsBefore =
        model.numPrefixTokens + subject.blob.size[2] / patch * (subject.blob.size[3] / patch);
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

// Repeats the picture as often as the plan's batch wants it.
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

// Returns the unmerged schedule first, then each requested one once, in order.
std::vector<Schedule> schedulesOf(const Subject& subject) {
  std::vector<Schedule> wanted = subject.plan.schedules, all = {{}};
  if (!subject.plan.areSchedulesAsked && subject.model.mergeable) wanted = {subject.model.schedule};
  for (const Schedule& schedule : wanted) {
    if (std::find(all.begin(), all.end(), schedule) == all.end()) all.push_back(schedule);
  }
  return all;
}

// Labels in float32, by schedule.
using Labels = std::map<std::vector<int>, cv::Mat>;

// Returns BenchReport::Row::labels.
std::optional<double> agreement(const cv::Mat& labels, const cv::Mat& expected) {
  if (labels.empty() || expected.empty()) return std::nullopt;
  return agreementOf(labels, expected);
}

// Returns this library's nets in every precision, then OpenCV's own layers if they are right.
std::vector<Configuration> configurationsOf(const Subject& subject, std::string& opencv) {
  std::vector<Configuration> all;
  // Needed even if float32 is not timed: other precisions and OpenCV are compared with it.
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

// Measures the largest product of a block: an encoder's first linear layer after attention.
void measurePeak(const Subject& subject, BenchReport& report) {
  constexpr int kDim = 384;  // of a model whose encoder is not known
  const int dim =
      subject.model.mergeable && subject.model.embedDim > 0 ? subject.model.embedDim : kDim;
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

// Checks every configuration, then measures all of them in rounds. `onProgress` receives the share
// that is done.
BenchReport measureBench(const BenchPlan& plan, const std::function<void(double)>& onProgress) {
  BenchReport report;
  const Subject subject = subjectOf(plan);
  report.model = plan.model;
  report.machine = thisMachine(usedDeviceName(plan.read), plan.threads);
  report.notMergeable = subject.model.reason;
  std::vector<Configuration> all = configurationsOf(subject, report.opencv);

  // Measures before and after, since the machine's best counts and it may be busy once.
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

using Rows = std::vector<std::vector<std::string>>;

std::string peakLine(const BenchReport& report) {
  if (!report.peak) return "";
  std::string line = "oneDNN's peak at " + report.peakShape + ": " + numberText(*report.peak, 0) +
                     " GFLOP/s in fp32";
  if (report.peakBf16) line += ", " + numberText(*report.peakBf16, 0) + " in bf16";
  if (report.peakInt8) line += ", " + numberText(*report.peakInt8, 0) + " in int8";
  return line + '\n';
}

// Warns, in one sentence each, of precisions that nobody should take without looking.
std::string brokenText(const BenchReport& report) {
  std::map<std::string, double> worst;
  for (const BenchReport::Row& row : report.rows) {
    if (!row.labels || *row.labels >= kEnoughLabels) continue;
    const auto [found, isNew] = worst.try_emplace(row.precision, *row.labels);
    if (!isNew) found->second = std::min(found->second, *row.labels);
  }
  std::string text;
  for (const auto& [precision, share] : worst) {
    text += precision + " differs from fp32's labels on " + shareText(1 - share, 2) +
            " of this picture, more than 0.5; compare on your own pictures before using it.\n";
  }
  return text;
}

std::string timesTable(const BenchReport& report) {
  Rows table = {{"", "precision", "median", "p95", "slowest", "time", "labels", "live rows"}};
  for (const BenchReport::Row& row : report.rows) {
    table.push_back({row.name, row.precision, msText(row.times.medianMs), msText(row.times.p95Ms),
                     "x " + numberText(row.times.slowestMs / row.times.medianMs, 2),
                     numberText(row.times.ratio, 3), row.labels ? shareText(*row.labels, 2) : "",
                     rowsText(row.rows)});
  }
  return tableText(table, "llrrrrrl");
}

std::string stepsTable(const BenchReport& report) {
  Rows table = {{"milliseconds in", "precision"}};
  table[0].insert(table[0].end(), kStepNames.begin(), kStepNames.end());
  for (const BenchReport::Row& row : report.rows) {
    table.push_back({row.name, row.precision});
    for (const double ms : row.steps) table.back().push_back(numberText(ms, ms < 9.995 ? 2 : 1));
  }
  return tableText(table, "llrrrrrr");
}

// Formats the report for a person.
std::string benchTable(const BenchReport& report) {
  std::string text =
      report.model + '\n' + nameOf(report.machine) + ", OpenCV " CV_VERSION "\n" +
      peakLine(report) + '\n' + timesTable(report) + '\n' + stepsTable(report) + '\n' +
      std::to_string(report.rounds) +
      " rounds, every configuration once in each. time: relative to " + report.rows[0].name +
      " in " + report.rows[0].precision +
      ", the\nmedian over rounds. slowest: the slowest frame over the median. labels: share that "
      "fp32 gives too.\n" +
      brokenText(report);
  if (!report.notMergeable.empty()) text += "The model cannot merge: " + report.notMergeable + '\n';
  if (!report.opencv.empty())
    text += "Without this library OpenCV " CV_VERSION " " + report.opencv + ".\n";
  return text;
}

Json config(const BenchReport::Row& row) {
  Json steps = Json::object();
  for (std::size_t i = 0; i < kStepNames.size(); ++i) steps[kStepNames[i]] = rounded(row.steps[i]);
  return {{"name", row.name},
          {"schedule", row.schedule.blocks()},
          {"precision", row.precision},
          {"device", row.device},
          {"median_ms", rounded(row.times.medianMs)},
          {"p95_ms", rounded(row.times.p95Ms)},
          {"ratio", rounded(row.times.ratio)},
          {"rows", row.rows},
          {"labels_as_fp32", row.labels ? Json(rounded(*row.labels, 6)) : Json()},
          {"steps_ms", steps}};
}

// Returns {"model", "machine", "threads", "gemm_peak_gflops", "configs"}; see the command's help.
// The peak is null if this build cannot measure it.
std::string benchJson(const BenchReport& report) {
  Json machine = machineJson(report.machine);
  if (report.peakBf16) machine["gemm_peak_bf16_gflops"] = rounded(*report.peakBf16);
  if (report.peakInt8) machine["gemm_peak_int8_gflops"] = rounded(*report.peakInt8);
  if (!report.opencv.empty()) machine["opencv_layers"] = report.opencv;
  Json configs = Json::array();
  for (const BenchReport::Row& row : report.rows) configs.push_back(config(row));
  const Json json = {{"model", report.model},
                     {"machine", machine},
                     {"threads", report.machine.threads},
                     {"gemm_peak_gflops", report.peak ? Json(rounded(*report.peak)) : Json()},
                     {"configs", configs}};
  return jsonText(json);
}

struct BenchArguments {
  std::string model, image, out;
  std::vector<std::string> frames, schedules, precisions;
  int batch = 1;
  int count = 0;     // 0: not given
  double every = 0;  // the same
  bool json = false;
  ModelOptions read;
};

cv::Mat pictureOf(const std::string& file) {
  cv::Mat picture, labels;
  if (file.empty()) {  // as `mpm-scene --size 512x512` draws it: by noon
    const scenes::CameraOptions options;
    scenes::Camera(options).shoot(options.start, picture, labels);
    return picture;
  }
  return readPicture(file);
}

// Rejects options that have no meaning together.
void checkTogether(const BenchArguments& arguments) {
  const auto& frames = arguments.frames;
  if (arguments.every > 0 && std::none_of(frames.begin(), frames.end(), scenes::isSceneAddress))
    throw UsageError("--every only goes with --frames scene:...");
  if (frames.empty()) return;
  if (arguments.schedules.size() > 1 || arguments.precisions.size() > 1)
    throw UsageError("--frames goes with one --merge-before and one --precision");
  if (arguments.batch > 1 || !arguments.image.empty())
    throw UsageError("--batch and --image do not go with --frames");
}

BenchPlan planOf(const BenchArguments& arguments) {
  BenchPlan plan;
  plan.model = arguments.model;
  plan.read = arguments.read.parse();
  plan.areSchedulesAsked = !arguments.schedules.empty();
  for (const std::string& text : arguments.schedules) {
    const Schedule schedule = parseSchedule(text);
    if (!schedule.empty()) plan.schedules.push_back(schedule);
  }
  plan.arePrecisionsAsked = !arguments.precisions.empty();
  for (const std::string& text : arguments.precisions)
    plan.precisions.push_back(checkPrecision(text, plan.read.device));
  for (const char* precision : tune::kPrecisions) {
    if (arguments.precisions.empty() && hasPrecision(precision, plan.read.device))
      plan.precisions.emplace_back(precision);
  }
  plan.rounds = arguments.count;
  plan.batch = arguments.batch;
  plan.picture = pictureOf(arguments.image);
  plan.threads = arguments.read.useThreads();
  return plan;
}

// Takes one schedule and one precision, the first if none is given.
SequencePlan sequenceOf(const BenchArguments& arguments) {
  SequencePlan plan;
  plan.model = arguments.model;
  plan.read = arguments.read.parse();
  if (!arguments.precisions.empty())
    plan.read.precision = checkPrecision(arguments.precisions[0], plan.read.device);
  if (!arguments.schedules.empty()) plan.schedule = parseSchedule(arguments.schedules[0]);
  for (const std::string& input : arguments.frames) {
    const std::vector<std::string> streets = streetsOf(input);
    plan.cameras.insert(plan.cameras.end(), streets.begin(), streets.end());
  }
  if (arguments.every > 0) plan.everySeconds = arguments.every;
  if (arguments.count > 0) plan.most = arguments.count;
  plan.threads = arguments.read.useThreads();
  return plan;
}

InputFiles inputsOf(const BenchArguments& arguments) {
  InputFiles inputs(arguments.model);
  inputs.add(arguments.image);
  for (const std::string& frames : arguments.frames) {
    inputs.addAll(filesOfInput(frames));
    inputs.add(std::filesystem::path(frames) / "images");
    inputs.add(std::filesystem::path(frames) / "labels");
  }
  return inputs;
}

void benchFrames(const BenchArguments& arguments) {
  const SequencePlan plan = sequenceOf(arguments);
  SequenceReport report;
  {
    Progress progress("measuring");
    report = measureSequence(plan, [&](double share) { progress.show(share); });
  }
  printReport(sequenceTable(report), sequenceJson(report), arguments.json, arguments.out);
}

void benchModel(const BenchArguments& arguments) {
  checkTogether(arguments);
  inputsOf(arguments).checkOutput(arguments.out);
  if (!arguments.frames.empty()) return benchFrames(arguments);
  const BenchPlan plan = planOf(arguments);
  BenchReport report;
  {
    Progress progress("measuring");
    report = measureBench(plan, [&](double share) { progress.show(share); });
  }
  printReport(benchTable(report), benchJson(report), arguments.json, arguments.out);
}

void addOptions(CLI::App& command, BenchArguments& arguments) {
  addModel(command, arguments.model);
  addSchedules(command, arguments.schedules,
               "blocks to merge before, counted from 0; give it once for each\n"
               "schedule (default: 2,5). Unmerged is always measured");
  addOption(command, "--precision", arguments.precisions, "fp32|tf32|bf16|fp16|int8",
            "precision of products; give it once for each (default: all that\n"
            "the device supports)")
      ->allow_extra_args(false);
  addOption(command, "--batch", arguments.batch, "N",
            "also measure N images at once; times are per image")
      ->check(within(1, 1024))
      ->group(kAdvanced);
  addOption(command, "--image", arguments.image, "FILE",
            "the picture to measure with (default: a drawn street)")
      ->group(kAdvanced);
  addOption(command, "--frames", arguments.frames, "INPUT",
            "measure with a fixed camera's frames instead, with and without\n"
            "scene memory: a folder of pictures (one with images/ and labels/\n"
            "in it also gives mIoU), a video, or scene:?seed=7&hour=12\n"
            "(seed=7..11: five streets); give it once for each camera")
      ->allow_extra_args(false);
  addOption(command, "--every", arguments.every, "SECONDS",
            "time between two frames of scene: (default: 1)")
      ->check(within(0.01, 86400.0))
      ->group(kAdvanced);
  addOption(command, "--count", arguments.count, "N",
            "frames to time in each configuration (default: 15 seconds' worth),\n"
            "or to take from each camera of --frames (default: 100)")
      ->check(within(1, 1000000));
  arguments.read.addTo(command, kInputSize | kDevice | kProportional | kThreads);
  command.add_flag("--json", arguments.json, "print JSON instead of the table");
  addOut(command, arguments.out, "FILE", "write the figures as JSON");
  addRenamed(command, {{"--runs", "--count"}});
}

}  // namespace

void addBench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "time a model, with merging and without");
  const auto arguments = std::make_shared<BenchArguments>();
  addOptions(*command, *arguments);
  command->footer(
      "Measures in turn the unmerged net, the schedules, each precision and, where they load the\n"
      "model and compute what this library does, OpenCV's own layers. Every ratio is the\n"
      "median over these rounds. Also shows oneDNN's fastest product on this machine.\n"
      "Example: mpm bench vit.onnx --merge-before 2,5 --merge-before 3 --out bench.json");
  command->callback([arguments] { benchModel(*arguments); });
}

}  // namespace mpm::cli

// SPDX-License-Identifier: Apache-2.0
// mpm tune: finds the schedule that pays on this machine, on these frames.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/frames.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/tune_report.h"
#include "mpm/net.h"
#include "mpm/segmenter.h"
#include "mpm/tune.h"

namespace mpm::cli {
namespace {

struct TuneArguments {
  std::string model, folder;
  std::vector<std::string> inputs;
  std::vector<int> merges;
  double targetFps = 0;
  std::optional<double> minAgreement;
  int count = 8;
  bool json = false;
  ModelOptions read;
  FitOptions fit;
};

TuneGoal goalOf(const TuneArguments& arguments) {
  TuneGoal goal;
  if (arguments.targetFps > 0) goal.targetFps = arguments.targetFps;
  if (!arguments.minAgreement) return goal;
  if (*arguments.minAgreement <= 1 || *arguments.minAgreement > 100) {
    throw UsageError(
        "--min-agreement is in percent, more than 1 and at most 100, such as 99; not " +
        CLI::detail::to_string(*arguments.minAgreement));
  }
  goal.minAgreement = *arguments.minAgreement / 100;
  return goal;
}

void checkOutputs(const TuneArguments& arguments) {
  // Explains --json, which took a FILE until 0.1.
  const std::string& last = arguments.inputs.back();
  if (arguments.json && (last == kStandardOutput || last.ends_with(".json")))
    throw UsageError("--json " + last + ": --json is a flag now; --out DIR names a folder");
  if (arguments.folder.empty()) return;
  InputFiles inputs(arguments.model);
  for (const std::string& input : arguments.inputs) inputs.addAll(filesOfInput(input));
  makeFolder(arguments.folder);
  inputs.checkOutput(std::filesystem::path(arguments.folder) / "tune.json");
}

SegmenterOptions optionsOf(const TuneArguments& arguments, const ReadOptions& read) {
  SegmenterOptions options;
  options.read = read;
  options.confidence = false;
  arguments.fit.apply(arguments.model, options);
  return options;
}

// Returns the share of the frames' pixels labelled as by float32, unmerged; std::nullopt for
// float32.
std::optional<double> labelsAsFp32(Segmenter& segmenter, const std::vector<cv::Mat>& frames,
                                   const TuneArguments& arguments, ReadOptions read,
                                   Progress& progress) {
  if (usedPrecision(read) == "fp32") return std::nullopt;
  read.precision = "fp32";
  Segmenter exact(arguments.model, optionsOf(arguments, read));
  exact.setSchedule({});
  const Schedule own = segmenter.schedule();
  segmenter.setSchedule({});
  double same = 0, all = 0;
  for (const cv::Mat& frame : frames) {
    const cv::Mat labels = exact.segment(frame).labels;
    const auto pixels = static_cast<double>(labels.total());
    same += agreementOf(segmenter.segment(frame).labels, labels) * pixels;
    all += pixels;
    progress.show(0);
  }
  segmenter.setSchedule(own);
  return same / all;
}

Tuning tuneWithProgress(Segmenter& segmenter, const std::vector<cv::Mat>& frames,
                        const TuneArguments& arguments, Progress& progress) {
  TuneOptions options;
  options.merges = arguments.merges;
  options.progress = [&](double share) {
    progress.show(share);
    return true;
  };
  try {
    return tuneSchedules(segmenter, frames, options);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(arguments.model + ": " + error.what());
  }
}

// Returns the schedule of a converted file. Throws UsageError if it does not merge.
std::optional<Schedule> convertedTo(const std::string& file) {
  const Description model = describe(file);
  if (model.metadata.count("mpm.schedule") == 0) return std::nullopt;
  if (!model.schedule.empty()) return model.schedule;
  throw UsageError(file +
                   " is already converted, without merges, so there is nothing to tune; give the "
                   "model that it was made from");
}

// Removes frames of one colour and returns their number. Keeps them if there are no others, which
// is an error later.
int leaveOutOneColour(std::vector<cv::Mat>& frames) {
  const auto rest = std::stable_partition(frames.begin(), frames.end(),
                                          [](const cv::Mat& one) { return !isOfOneColour(one); });
  if (rest == frames.begin()) return 0;
  const auto leftOut = static_cast<int>(frames.end() - rest);
  frames.erase(rest, frames.end());
  return leftOut;
}

void tuneModel(const TuneArguments& arguments) {
  const TuneGoal goal = goalOf(arguments);
  ReadOptions read = arguments.read.parse();
  arguments.fit.check();
  checkOutputs(arguments);
  const int threads = arguments.read.useThreads();
  TuneReport report;
  std::vector<cv::Mat> frames;
  const auto readFrames = [&] {
    frames = spreadFrames(arguments.inputs, arguments.count);
    report.leftOut = leaveOutOneColour(frames);
  };
  if (read.precision == kAutoPrecision) {
    readFrames();
    report.precisions = tunePrecisions(arguments.model, optionsOf(arguments, read), frames);
    read.precision = fastestPrecision(report.precisions).precision;
  }
  Segmenter segmenter(arguments.model, optionsOf(arguments, read));
  report.converted = convertedTo(arguments.model);
  if (frames.empty()) readFrames();  // a model that is refused is refused before a long video
  {
    Progress progress("tuning", Progress::kLines);
    report.labelsAsFp32 = labelsAsFp32(segmenter, frames, arguments, read, progress);
    report.tuning = tuneWithProgress(segmenter, frames, arguments, progress);
  }
  report.model = arguments.model;
  report.precision = usedPrecision(read);
  report.machine = thisMachine(usedDeviceName(read), threads);
  report.frames = static_cast<int>(frames.size());
  report.goal = goal;
  if (int8LosesLabels(report)) {
    if (const TunedSchedule* pick = pickOf(report)) read.schedule = pick->schedule;
    report.calibrated = tryCalibrated(arguments.model, read, frames, arguments.inputs);
  }
  const std::filesystem::path folder = arguments.folder;
  printReport(tuneTable(report), tuneJson(report), arguments.json,
              folder.empty() ? "" : (folder / "tune.json").string());
}

void addOptions(CLI::App& command, TuneArguments& arguments) {
  addModel(command, arguments.model, " of a segmentation model");
  addOption(command, "INPUT", arguments.inputs, "", "pictures, folders of pictures, videos")
      ->required();
  addOption(command, "--merges", arguments.merges, "1,2,3",
            "how many merges a schedule may have (default: 1,2, and 3 in\n"
            "encoders of 24 blocks or more)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(within(1, 64))
      ->group(kAdvanced);
  CLI::Option* target = addOption(command, "--target-fps", arguments.targetFps, "F",
                                  "pick the best agreement at F frames a second or more")
                            ->check(within(0.001, 1e6));
  addOption(command, "--min-agreement", arguments.minAgreement, "P",
            "pick the fastest that labels P percent of the\n"
            "pixels as unmerged runs do (default: as many as these\n"
            "label the same when the picture is moved by a pixel)")
      ->excludes(target);
  addOption(command, "--count", arguments.count, "N",
            "how many frames of the inputs to use (default: 8)")
      ->check(within(1, 10000));
  arguments.fit.addTo(command);
  arguments.read.addTo(command, kInputSize | kPrecisionOrAuto | kProportional | kThreads);
  command.add_flag("--json", arguments.json, "print JSON instead of the table");
  addOut(command, arguments.folder, "DIR", "a folder for the figures, tune.json");
  addRenamed(command, {{"--frames", "--count"}, {"--plot", "--out DIR, which gets tune.json,"}});
}

}  // namespace

void addTune(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("tune", "find the schedule that pays on this machine, on your frames");
  const auto arguments = std::make_shared<TuneArguments>();
  addOptions(*command, *arguments);
  command->footer(
      "Looks at every schedule, then measures closely those that no other clearly beats, with\n"
      "unmerged runs in between. Agreement is the share of pixels that get the same label as\n"
      "unmerged; no ground truth is needed. Nor is it 100% for unmerged runs themselves when the\n"
      "picture is moved by a pixel: what merging changes up to this noise floor is hardly a loss.\n"
      "Where int8 keeps less than 99.5% of fp32's labels, it is also tried calibrated on every\n"
      "second frame, and judged by the others.\n"
      "Example: mpm tune segmenter.onnx street.mp4 --target-fps 10 --out tuned");
  command->callback([arguments] { tuneModel(*arguments); });
}

}  // namespace mpm::cli

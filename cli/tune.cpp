// SPDX-License-Identifier: Apache-2.0
// mpm tune: which schedule pays on this machine, on these frames.
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
#include "cli/input_files.h"
#include "cli/option.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/read_options.h"
#include "cli/tune_report.h"
#include "cli/usage_error.h"
#include "mpm/net.h"
#include "mpm/segmenter.h"
#include "mpm/tune.h"

namespace mpm::cli {
namespace {

struct TuneArguments {
  std::string model, json, plot, folder;
  std::vector<std::string> inputs;
  std::vector<int> merges;
  double targetFps = 0;
  std::optional<double> minAgreement;
  int frames = 8;
  ReadOptionArguments read;
  ThreadOption threads;
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

// --out DIR is the same as --json DIR/tune.json --plot DIR/tune.png, where those are not given.
TuneArguments withFolder(TuneArguments arguments) {
  if (arguments.folder.empty()) return arguments;
  const std::filesystem::path folder = arguments.folder;
  makeFolder(folder);
  if (arguments.json.empty()) arguments.json = (folder / "tune.json").string();
  if (arguments.plot.empty()) arguments.plot = (folder / "tune.png").string();
  return arguments;
}

void checkOutputs(const TuneArguments& arguments) {
  InputFiles inputs(arguments.model);
  for (const std::string& input : arguments.inputs) inputs.addAll(filesOfInput(input));
  if (arguments.json != kStandardOutput) inputs.checkOutput(arguments.json);
  inputs.checkOutput(arguments.plot);
  if (!arguments.plot.empty() && !cv::haveImageWriter(arguments.plot))
    throw UsageError("--plot " + arguments.plot +
                     " cannot be written; use a name that ends in .png");
}

SegmenterOptions optionsOf(const ReadOptions& read) {
  SegmenterOptions options;
  options.read = read;
  options.confidence = false;
  return options;
}

// Of the frames' pixels, with full tokens; nothing of float32 itself.
std::optional<double> labelsAsFp32(Segmenter& segmenter, const std::vector<cv::Mat>& frames,
                                   const TuneArguments& arguments, ReadOptions read) {
  if (usedPrecision(read) == "fp32") return std::nullopt;
  read.precision = "fp32";
  Segmenter exact(arguments.model, optionsOf(read));
  exact.setSchedule({});
  const Schedule own = segmenter.schedule();
  segmenter.setSchedule({});
  double same = 0, all = 0;
  for (const cv::Mat& frame : frames) {
    const cv::Mat labels = exact.segment(frame).labels;
    const auto pixels = static_cast<double>(labels.total());
    same += agreementOf(segmenter.segment(frame).labels, labels) * pixels;
    all += pixels;
  }
  segmenter.setSchedule(own);
  return same / all;
}

Tuning tuneWithProgress(Segmenter& segmenter, const std::vector<cv::Mat>& frames,
                        const TuneArguments& arguments) {
  Progress progress("tuning");
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

// What a converted file merges before. UsageError where it does not merge.
std::optional<Schedule> convertedTo(const std::string& file) {
  const Description model = describe(file);
  if (model.metadata.count("mpm.schedule") == 0) return std::nullopt;
  if (!model.schedule.empty()) return model.schedule;
  throw UsageError(file +
                   " is already converted, without merges, so there is nothing to tune; give the "
                   "model that it was made from");
}

// How many frames of one colour were left out: none where there are no others, which will be
// refused.
int leaveOutOneColour(std::vector<cv::Mat>& frames) {
  const auto rest = std::stable_partition(frames.begin(), frames.end(),
                                          [](const cv::Mat& one) { return !isOfOneColour(one); });
  if (rest == frames.begin()) return 0;
  const auto leftOut = static_cast<int>(frames.end() - rest);
  frames.erase(rest, frames.end());
  return leftOut;
}

void tuneModel(const TuneArguments& given) {
  const TuneGoal goal = goalOf(given);
  ReadOptions read = given.read.parse();
  const TuneArguments arguments = withFolder(given);
  checkOutputs(arguments);
  const int threads = arguments.threads.use();
  TuneReport report;
  std::vector<cv::Mat> frames;
  const auto readFrames = [&] {
    frames = spreadFrames(arguments.inputs, arguments.frames);
    report.leftOut = leaveOutOneColour(frames);
  };
  if (read.precision == kAutoPrecision) {
    readFrames();
    report.precisions = tunePrecisions(arguments.model, optionsOf(read), frames);
    read.precision = fastestPrecision(report.precisions).precision;
  }
  Segmenter segmenter(arguments.model, optionsOf(read));
  report.converted = convertedTo(arguments.model);
  if (frames.empty()) readFrames();  // a model that is refused is refused before a long video
  report.labelsAsFp32 = labelsAsFp32(segmenter, frames, arguments, read);
  report.tuning = tuneWithProgress(segmenter, frames, arguments);
  report.model = arguments.model;
  report.precision = usedPrecision(read);
  report.machine = thisMachine(usedDeviceName(read), threads);
  report.frames = static_cast<int>(frames.size());
  report.goal = goal;
  if (int8LosesLabels(report)) {
    if (const TunedSchedule* pick = pickOf(report)) read.schedule = pick->schedule;
    report.calibrated = tryCalibrated(arguments.model, read, frames, arguments.inputs);
  }
  printReport(tuneTable(report), tuneJson(report), arguments.json);
  if (!arguments.plot.empty()) writePicture(arguments.plot, tunePicture(report));
}

void addOptions(CLI::App& command, TuneArguments& arguments) {
  addOption(command, "MODEL", arguments.model, "", "an ONNX file of a segmentation model")
      ->required();
  addOption(command, "INPUT", arguments.inputs, "", "pictures, folders of pictures, videos")
      ->required();
  addOption(command, "--merges", arguments.merges, "1,2,3",
            "how many merges a schedule may have (default: 1,2, and 3 in\n"
            "encoders of 24 blocks or more)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(within(1, 64));
  CLI::Option* target = addOption(command, "--target-fps", arguments.targetFps, "F",
                                  "pick the best agreement at F frames a second or more")
                            ->check(within(0.001, 1e6));
  addOption(command, "--min-agreement", arguments.minAgreement, "P",
            "pick the fastest that labels P percent of the\n"
            "pixels as full tokens do (default: as many as full tokens\n"
            "label the same when the picture is moved by a pixel)")
      ->excludes(target);
  addOption(command, "--frames", arguments.frames, "N",
            "how many frames of the inputs to use (default: 8)")
      ->check(within(1, 10000));
  arguments.read.addModelTo(command);
  arguments.read.addPrecisionOrAutoTo(command);
  arguments.threads.addTo(command);
  addOption(command, "--json", arguments.json, "FILE",
            "write the figures as JSON (-: print them\ninstead of the table)");
  addOption(command, "--plot", arguments.plot, "FILE.png",
            "plot the figures, time against agreement");
  addOption(command, "--out", arguments.folder, "DIR", "a folder for both: tune.json, tune.png");
}

}  // namespace

void addTune(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("tune", "find the schedule that pays on this machine, on your frames");
  const auto arguments = std::make_shared<TuneArguments>();
  addOptions(*command, *arguments);
  command->footer(
      "Looks at every schedule, then measures closely those that no other clearly beats, with\n"
      "full tokens in between. Agreement is the share of pixels that get the same label as with\n"
      "full tokens; no ground truth is needed. Nor is it 100% for full tokens themselves when the\n"
      "picture is moved by a pixel: what merging changes up to this noise floor is hardly a loss.\n"
      "Where int8 keeps less than 99.5% of fp32's labels, it is also tried calibrated on every\n"
      "second frame, and judged by the others.\n"
      "Example: mpm tune segmenter.onnx street.mp4 --target-fps 10 --plot tune.png");
  command->callback([arguments] { tuneModel(*arguments); });
}

}  // namespace mpm::cli

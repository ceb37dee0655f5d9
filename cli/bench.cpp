// SPDX-License-Identifier: Apache-2.0
// mpm bench: what a model takes on this machine, with merging and without.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/bench.h"
#include "cli/bench_frames.h"
#include "cli/commands.h"
#include "cli/frames.h"
#include "cli/input_files.h"
#include "cli/option.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/read_options.h"
#include "cli/usage_error.h"
#include "evaluate/pair_files.h"
#include "models/scenes/camera.h"
#include "mpm/net.h"
#include "tune/precisions.h"

namespace mpm::cli {
namespace {

struct BenchArguments {
  std::string model, image, json;
  std::vector<std::string> frames, schedules, precisions;
  int batch = 1;
  int runs = 0, repeats = 0;  // 0: not given
  double every = 0;           // the same
  ReadOptionArguments read;
  ThreadOption threads;
};

cv::Mat pictureOf(const std::string& file) {
  cv::Mat picture, labels;
  if (file.empty()) {  // as `mpm scene --size 512x512` draws it: by noon
    const scenes::CameraOptions options;
    scenes::Camera(options).shoot(options.start, picture, labels);
    return picture;
  }
  return readPicture(file);
}

// What is given beside what it has no meaning for is refused.
void checkTogether(const BenchArguments& arguments) {
  const auto& frames = arguments.frames;
  if (arguments.repeats > 0 && frames.empty())
    throw UsageError("--repeats only goes with --frames");
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
  plan.rounds = arguments.runs;
  plan.batch = arguments.batch;
  plan.picture = pictureOf(arguments.image);
  plan.threads = arguments.threads.use();
  return plan;
}

// One schedule and one precision, of which the first is taken where none is given.
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
  if (arguments.repeats > 0) plan.repeats = arguments.repeats;
  if (arguments.runs > 0) plan.most = arguments.runs;
  plan.threads = arguments.threads.use();
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
  printReport(sequenceTable(report), sequenceJson(report), arguments.json);
}

void benchModel(const BenchArguments& arguments) {
  checkTogether(arguments);
  if (arguments.json != kStandardOutput) inputsOf(arguments).checkOutput(arguments.json);
  if (!arguments.frames.empty()) return benchFrames(arguments);
  const BenchPlan plan = planOf(arguments);
  BenchReport report;
  {
    Progress progress("measuring");
    report = measureBench(plan, [&](double share) { progress.show(share); });
  }
  printReport(benchTable(report), benchJson(report), arguments.json);
}

void addOptions(CLI::App& command, BenchArguments& arguments) {
  addOption(command, "MODEL", arguments.model, "", "an ONNX file")->required();
  addOption(command, "--merge-before", arguments.schedules, "BLOCKS",
            "blocks to merge before, counted from 0; give it once for each\n"
            "schedule (default: 2,5). Full tokens are always measured")
      ->allow_extra_args(false);
  addOption(command, "--precision", arguments.precisions, "fp32|tf32|bf16|fp16|int8",
            "precision of products; give it once for each (default: all that\n"
            "the device supports)")
      ->allow_extra_args(false);
  arguments.read.addDeviceTo(command);
  arguments.threads.addTo(command);
  addOption(command, "--batch", arguments.batch, "N",
            "also measure N images at once; times are per image")
      ->check(within(1, 1024));
  addOption(command, "--image", arguments.image, "FILE",
            "the picture to measure with (default: a drawn street)");
  addOption(command, "--frames", arguments.frames, "INPUT",
            "measure with a fixed camera's frames instead, with and without\n"
            "scene memory: a folder of pictures (one with images/ and labels/\n"
            "in it also gives mIoU), a video, or scene:?seed=7&hour=12\n"
            "(seed=7..11: five streets); give it once for each camera")
      ->allow_extra_args(false);
  addOption(command, "--every", arguments.every, "SECONDS",
            "time between two frames of scene: (default: 1)")
      ->check(within(0.01, 86400.0));
  addOption(command, "--runs", arguments.runs, "N",
            "frames to time in each configuration (default: 15 seconds' worth),\n"
            "or to take from each camera of --frames (default: 100)")
      ->check(within(1, 1000000));
  addOption(command, "--repeats", arguments.repeats, "N",
            "go through --frames N times and count each frame's fastest time,\n"
            "which excludes other load on the machine (default: 1)")
      ->check(within(1, 1000));
  arguments.read.addModelTo(command);
  addOption(command, "--json", arguments.json, "FILE",
            "write the figures as JSON (-: print them\ninstead of the table)");
}

}  // namespace

void addBench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "time a model, with merging and without");
  const auto arguments = std::make_shared<BenchArguments>();
  addOptions(*command, *arguments);
  command->footer(
      "Measures in turn full tokens, the schedules, each precision and, where they load the\n"
      "model and compute what this library does, OpenCV's own layers. Every ratio is the\n"
      "median over these rounds. Also shows oneDNN's fastest product on this machine.\n"
      "Example: mpm bench vit.onnx --merge-before 2,5 --merge-before 3 --json bench.json");
  command->callback([arguments] { benchModel(*arguments); });
}

}  // namespace mpm::cli

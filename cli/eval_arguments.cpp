// SPDX-License-Identifier: Apache-2.0
#include "cli/eval_arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "cli/option.h"
#include "cli/usage_error.h"

namespace mpm::cli {
namespace {

using evaluate::Format;
using evaluate::Shard;

void addDataOptions(CLI::App& command, EvalArguments& arguments) {
  addOption(command, "--format", arguments.format,
            "ade20k|cityscapes|pascal-context|folder|sequence",
            "how the data set is laid out; sequence: a fixed camera's frames\n"
            "in order, segmented with scene memory; DATASET is then a folder,\n"
            "a video or scene:?seed=7..11&hour=12");
  addOption(command, "--every", arguments.every, "SECONDS",
            "time between two frames of a sequence scene: (default: 1)")
      ->check(within(0.01, 86400.0));
  addOption(command, "--split", arguments.split, "NAME",
            "another part of the data set, such as train (default: val;\n"
            "for folder, images/ and labels/ themselves)");
  addOption(command, "--classes", arguments.classes.classes, "59|60",
            "for pascal-context: without or with the background\n"
            "(default: as many as the model has)");
  addOption(command, "--ignore", arguments.classes.ignored, "N",
            "for folder: the number in label pictures that does not\n"
            "count (default: 255)")
      ->check(within(0, 65535));
  command.add_flag("--reduce-zero-label", arguments.classes.reduceZero,
                   "for folder: number 0 does not count either, and number\n"
                   "1 is the first class");
  addOption(command, "--limit", arguments.limit, "N", "use N pictures, spread over the data set")
      ->check(within(1, 1 << 30));
  command.add_flag("--paper-night", arguments.paperNight,
                   "turn each photo into a night first, as the paper does:\n"
                   "less light, thermal noise, shot noise");
}

void addFitOptions(CLI::App& command, EvalArguments& arguments) {
  addOption(command, "--fit", arguments.fit, "stretch|slide",
            "how a photo is fitted to the model's input\n"
            "stretch: the whole photo, resized to it; slide: windows of\n"
            "its size over the photo, aspect ratio kept (default: the\n"
            "format's)");
  addOption(command, "--short-side", arguments.shortSide, "PIXELS",
            "for slide: the length a photo's short side is resized to\n"
            "(default: the format's)")
      ->check(within(1, 65535));
  addOption(command, "--stride", arguments.stride, "PIXELS",
            "for slide: step from window to window (default: 32 less\n"
            "than the window's side)")
      ->check(within(1, 65535));
}

void addMeasureOptions(CLI::App& command, EvalArguments& arguments) {
  addOption(command, "--merge-before", arguments.schedules, "BLOCKS",
            "blocks to merge before, counted from 0, or none; may be\n"
            "given several times (default: none, and 2,5)")
      ->allow_extra_args(false);
  addOption(command, "--small", arguments.small, "NAMES",
            "classes whose mean IoU is reported separately, such as\n"
            "person,lamp")
      ->delimiter(',')
      ->allow_extra_args(false);
  addOption(command, "--locality", arguments.locality, "N",
            "measure how far apart merged pairs are on every N-th\n"
            "picture (default: 10; 0: on none)")
      ->check(within(0, 1 << 30));
}

void addResultOptions(CLI::App& command, EvalArguments& arguments) {
  addOption(command, "-o,--out", arguments.folder, "DIR", "a folder for the results");
  command.add_flag("--restart", arguments.restart, "start over, whatever DIR holds");
  addOption(command, "--shard", arguments.shard, "I/N",
            "take every N-th picture from the I-th on, so that machines\n"
            "can share the work");
  addOption(command, "--join", arguments.join, "DIR",
            "add up the shards in these folders; takes neither MODEL\n"
            "nor DATASET");
  command.add_flag("--json", arguments.json, "print the summary as JSON");
}

Format parseFormat(const std::string& name) {
  if (name.empty()) throw UsageError("--format is required; see mpm eval --help");
  try {
    return evaluate::formatNamed(name);
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--") + error.what());
  }
}

Shard parseShard(const std::string& text) {
  Shard shard;
  if (text.empty()) return shard;
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos ||
      !parseWhole(std::string_view(text).substr(0, slash), shard.number) ||
      !parseWhole(std::string_view(text).substr(slash + 1), shard.count) || shard.number < 1 ||
      shard.number > shard.count) {
    throw UsageError("--shard " + text +
                     " is not a shard; give its number and how many there are, such as 1/4");
  }
  return shard;
}

std::vector<Schedule> parseSchedules(const std::vector<std::string>& texts) {
  std::vector<Schedule> schedules;
  for (const std::string& text : texts) {
    const Schedule schedule = parseSchedule(text);
    if (std::find(schedules.begin(), schedules.end(), schedule) != schedules.end())
      throw UsageError("--merge-before " + text + " is given twice");
    schedules.push_back(schedule);
  }
  return schedules;
}

void checkFit(const EvalArguments& arguments, EvalWish& wish) {
  if (!arguments.fit.empty() && arguments.fit != "stretch" && arguments.fit != "slide")
    throw UsageError("--fit " + arguments.fit + " is not known; use stretch or slide");
  wish.slides =
      arguments.fit.empty() ? evaluate::protocolOf(wish.format).slides : arguments.fit == "slide";
  if (!wish.slides && (arguments.shortSide != 0 || arguments.stride != 0))
    throw UsageError("--short-side and --stride only go with --fit slide");
  wish.shortSide =
      arguments.shortSide != 0 ? arguments.shortSide : evaluate::protocolOf(wish.format).shortSide;
  wish.stride = arguments.stride;
}

void checkClasses(const EvalArguments& arguments, const EvalWish& wish) {
  const evaluate::ClassOptions& classes = arguments.classes;
  if (classes.classes != 0 && wish.format != Format::pascalContext)
    throw UsageError("--classes only goes with --format pascal-context");
  if (classes.classes != 0 && classes.classes != 59 && classes.classes != 60)
    throw UsageError("--classes " + std::to_string(classes.classes) +
                     ": Pascal Context has 59, or 60 with the background");
  if ((classes.ignored != 255 || classes.reduceZero) && wish.format != Format::folder)
    throw UsageError("--ignore and --reduce-zero-label only go with --format folder");
  if (arguments.every > 0) throw UsageError("--every only goes with --format sequence");
}

}  // namespace

void EvalArguments::addTo(CLI::App& command) {
  addOption(command, "MODEL", model, "", "an ONNX file of a segmentation model");
  addOption(command, "DATASET", dataset, "", "the folder of the data set");
  addDataOptions(command, *this);
  addFitOptions(command, *this);
  addMeasureOptions(command, *this);
  read.addModelTo(command);
  read.addPrecisionTo(command);
  threads.addTo(command);
  addResultOptions(command, *this);
}

EvalWish wishOf(const EvalArguments& arguments) {
  const std::string help = " is required; see mpm eval --help";
  if (arguments.model.empty()) throw UsageError("MODEL" + help);
  if (arguments.dataset.empty()) throw UsageError("DATASET" + help);
  EvalWish wish;
  wish.format = parseFormat(arguments.format);
  wish.shard = parseShard(arguments.shard);
  wish.read = arguments.read.parse();
  if (!arguments.schedules.empty()) wish.schedules = parseSchedules(arguments.schedules);
  if (arguments.folder.empty() && (wish.shard.count > 1 || arguments.restart))
    throw UsageError("--shard and --restart need a folder for the results; add --out DIR");
  checkFit(arguments, wish);
  checkClasses(arguments, wish);
  return wish;
}

bool hasPictureOptions(const EvalArguments& arguments) {
  const EvalArguments none;
  return !arguments.split.empty() || !arguments.small.empty() || !arguments.fit.empty() ||
         !arguments.shard.empty() || arguments.restart || arguments.paperNight ||
         arguments.shortSide != 0 || arguments.stride != 0 || arguments.classes.classes != 0 ||
         arguments.classes.reduceZero || arguments.classes.ignored != none.classes.ignored ||
         arguments.locality != none.locality;
}

SequencePlan sequenceOf(const EvalArguments& arguments) {
  if (hasPictureOptions(arguments) || !arguments.folder.empty() || arguments.schedules.size() > 1)
    throw UsageError(
        "--format sequence goes with --limit, --every, one --merge-before and --json alone");
  if (arguments.model.empty() || arguments.dataset.empty())
    throw UsageError("MODEL and DATASET are required; see mpm eval --help");
  SequencePlan plan;
  plan.model = arguments.model;
  plan.read = arguments.read.parse();
  if (!arguments.schedules.empty()) plan.schedule = parseSchedule(arguments.schedules[0]);
  plan.cameras = streetsOf(arguments.dataset);
  if (arguments.every > 0) plan.everySeconds = arguments.every;
  if (arguments.limit > 0) plan.most = arguments.limit;
  plan.threads = arguments.threads.use();
  return plan;
}

}  // namespace mpm::cli

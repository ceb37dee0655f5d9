// SPDX-License-Identifier: Apache-2.0
// mpm teach: classes of one's own, from a few painted frames.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/input_files.h"
#include "cli/option.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/read_options.h"
#include "cli/teach_files.h"
#include "cli/usage_error.h"
#include "cli/wording.h"
#include "evaluate/pair_files.h"
#include "evaluate/picture.h"
#include "mpm/teach.h"
#include "segment/class_list.h"

namespace mpm::cli {
namespace {

struct TeachArguments {
  std::string backbone, check, frames, labels, output, classes;
  ReadOptionArguments read;
  ThreadOption threads;
  bool anew = false;
};

void checkWords(const TeachArguments& arguments) {
  if (arguments.backbone.empty() == arguments.check.empty())
    throw UsageError("give --backbone to teach, or --check to see how good a taught model is");
  if (!arguments.backbone.empty() && arguments.output.empty())
    throw UsageError("--backbone needs -o FILE.onnx, where the taught model goes");
  if (!arguments.check.empty() && (!arguments.output.empty() || !arguments.classes.empty()))
    throw UsageError("-o and --classes do not go with --check, which writes nothing");
  if (!arguments.check.empty() && arguments.anew)
    throw UsageError("--anew does not go with --check, which teaches nothing");
}

void addFrames(Teacher& teacher, const PaintedFolder& folder) {
  Progress progress("looking at the frames", Progress::Away::lines);
  double done = 0;
  for (const evaluate::Pair& pair : folder.painted) {
    const PaintedFrame painted = readPaintedFrame(pair);
    try {
      teacher.add(painted.frame, painted.labels);
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(pair.label + ": " + error.what());
    }
    progress.show(++done / static_cast<double>(folder.painted.size()));
  }
}

std::string lessonTable(const Lesson& lesson) {
  std::vector<std::vector<std::string>> rows = {{"class", "frames", "% of the paint", "IoU in %"}};
  for (const TaughtClass& each : lesson.classes) {
    rows.push_back({each.name, std::to_string(each.frames), numberText(100 * each.share, 2),
                    percentOrDash(each.iou)});
  }
  rows.push_back({"mean", std::to_string(lesson.frames), "", percentOrDash(lesson.meanIou)});
  return tableText(rows, "lrrr");
}

// What needed not be computed again.
std::string keptText(const Lesson& lesson) {
  if (lesson.kept == 0) return {};
  return "; " + std::to_string(lesson.kept) + " of " + countText(lesson.frames, "frame") +
         " had been looked at before";
}

// The frames without paint that the teacher is least sure of.
std::string proposal(Teacher& teacher, const PaintedFolder& folder) {
  constexpr std::size_t kLooked = 24, kTold = 3;
  std::vector<std::pair<double, std::string>> doubts;
  {
    Progress progress("looking for frames to paint next", Progress::Away::lines);
    const auto looked = evaluate::spreadPairs(folder.unpainted, kLooked);
    for (const evaluate::Pair& pair : looked) {
      const cv::Mat frame = evaluate::readPhotoFile(pair.photo);
      if (!frame.empty()) doubts.emplace_back(teacher.doubt(frame), pair.photo);
      progress.show(static_cast<double>(doubts.size()) / static_cast<double>(looked.size()));
    }
  }
  std::stable_sort(doubts.begin(), doubts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kTold, doubts.size()); ++i) {
    text += (i == 0 ? "least sure of, and so worth painting next: " : ", ") + doubts[i].second +
            " (" + percentOrDash(doubts[i].first) + "%)";
  }
  return text.empty() ? text : text + '\n';
}

InputFiles inputsOf(const TeachArguments& arguments, const PaintedFolder& folder) {
  InputFiles inputs(arguments.backbone);
  for (const auto& pairs : {folder.painted, folder.unpainted}) {
    for (const evaluate::Pair& pair : pairs) inputs.addAll(std::array{pair.photo, pair.label});
  }
  if (const std::string classes = classFile(arguments.classes, arguments.labels); !classes.empty())
    inputs.add(classes);
  return inputs;
}

void teachModel(const TeachArguments& arguments) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  TeachOptions options;
  options.read = arguments.read.parse();
  segment::ClassList classes = namedClasses(arguments.classes, arguments.labels);
  options.classes = std::move(classes.names);
  options.palette = std::move(classes.palette);
  if (!arguments.anew) options.keep = keptFolder(arguments.labels);
  const PaintedFolder folder = readPaintedFolder(arguments.frames, arguments.labels);
  inputsOf(arguments, folder).checkOutput(arguments.output);
  std::unique_ptr<Progress> progress;
  options.progress = [&](double share) {
    progress->show(share);
    return true;
  };
  Teacher teacher(arguments.backbone, options);
  addFrames(teacher, folder);
  progress = std::make_unique<Progress>("teaching", Progress::Away::lines);
  const Lesson lesson = teacher.teach();
  progress.reset();
  removeLeftovers(arguments.output);
  teacher.write(arguments.output);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::cout << lessonTable(lesson) << '\n';
  for (const Advice& advice : lesson.advice) std::cout << advice.sentence() << '\n';
  if (lesson.knowsPlaces)
    std::cout
        << "It relies on where things are in the picture, which found more on held-out frames; "
           "teach again when the camera looks elsewhere.\n";
  std::cout << proposal(teacher, folder) << "wrote " << arguments.output << " after "
            << numberText(seconds, 1) << " s" << keptText(lesson)
            << (std::isnan(lesson.meanIou) ? "\n" : "; IoU is that of held-out frames\n");
}

void teachOrCheck(const TeachArguments& arguments) {
  checkWords(arguments);
  arguments.threads.use();
  if (arguments.check.empty()) {
    teachModel(arguments);
    return;
  }
  std::cout << checkTable(arguments.check, readPaintedFolder(arguments.frames, arguments.labels),
                          arguments.labels, arguments.read.parse());
}

}  // namespace

void addTeach(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("teach", "teach a model classes of your own, from painted frames");
  const auto arguments = std::make_shared<TeachArguments>();
  addOption(*command, "--backbone", arguments->backbone, "MODEL",
            "an ONNX file of a Vision Transformer; its head is not used");
  addOption(*command, "--frames", arguments->frames, "DIR", "pictures of one fixed camera")
      ->required();
  addOption(*command, "--labels", arguments->labels, "DIR",
            "their paintings, NAME.png: a pixel's value is its class,\n"
            "255 is unpainted")
      ->required();
  addOption(*command, "-o,--out", arguments->output, "FILE.onnx", "the taught model");
  addOption(*command, "--classes", arguments->classes, "FILE|a,b,c",
            "names of the classes, from 0 on (default: classes.txt\n"
            "in the folder of paintings or next to it)");
  addOption(*command, "--check", arguments->check, "MODEL",
            "report how well a taught model does on held-out frames");
  command->add_flag("--anew", arguments->anew,
                    "compute everything again, and store nothing for the next\n"
                    "time (in .features next to the paintings)");
  arguments->read.addScheduleTo(*command);
  arguments->read.addInputSizeTo(*command);
  arguments->read.addPrecisionTo(*command);
  arguments->threads.addTo(*command);
  command->footer(
      "Any part of a frame may be painted. The table shows each class's IoU on frames that the\n"
      "head did not learn from, before you use it. Unpainted frames are looked at too, and those\n"
      "that would help most are named. Writes an ordinary segmentation model. If it is stopped,\n"
      "the same command continues where it was.\n"
      "Example: mpm teach --backbone dinov2.onnx --frames yard --labels painted \\\n"
      "           --classes grass,path,snow -o yard.onnx");
  command->callback([arguments] { teachOrCheck(*arguments); });
}

}  // namespace mpm::cli

// SPDX-License-Identifier: Apache-2.0
// mpm teach: trains a head for the user's own classes from a few annotated frames.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <opencv2/core.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/wording.h"
#include "evaluate/confusion.h"
#include "evaluate/pairs.h"
#include "evaluate/picture.h"
#include "evaluate/truth.h"
#include "mpm/net.h"
#include "mpm/segmenter.h"
#include "mpm/teach.h"
#include "segment/class_list.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;

// Frames of one folder and their annotations, NAME.png in another. A frame without one is not
// annotated yet.
struct PaintedFolder {
  std::vector<evaluate::Pair> painted, unpainted;
};

struct PaintedFrame {
  cv::Mat frame, labels;  // BGR; CV_16U
};

// Throws std::runtime_error if a folder cannot be read or no frame has an annotation. Reports an
// annotation without a frame on stderr.
PaintedFolder readPaintedFolder(const std::string& frames, const std::string& labels) {
  const evaluate::Listing listing = evaluate::pairFolders(frames, labels);
  PaintedFolder folder;
  std::error_code ignored;
  for (const evaluate::Pair& pair : listing.pairs)
    (fs::exists(pair.label, ignored) ? folder.painted : folder.unpainted).push_back(pair);
  if (folder.painted.empty()) {
    throw std::runtime_error("no frame in " + frames + " has a painting in " + labels +
                             "; a painting of NAME.jpg is NAME.png");
  }
  if (!listing.lonely.empty()) {
    std::cerr << "mpm: ignored " << countText(listing.lonely.size(), "painting")
              << " without a frame in " << frames << ": " << listing.lonely.front()
              << (listing.lonely.size() > 1 ? ", ...\n" : "\n");
  }
  return folder;
}

// Throws std::runtime_error, which names the file, if one cannot be read.
PaintedFrame readPaintedFrame(const evaluate::Pair& pair) {
  PaintedFrame painted{evaluate::readPhotoFile(pair.photo), evaluate::readLabelNumbers(pair.label)};
  if (painted.frame.empty()) throw std::runtime_error(pair.photo + " cannot be read as a picture");
  return painted;
}

// Returns the folder for results on a folder's annotations: TeachOptions::keep.
std::string keptFolder(const std::string& labels) {
  return (fs::path(labels) / ".features").string();
}

// Returns the file that namedClasses reads; empty if there is none.
std::string classFile(const std::string& words, const std::string& labels) {
  std::vector<fs::path> places = {words};
  if (words.empty()) {
    places = {fs::path(labels) / "classes.txt",
              fs::absolute(fs::path(labels)).lexically_normal() / ".." / "classes.txt"};
  }
  std::error_code ignored;
  for (const fs::path& path : places) {
    if (fs::is_regular_file(path, ignored)) return path.string();
  }
  return {};
}

// Reads classes from `words`: a file with a class on each line, with or without a tab and a colour
// #rrggbb, or names separated by commas. Without words it reads classes.txt in `labels` or next to
// it, as mpm-scene writes it. Throws UsageError if there is none.
segment::ClassList namedClasses(const std::string& words, const std::string& labels) {
  if (const std::string file = classFile(words, labels); !file.empty())
    return segment::readClassList(file);
  if (words.empty()) {
    throw UsageError(
        "what are the classes called? Give --classes FILE or --classes sky,snow,road, "
        "or put a classes.txt next to the paintings");
  }
  segment::ClassList classes;
  std::istringstream stream(words);
  for (std::string name; std::getline(stream, name, ',');)
    classes.names.push_back(segment::trimmedName(name));
  return classes;
}

// Returns shares as percent with one digit; "-" for NaN.
std::string percentOrDash(double share) {
  return std::isnan(share) ? "-" : numberText(100 * share, 1);
}

cv::Mat truthOf(const PaintedFrame& painted, const evaluate::Pair& pair,
                const evaluate::LabelRule& rule) {
  if (painted.labels.size() != painted.frame.size()) {
    throw std::runtime_error(pair.label + " is " + sizeText(painted.labels.size()) +
                             ", and its frame " + sizeText(painted.frame.size()) +
                             "; they must be the same size");
  }
  evaluate::Truth truth = rule.truthOf(painted.labels);
  if (truth.outside) {
    throw std::runtime_error(pair.label + " has number " + std::to_string(*truth.outside) +
                             ", which is not one of the model's classes; unpainted is 255");
  }
  return truth.classes;
}

// Compares each schedule's labels with the annotations.
std::vector<evaluate::Confusion> confusionsOf(Segmenter& segmenter, const PaintedFolder& folder,
                                              const std::vector<Schedule>& schedules) {
  const std::size_t classes = segmenter.classes().size();
  std::vector<evaluate::Confusion> found(schedules.size(), evaluate::Confusion(classes));
  const auto rule = evaluate::LabelRule::plain(classes, 255);
  Progress progress("checking");
  double done = 0;
  for (const evaluate::Pair& pair : folder.painted) {
    const PaintedFrame painted = readPaintedFrame(pair);
    const cv::Mat truth = truthOf(painted, pair, rule);
    for (std::size_t i = 0; i < schedules.size(); ++i) {
      if (segmenter.model().mergeable) segmenter.setSchedule(schedules[i]);
      found[i].add(truth, segmenter.segment(painted.frame).labels);
    }
    progress.show(++done / static_cast<double>(folder.painted.size()));
  }
  return found;
}

using Rows = std::vector<std::vector<std::string>>;

// Adds a row for each class, their mean, and the share of right pixels; a column per quality.
void addShares(const std::vector<std::string>& names,
               const std::vector<evaluate::Quality>& qualities, Rows& rows) {
  const auto add = [&](const std::string& name, const auto& shareOf) {
    rows.push_back({name});
    for (const evaluate::Quality& quality : qualities)
      rows.back().push_back(percentOrDash(shareOf(quality)));
  };
  // A class without annotations cannot be judged, even if the model finds it somewhere, wrongly.
  const auto isSeen = [&](std::size_t k) { return qualities[0].pixels[k] > 0; };
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (isSeen(k)) {
      add(names[k], [&](const auto& quality) { return quality.iou[k]; });
    } else {
      rows.push_back({names[k]});
      rows.back().resize(1 + qualities.size(), "not seen");
    }
  }
  add("mean", [&](const auto& quality) {
    std::vector<double> seen;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (isSeen(k)) seen.push_back(quality.iou[k]);
    return evaluate::meanOf(seen);
  });
  add("pixels that are right", [](const auto& quality) { return quality.pixelAccuracy; });
}

// Compares a model with annotations: a table of each class's IoU at annotated pixels, unmerged and,
// if it can merge, with the schedule of `read`. Throws std::runtime_error if the classes.txt of
// `labels`, as namedClasses finds it, has the model's classes in another order.
std::string checkTable(const std::string& model, const PaintedFolder& folder,
                       const std::string& labels, const ReadOptions& read) {
  SegmenterOptions options;
  options.read = read;
  options.confidence = false;
  Segmenter segmenter(model, options);
  std::vector<Schedule> schedules = {{}};
  if (segmenter.model().mergeable && !segmenter.schedule().empty())
    schedules.push_back(segmenter.schedule());
  const std::vector<std::string>& names = segmenter.classes();
  if (const std::string list = classFile("", labels); !list.empty())
    evaluate::checkOrder(list, segment::readClassList(list).names, names);
  Rows rows = {{"IoU in %"}};
  std::vector<evaluate::Quality> qualities;
  for (const Schedule& schedule : schedules)
    rows[0].push_back(schedule.empty() ? "unmerged" : schedule.text());
  for (const evaluate::Confusion& found : confusionsOf(segmenter, folder, schedules))
    qualities.push_back(evaluate::qualityOf(found));
  addShares(names, qualities, rows);
  return tableText(rows, "l" + std::string(schedules.size(), 'r'));
}

struct TeachArguments {
  std::string backbone, check, frames, labels, output, classes, depths;
  ModelOptions read;
  bool restart = false;
};

void checkWords(const TeachArguments& arguments) {
  if (arguments.backbone.empty() == arguments.check.empty())
    throw UsageError("give --backbone to teach, or --check to see how good a taught model is");
  if (!arguments.backbone.empty() && arguments.output.empty())
    throw UsageError("--backbone needs -o FILE.onnx, where the taught model goes");
  if (!arguments.check.empty() && (!arguments.output.empty() || !arguments.classes.empty()))
    throw UsageError("-o and --classes do not go with --check, which writes nothing");
  if (!arguments.check.empty() && (arguments.restart || !arguments.depths.empty()))
    throw UsageError("--restart and --depths do not go with --check, which teaches nothing");
}

void addFrames(Teacher& teacher, const PaintedFolder& folder) {
  Progress progress("looking at the frames", Progress::kLines);
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

// Says how much was not computed again.
std::string keptText(const Lesson& lesson) {
  if (lesson.kept == 0) return {};
  return "; " + std::to_string(lesson.kept) + " of " + countText(lesson.frames, "frame") +
         " had been looked at before";
}

// Names the frames without annotation that the teacher is least certain of.
std::string proposal(Teacher& teacher, const PaintedFolder& folder) {
  constexpr std::size_t kLooked = 24, kTold = 3;
  std::vector<std::pair<double, std::string>> doubts;
  {
    Progress progress("looking for frames to paint next", Progress::kLines);
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
  if (arguments.depths == "1") options.depths = 1;
  if (arguments.depths == "4") options.depths = 4;
  if (!arguments.restart) options.keep = keptFolder(arguments.labels);
  const PaintedFolder folder = readPaintedFolder(arguments.frames, arguments.labels);
  inputsOf(arguments, folder).checkOutput(arguments.output);
  std::unique_ptr<Progress> progress;
  options.progress = [&](double share) {
    progress->show(share);
    return true;
  };
  Teacher teacher(arguments.backbone, options);
  addFrames(teacher, folder);
  progress = std::make_unique<Progress>("teaching", Progress::kLines);
  const Lesson lesson = teacher.teach();
  progress.reset();
  removeLeftovers(arguments.output);
  teacher.write(arguments.output);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::cout << lessonTable(lesson) << '\n';
  for (const Advice& advice : lesson.advice) std::cout << advice.sentence() << '\n';
  if (lesson.depths > 1) std::cout << "It takes the tokens of " << lesson.depths << " depths.\n";
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
  arguments.read.useThreads();
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
  addOut(*command, arguments->output, "FILE.onnx", "the taught model");
  addOption(*command, "--classes", arguments->classes, "FILE|a,b,c",
            "names of the classes, from 0 on (default: classes.txt\n"
            "in the folder of paintings or next to it)");
  addOption(*command, "--depths", arguments->depths, "auto|1|4",
            "take the last block's tokens, or those of three blocks\n"
            "before it, too, which takes four times the memory to learn;\n"
            "auto: those of four where they find much more on held-out\n"
            "frames (default: auto)")
      ->check(CLI::IsMember({"auto", "1", "4"}).description(""));
  addOption(*command, "--check", arguments->check, "MODEL",
            "report how well a taught model does on held-out frames");
  command->add_flag("--restart", arguments->restart,
                    "compute everything again, and store nothing for the next\n"
                    "time (in .features next to the paintings)");
  arguments->read.addTo(*command, kSchedule | kInputSize | kPrecision | kThreads);
  addRenamed(*command, {{"--anew", "--restart"}});
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

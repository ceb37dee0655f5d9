// SPDX-License-Identifier: Apache-2.0
// mpm tune: finds the schedule that pays on this machine, on these frames.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/core/version.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/frames.h"
#include "cli/measure.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/wording.h"
#include "files/new_file.h"
#include "mpm/net.h"
#include "mpm/segmenter.h"
#include "mpm/tune.h"

namespace mpm::cli {
namespace {

using Json = nlohmann::ordered_json;

// int8 calibrated on every second frame and judged by the others, since ranges measured on a frame
// flatter it.
struct CalibratedInt8 {
  std::string fault;  // why it could not be tried, in a sentence without its end; else empty
  std::size_t calibratedOn = 0, judgedBy = 0;  // frames
  std::vector<TunedPrecision> asItIs;          // of the model, by the frames that judge
  std::vector<TunedPrecision> precisions;      // the same of the calibrated file
  std::string command;  // what makes such a file, calibrated on all the inputs

  // Tells whether the file is worth making: int8 keeps float32's labels in it, and more than
  // uncalibrated, and --precision auto chooses it there. Uncalibrated int8 may be good enough on
  // these frames alone.
  bool helps() const;
};

// Requirement on a schedule: at most one of the two.
struct TuneGoal {
  std::optional<double> targetFps;
  std::optional<double> minAgreement{};  // without either: the unmerged noise floor
};

// Results of `mpm tune`.
struct TuneReport {
  std::string model, precision;
  std::vector<TunedPrecision> precisions;  // what it was chosen from; empty: it was asked for
  std::optional<double> labelsAsFp32;      // of the precision, unmerged; none of float32 itself
  Machine machine;
  int frames = 0;   // that were judged by
  int leftOut = 0;  // others, of one colour
  Tuning tuning;
  TuneGoal goal;
  std::optional<CalibratedInt8> calibrated;  // where it was tried
  std::optional<Schedule> converted;         // the merges of a file that has no others
};

// Quotes a word for a shell.
std::string quoted(const std::string& word) {
  const auto isPlain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./:,@%+=").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), isPlain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

// Shows an address without its password, which has to be filled in again.
std::string shownInput(const std::string& input) {
  return input.rfind('@', 0) == 0 ? input : placeOf(input).shown;
}

std::string commandOf(const std::string& model, const ReadOptions& read,
                      const std::vector<std::string>& inputs) {
  const std::string stem = std::filesystem::path(model).stem().string() + "_int8";
  std::string command = "mpm convert " + quoted(model) + " -o " + quoted(stem + ".onnx");
  if (read.schedule) command += " --merge-before " + read.schedule->text();
  if (read.proportional) command += " --proportional";
  if (!read.inputSize.empty()) {
    command += " --input-size " + std::to_string(read.inputSize.width) + "x" +
               std::to_string(read.inputSize.height);
  }
  command += " --calibrate";
  for (const std::string& input : inputs) command += " " + quoted(shownInput(input));
  return command;
}

// Returns int8 from the result of tunePrecisions; null if it is missing.
const TunedPrecision* int8Of(const std::vector<TunedPrecision>& precisions) {
  const auto found = std::find_if(precisions.begin(), precisions.end(),
                                  [](const auto& one) { return one.precision == "int8"; });
  return found == precisions.end() ? nullptr : &*found;
}

bool CalibratedInt8::helps() const {
  return fault.empty() && fastestPrecision(precisions, kEnoughLabels).precision == "int8" &&
         int8Of(asItIs)->agreement < int8Of(precisions)->agreement;
}

// Tries the file that `mpm convert --calibrate` would write of the model, read with these options,
// and removes it. `inputs` are the sources of the frames.
CalibratedInt8 tryCalibrated(const std::string& model, const ReadOptions& read,
                             const std::vector<cv::Mat>& frames,
                             const std::vector<std::string>& inputs) {
  CalibratedInt8 tried;
  std::vector<cv::Mat> calibrating, judging;
  for (const cv::Mat& frame : frames)
    (calibrating.size() == judging.size() ? calibrating : judging).push_back(frame);
  if (judging.empty()) {
    tried.fault =
        "that takes two frames or more of several colours, some to calibrate on and others to "
        "judge by";
    return tried;
  }
  try {
    const files::NewFile file(std::filesystem::temp_directory_path() / "mpm_tune_", ".onnx");
    convert(model, file.path().string(), read, calibrationBlobs(model, read, calibrating));
    SegmenterOptions options;
    options.read.device = read.device;
    tried.precisions = tunePrecisions(file.path().string(), options, judging);
  } catch (const std::runtime_error& error) {
    tried.fault = error.what();
    return tried;
  }
  SegmenterOptions options;
  options.read = read;
  tried.asItIs = tunePrecisions(model, options, judging);
  tried.calibratedOn = calibrating.size();
  tried.judgedBy = judging.size();
  tried.command = commandOf(model, read, inputs);
  return tried;
}

// Returns the schedule that meets the goal; null if none reaches the target.
const TunedSchedule* pickOf(const TuneReport& report) {
  if (report.goal.targetFps) return bestThatReaches(report.tuning, *report.goal.targetFps);
  return &fastestThatAgrees(report.tuning, report.goal.minAgreement.value_or(report.tuning.floor));
}

std::string speedText(const TunedSchedule& one) { return "x " + numberText(1 / one.ratio, 2); }

std::vector<const TunedSchedule*> frontOf(const Tuning& tuning) {
  std::vector<const TunedSchedule*> front = {&tuning.full};
  for (const TunedSchedule& one : tuning.schedules) {
    if (one.onFront) front.push_back(&one);
  }
  std::sort(front.begin() + 1, front.end(),
            [](const auto* a, const auto* b) { return a->ms > b->ms; });
  return front;
}

std::string frontTable(const TuneReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"merge before", "a frame", "fps", "speed-up", "agreement", "live rows", ""}};
  const TunedSchedule* pick = pickOf(report);
  for (const TunedSchedule* one : frontOf(report.tuning)) {
    rows.push_back({one->schedule.empty() ? "(unmerged)" : one->schedule.text(), msText(one->ms),
                    numberText(1000 / one->ms, 1), speedText(*one), percentText(one->agreement),
                    rowsText(one->rows), one == pick ? "<- pick" : ""});
  }
  return tableText(rows, "lrrrrll");
}

std::string figuresOf(const TunedSchedule& one) {
  return msText(one.ms) + ", " + numberText(1000 / one.ms, 1) + " frames a second, " +
         percentText(one.agreement) + " agreement";
}

const TunedSchedule& fastest(const Tuning& tuning) {
  const TunedSchedule* best = &tuning.full;
  for (const TunedSchedule& one : tuning.schedules) {
    if (one.close && one.ms < best->ms) best = &one;
  }
  return *best;
}

std::string pickLine(const TuneReport& report) {
  const TuneGoal& goal = report.goal;
  const TunedSchedule* pick = pickOf(report);
  if (pick == nullptr) {
    const TunedSchedule& best = fastest(report.tuning);
    return "No pick: nothing reaches " + numberText(*goal.targetFps, 1) +
           " frames a second; the fastest is " + mergingText(best.schedule) + ", " +
           figuresOf(best) + ".\n";
  }
  const std::string percent = goal.minAgreement ? numberText(*goal.minAgreement * 100, 2) + "%"
                                                : "as many labels as a picture moved by a pixel, " +
                                                      percentText(report.tuning.floor);
  const std::string rate =
      goal.targetFps ? numberText(*goal.targetFps, 1) + " frames a second" : "";
  std::string reason = goal.targetFps ? "the highest agreement at " + rate + " or more"
                                      : "the fastest that keeps " + percent;
  if (pick->schedule.empty())
    reason = goal.targetFps ? "they reach " + rate
                            : "no schedule that is surely faster keeps " + percent;
  std::string line =
      "Pick: " + mergingText(pick->schedule) + ", " + figuresOf(*pick) + ": " + reason + ".\n";
  const std::vector<const TunedSchedule*> front = frontOf(report.tuning);
  if (!pick->schedule.empty() || goal.targetFps || goal.minAgreement || front.size() < 2)
    return line;
  const double percentBelow = std::floor(front[1]->agreement * 1000) / 10;
  return line + "The closest schedule is " + front[1]->schedule.text() + "; --min-agreement " +
         numberText(percentBelow, 1) + " picks it.\n";
}

std::string paysLine(const TuneReport& report) {
  if (report.tuning.pays) return "";
  const TunedSchedule& best = fastest(report.tuning);
  std::string line =
      "Merging does not pay with this model on this machine: no schedule is surely more than 3%\n"
      "faster than unmerged";
  if (best.schedule.empty()) return line + ".\n";
  line += " (the fastest, before " + best.schedule.text() + ", takes " + numberText(best.ratio, 2) +
          " of its time" + (best.ratio < 0.97 ? ", but frames differ too much to be sure)" : ")");
  return line + ".\n";
}

std::string floorLine(const TuneReport& report) {
  return "Noise floor: unmerged runs label " + percentText(report.tuning.floor) +
         " of the pixels the same when the picture is moved by a\n"
         "pixel. What merging changes up to there is hardly a loss.\n";
}

// Reports a precision that breaks the model, regardless of merging.
std::string precisionLine(const TuneReport& report) {
  if (!report.labelsAsFp32) return "";
  std::string line = report.precision + " labels " + percentText(*report.labelsAsFp32) +
                     " of the pixels as fp32 does, unmerged";
  if (*report.labelsAsFp32 < kEnoughLabels)
    line += ": less than 99.5%, so another precision is the better choice for this model";
  return line + ".\n";
}

std::string choiceLine(const TuneReport& report) {
  if (report.precisions.empty()) return "";
  std::string text = precisionText(report.precision, report.precisions);
  text[0] = 'C';
  return text + ".\n";
}

std::string framesText(const TuneReport& report) {
  const std::string text = countText(report.frames, "frame");
  return report.leftOut == 0
             ? text
             : text + " (without " + std::to_string(report.leftOut) + " of one colour)";
}

// A converted file keeps no other places for merges.
std::string convertedLine(const TuneReport& report) {
  if (!report.converted) return "";
  return "The file is already converted, and merges before " + report.converted->text() +
         ": no other merges were tried. Tune the model that it was made from to try them.\n";
}

// Reports what calibration makes of an int8 that loses labels, and what to do about it.
std::string calibratedText(const TuneReport& report) {
  if (!report.calibrated) return "";
  const CalibratedInt8& tried = *report.calibrated;
  if (!tried.fault.empty()) return "int8 was not tried calibrated: " + tried.fault + ".\n";
  const TunedPrecision &int8 = *int8Of(tried.precisions), &asItIs = *int8Of(tried.asItIs);
  const std::string judges =
      tried.judgedBy == 1 ? "other" : "other " + std::to_string(tried.judgedBy);
  const std::string text = "Calibrated on " + std::to_string(tried.calibratedOn) +
                           " of the frames, int8 takes " + numberText(int8.ratio, 2) +
                           " of fp32's time and labels " + percentText(int8.agreement) +
                           " of the pixels\nof the " + judges + " as fp32 does, and " +
                           percentText(asItIs.agreement) + " as it is";
  if (tried.helps())
    return text + ". This makes a file for --precision int8 or auto:\n  " + tried.command + '\n';
  if (int8.agreement <= asItIs.agreement) return text + ": it does not help.\n";
  if (int8.agreement < kEnoughLabels) return text + ", both less than 99.5%.\n";
  const TunedPrecision& best = fastestPrecision(tried.precisions, kEnoughLabels);
  return text + ", but " + best.precision + " is the better choice all the same.\n";
}

// Tells whether int8 was tried and labels fewer pixels as float32 does.
bool int8LosesLabels(const TuneReport& report) {
  if (report.precision == "int8" && report.labelsAsFp32)
    return *report.labelsAsFp32 < kEnoughLabels;
  const TunedPrecision* const int8 = int8Of(report.precisions);
  return int8 != nullptr && int8->agreement < kEnoughLabels;
}

// Formats the front, the pick and whether merging pays, for a person.
std::string tuneTable(const TuneReport& report) {
  const auto close = std::count_if(report.tuning.schedules.begin(), report.tuning.schedules.end(),
                                   [](const TunedSchedule& one) { return one.close; });
  return report.model + " in " + report.precision + "\n" + nameOf(report.machine) +
         ", OpenCV " CV_VERSION ", " + framesText(report) + "; " +
         countText(report.tuning.schedules.size(), "schedule") + " looked at, " +
         std::to_string(close) + " measured closely\n\n" + frontTable(report) + '\n' +
         pickLine(report) + floorLine(report) + paysLine(report) + precisionLine(report) +
         choiceLine(report) + calibratedText(report) + convertedLine(report);
}

Json entry(const TunedSchedule& one) {
  Json rows = Json::array();
  for (const double count : one.rows) rows.push_back(rounded(count));
  return {{"schedule", one.schedule.blocks()},
          {"ms", rounded(one.ms)},
          {"fps", rounded(1000 / one.ms)},
          {"ratio", rounded(one.ratio)},
          {"agreement", one.agreement},
          {"rows", rows},
          {"runs", one.runs},
          {"close", one.close},
          {"front", one.onFront}};
}

Json entries(const std::vector<TunedPrecision>& precisions) {
  Json all = Json::array();
  for (const TunedPrecision& one : precisions) {
    all.push_back({{"precision", one.precision},
                   {"ms", rounded(one.ms)},
                   {"ratio", rounded(one.ratio)},
                   {"agreement", rounded(one.agreement, 6)}});
  }
  return all;
}

Json entry(const CalibratedInt8& tried) {
  if (!tried.fault.empty()) return {{"fault", tried.fault}};
  return {{"calibrated_on", tried.calibratedOn},
          {"judged_by", tried.judgedBy},
          {"as_it_is", entries(tried.asItIs)},
          {"precisions", entries(tried.precisions)},
          {"helps", tried.helps()},
          {"command", tried.command}};
}

// Returns {"model", "machine", "threads", "precision", "precisions": [{"precision", "ms", "ratio",
// "agreement"}] if it was chosen, "labels_as_fp32", "frames", "left_out", "full", "schedules":
// [{"schedule", "ms", "fps", "ratio", "agreement", "rows", "runs", "close", "front"}], "floor",
// "pays", "goal", "pick", "calibrated_int8": {"fault"} or {"calibrated_on", "judged_by",
// "as_it_is", "precisions", "helps", "command"} if that was tried}.
std::string tuneJson(const TuneReport& report) {
  Json schedules = Json::array();
  for (const TunedSchedule& one : report.tuning.schedules) schedules.push_back(entry(one));
  const TunedSchedule* pick = pickOf(report);
  const Json goal =
      report.goal.targetFps
          ? Json{{"target_fps", *report.goal.targetFps}}
          : Json{{"min_agreement",
                  report.goal.minAgreement.value_or(rounded(report.tuning.floor, 6))}};
  Json json = {{"model", report.model},
               {"machine", machineJson(report.machine)},
               {"threads", report.machine.threads},
               {"precision", report.precision},
               {"labels_as_fp32", report.labelsAsFp32 ? Json(*report.labelsAsFp32) : Json()},
               {"frames", report.frames},
               {"left_out", report.leftOut},
               {"full", entry(report.tuning.full)},
               {"schedules", schedules},
               {"floor", rounded(report.tuning.floor, 6)},
               {"pays", report.tuning.pays},
               {"goal", goal},
               {"pick", pick == nullptr ? Json() : Json(pick->schedule.blocks())}};
  if (!report.precisions.empty()) json["precisions"] = entries(report.precisions);
  if (report.calibrated) json["calibrated_int8"] = entry(*report.calibrated);
  return jsonText(json);
}

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
    report.precisions = comparePrecisions(arguments.model, optionsOf(arguments, read), frames);
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

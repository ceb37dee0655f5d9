// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_report.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/core/version.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "cli/frames.h"
#include "cli/measure.h"
#include "cli/wording.h"
#include "files/new_file.h"
#include "mpm/segmenter.h"

namespace mpm::cli {

namespace {

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

}  // namespace

const TunedPrecision* int8Of(const std::vector<TunedPrecision>& precisions) {
  const auto found = std::find_if(precisions.begin(), precisions.end(),
                                  [](const auto& one) { return one.precision == "int8"; });
  return found == precisions.end() ? nullptr : &*found;
}

bool CalibratedInt8::helps() const {
  return fault.empty() && fastestPrecision(precisions, kEnoughLabels).precision == "int8" &&
         int8Of(asItIs)->agreement < int8Of(precisions)->agreement;
}

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

namespace {

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

}  // namespace

bool int8LosesLabels(const TuneReport& report) {
  if (report.precision == "int8" && report.labelsAsFp32)
    return *report.labelsAsFp32 < kEnoughLabels;
  const TunedPrecision* const int8 = int8Of(report.precisions);
  return int8 != nullptr && int8->agreement < kEnoughLabels;
}

const TunedSchedule* pickOf(const TuneReport& report) {
  if (report.goal.targetFps) return bestThatReaches(report.tuning, *report.goal.targetFps);
  return &fastestThatAgrees(report.tuning, report.goal.minAgreement.value_or(report.tuning.floor));
}

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

namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

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

}  // namespace mpm::cli

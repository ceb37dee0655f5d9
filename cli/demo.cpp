// SPDX-License-Identifier: Apache-2.0
// mpm-demo: runs the street model on a drawn street, from midnight to midnight.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/wording.h"
#include "evaluate/confusion.h"
#include "models/scenes/camera.h"
#include "models/scenes/classes.h"
#include "models/scenes/light.h"
#include "models/street/street_model.h"
#include "mpm/segmenter.h"
#include "mpm/tune.h"
#include "segment/pictures.h"
#include "tune/median.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;

// Options for one street over a day, segmented unmerged and merged.
struct DemoOptions {
  std::string model;
  SegmenterOptions segmenter;  // of merging; unmerged differs in the schedule alone
  std::uint64_t seed = 7;
  int frames = 96;
};

struct DemoFrame {
  double hour = 0;
  double daylight = 0;              // 0 night, 1 day
  std::vector<int> rows;            // live rows before all merges and behind each
  double agreement = 0;             // share of the pixels with the same label as unmerged
  double fullMs = 0, mergedMs = 0;  // frame to labels
};

enum class DemoLight { day, twilight, night };

constexpr int kDemoLights = 3;

// Pictures of a moment.
struct DemoMoment {
  double hour = 0;
  cv::Mat picture, labels, fullLabels, mergeMap;
  std::vector<int> rows;
};

struct DemoDay {
  std::vector<DemoFrame> frames;
  // Results for each DemoLight against the street's own labels; empty if the model has other
  // classes.
  std::vector<evaluate::Confusion> full, merged;
  std::vector<DemoMoment> moments;  // noon and midnight
  std::vector<cv::Vec3b> palette;
  Schedule schedule;
  std::string device;  // what computed; empty: the processor
  int threads = 1;
};

constexpr double kHour = 3600, kDay = 24;

DemoLight demoLightOf(const DemoFrame& frame) {
  if (frame.daylight >= 1) return DemoLight::day;
  return frame.daylight > 0 ? DemoLight::twilight : DemoLight::night;
}

const char* nameOf(DemoLight light) {
  switch (light) {
    case DemoLight::day:
      return "day";
    case DemoLight::twilight:
      return "twilight";
    default:
      return "night";
  }
}

double daylightAt(std::uint64_t seed, double time) {
  const scenes::Light light = scenes::lightAt(seed, time, scenes::weatherAt(seed, time));
  return std::clamp(0.5 + 5 * light.sunHeight, 0.0, 1.0);  // 1 from 6 degrees above the horizon
}

// The camera, and the two segmenters that use it.
class Watch {
 public:
  explicit Watch(const DemoOptions& options)
      : options_(options),
        camera_(cameraOptions(options)),
        merged_(options.model, options.segmenter),
        full_(options.model, fullTokens(options.segmenter)) {
    checkCanMerge(merged_.model(), options.model);
    day_.palette = merged_.palette();
    day_.schedule = merged_.schedule();
    if (scenes::areOfTheStreet(merged_.classes())) {
      day_.full.assign(kDemoLights, evaluate::Confusion(scenes::kClasses));
      day_.merged = day_.full;
    }
  }

  const DemoFrame& look(double hour, bool keep) {
    DemoFrame frame;
    frame.hour = hour;
    frame.daylight = daylightAt(options_.seed, hour * kHour);
    camera_.shoot(hour * kHour, picture_, truth_);
    const Segmentation full = full_.segment(picture_), merged = merged_.segment(picture_);
    frame.rows = merged.rows;
    frame.fullMs = full.times.wholeMs(), frame.mergedMs = merged.times.wholeMs();
    frame.agreement = agreementOf(merged.labels, full.labels);
    if (!day_.full.empty()) count(demoLightOf(frame), full.labels, merged.labels);
    if (keep) {
      day_.moments.push_back(
          {hour, picture_.clone(), merged.labels, full.labels, merged.mergeMap, merged.rows});
    }
    return day_.frames.emplace_back(std::move(frame));
  }

  DemoDay take() { return std::move(day_); }

 private:
  static scenes::CameraOptions cameraOptions(const DemoOptions& options) {
    scenes::CameraOptions camera;
    camera.seed = options.seed;
    return camera;
  }

  static SegmenterOptions fullTokens(SegmenterOptions options) {
    options.read.schedule.emplace();
    return options;
  }

  void count(DemoLight light, const cv::Mat& full, const cv::Mat& merged) {
    cv::Mat truth;
    truth_.convertTo(truth, CV_16U);
    const auto index = static_cast<std::size_t>(light);
    day_.full[index].add(truth, full);
    day_.merged[index].add(truth, merged);
  }

  const DemoOptions& options_;
  scenes::Camera camera_;
  Segmenter merged_, full_;
  cv::Mat picture_, truth_;
  DemoDay day_;
};

// Throws as Segmenter does, and std::runtime_error if the model cannot merge. Calls `ready` when
// the model has been read, and `seen` with each frame.
DemoDay runDemoDay(const DemoOptions& options, const std::function<void()>& ready,
                   const std::function<void(const DemoFrame&)>& seen) {
  Watch watch(options);
  ready();
  const double step = kDay / options.frames;
  const int noon = options.frames / 2;
  for (int frame = 0; frame < options.frames; ++frame)
    seen(watch.look(frame * step, frame == 0 || frame == noon));
  return watch.take();
}

struct Sum {
  std::vector<double> full, merged;
  double agreement = 0, before = 0, after = 0;
  std::size_t frames = 0;
};

Sum sumOf(const DemoDay& day, DemoLight light) {
  Sum sum;
  for (const DemoFrame& frame : day.frames) {
    if (demoLightOf(frame) != light) continue;
    ++sum.frames;
    sum.full.push_back(frame.fullMs), sum.merged.push_back(frame.mergedMs);
    sum.agreement += frame.agreement;
    sum.before += frame.rows.front(), sum.after += frame.rows.back();
  }
  return sum;
}

std::string meanIou(const std::vector<evaluate::Confusion>& confusions, DemoLight light) {
  if (confusions.empty()) return "-";
  const double iou = evaluate::qualityOf(confusions[static_cast<std::size_t>(light)]).meanIou;
  return numberText(iou, 3);
}

std::string clockText(double hour) {
  const int minutes = static_cast<int>(std::lround(hour * 60));
  return cv::format("%d:%02d", minutes / 60, minutes % 60);
}

// Says what the times were measured on.
std::string footnote(const DemoDay& day) {
  return "mIoU and time: unmerged, then merged. agreement: pixels with the unmerged label.\n"
         "Times are medians from frame to labels, on " +
         (day.device.empty() ? "" : day.device + " and ") + countText(day.threads, "thread") +
         ".\n";
}

// Formats a line for each light: mIoU and time, unmerged and merged, rows, agreement; and what the
// times were measured on.
std::string demoTable(const DemoDay& day) {
  std::vector<std::vector<std::string>> rows = {{"light", "frames", "mIoU", "merged", "agreement",
                                                 "live rows", "merged away", "time", "merged"}};
  for (int i = 0; i < kDemoLights; ++i) {
    const auto light = static_cast<DemoLight>(i);
    const Sum sum = sumOf(day, light);
    if (sum.frames == 0) continue;
    const auto count = static_cast<double>(sum.frames);
    rows.push_back({nameOf(light), std::to_string(sum.frames), meanIou(day.full, light),
                    meanIou(day.merged, light), shareText(sum.agreement / count, 1),
                    numberText(sum.before / count, 0) + " > " + numberText(sum.after / count, 0),
                    shareText(1 - sum.after / sum.before, 1), msText(tune::median(sum.full)),
                    msText(tune::median(sum.merged))});
  }
  return tableText(rows, "lrrrrrrrr") + footnote(day);
}

// Returns "12:00  day  1025 > 790 > 640 rows ...": a frame's results on a line, without its end.
std::string demoLine(const DemoFrame& frame) {
  return cv::format("%5s  %-8s  %s rows  %s unmerged  %s merged  %s agreement",
                    clockText(frame.hour).c_str(), nameOf(demoLightOf(frame)),
                    rowsText(frame.rows).c_str(), msText(frame.fullMs).c_str(),
                    msText(frame.mergedMs).c_str(), shareText(frame.agreement, 1).c_str());
}

// Returns every frame and every light, for programs.
std::string demoJson(const DemoDay& day) {
  nlohmann::json json;
  json["schedule"] = day.schedule.blocks();
  json["threads"] = day.threads;
  if (!day.device.empty()) json["device"] = day.device;
  for (const DemoFrame& frame : day.frames) {
    json["frames"].push_back({{"hour", frame.hour},
                              {"light", nameOf(demoLightOf(frame))},
                              {"rows", frame.rows},
                              {"agreement", frame.agreement},
                              {"unmerged_ms", frame.fullMs},
                              {"merged_ms", frame.mergedMs}});
  }
  for (std::size_t i = 0; i < day.full.size(); ++i) {
    const evaluate::Quality full = evaluate::qualityOf(day.full[i]);
    const evaluate::Quality merged = evaluate::qualityOf(day.merged[i]);
    json["lights"][nameOf(static_cast<DemoLight>(i))] = {{"miou_unmerged", full.meanIou},
                                                         {"miou_merged", merged.meanIou}};
  }
  return jsonText(json);
}

constexpr int kGap = 12, kCaption = 34;

// Puts a caption above a picture.
cv::Mat captioned(const cv::Mat& picture, const std::string& words) {
  cv::Mat both;
  cv::copyMakeBorder(picture, both, kCaption, 0, 0, 0, cv::BORDER_CONSTANT, cv::Scalar::all(255));
  cv::putText(both, words, {2, 2 * kCaption / 3}, cv::FONT_HERSHEY_SIMPLEX, 0.6,
              cv::Scalar(52, 44, 38), 1, cv::LINE_AA);
  return both;
}

// Arranges two by two pictures on white.
cv::Mat square(const std::vector<cv::Mat>& parts) {
  const cv::Size one = parts.front().size();
  cv::Mat all(2 * one.height + 3 * kGap, 2 * one.width + 3 * kGap, CV_8UC3, cv::Scalar::all(255));
  for (int i = 0; i < 4; ++i) {
    const cv::Point at(kGap + i % 2 * (one.width + kGap), kGap + i / 2 * (one.height + kGap));
    parts[static_cast<std::size_t>(i)].copyTo(all(cv::Rect(at, one)));
  }
  return all;
}

// Shows a moment: the frame, its labels unmerged and merged, the merged tokens.
cv::Mat demoPicture(const DemoMoment& moment, const std::vector<cv::Vec3b>& palette) {
  return square({captioned(moment.picture, clockText(moment.hour)),
                 captioned(drawMergeMap(moment.picture, moment.mergeMap),
                           "merged tokens: " + rowsText(moment.rows) + " rows"),
                 captioned(drawOverlay(moment.picture, moment.fullLabels, palette), "unmerged"),
                 captioned(drawOverlay(moment.picture, moment.labels, palette), "merged")});
}

struct DemoArguments {
  DemoOptions demo;
  std::string folder = "mpm_demo";
  bool json = false;
  ModelOptions read;
};

void writeResults(const DemoDay& day, const fs::path& folder) {
  for (const DemoMoment& moment : day.moments) {
    const char* name = moment.hour < 6 ? "midnight.png" : "noon.png";
    writePicture(folder / name, demoPicture(moment, day.palette));
  }
  writeFile(folder / "demo.json", demoJson(day));
}

// Prints a line for each hour, since a day takes minutes on a small computer.
DemoDay watchDay(const DemoArguments& arguments) {
  const int threads = arguments.read.useThreads();
  const auto ready = [&] {
    makeFolder(arguments.folder);
    if (arguments.json) return;
    std::cout << "A day in a drawn street, " << arguments.demo.frames
              << " frames, each unmerged and merged:" << std::endl;
  };
  double next = 0;
  const auto seen = [&](const DemoFrame& frame) {
    if (arguments.json || frame.hour < next) return;
    std::cout << demoLine(frame) << std::endl;
    next = std::floor(frame.hour) + 1;
  };
  DemoDay day = runDemoDay(arguments.demo, ready, seen);
  day.device = usedDeviceName(arguments.demo.segmenter.read);
  day.threads = threads;
  return day;
}

void segmentDay(DemoArguments& arguments) {
  DemoOptions& demo = arguments.demo;
  demo.segmenter.read = arguments.read.parse();
  if (demo.segmenter.read.schedule && demo.segmenter.read.schedule->empty()) {
    throw UsageError(
        "--merge-before none leaves nothing to compare: unmerged labels are shown next to merged "
        "ones anyway");
  }
  if (demo.frames % 2 != 0)
    throw UsageError("--count " + std::to_string(demo.frames) +
                     " is odd; expected an even number, so that noon is among them");
  demo.segmenter.confidence = false;
  if (demo.model.empty()) demo.model = streetModel();
  for (const char* name : {"noon.png", "midnight.png", "demo.json"})
    InputFiles(demo.model).refuse(fs::path(arguments.folder) / name);
  const DemoDay day = watchDay(arguments);
  writeResults(day, arguments.folder);
  if (arguments.json) {
    std::cout << demoJson(day);
    return;
  }
  std::cout << '\n'
            << demoTable(day) << "Look at "
            << fs::absolute(arguments.folder).lexically_normal().string()
            << ": noon.png, midnight.png, demo.json.\n";
}

}  // namespace

int runDemo(int argc, char** argv) {
  CLI::App command("Segments a drawn street over a day, with and without merging.", "mpm-demo");
  addVersion(command);
  DemoArguments arguments;
  addOption(command, "--model", arguments.demo.model, "FILE",
            "an ONNX file (default: the street model)");
  command.add_option("--seed", arguments.demo.seed, "which street")->capture_default_str();
  command
      .add_option("--count", arguments.demo.frames, "how many frames, evenly spaced over the day")
      ->check(CLI::Range(2, 86400))
      ->capture_default_str();
  addOut(command, arguments.folder, "DIR", "a folder for the pictures")->capture_default_str();
  arguments.read.addTo(command, kSchedule | kPrecision | kThreads);
  addRenamed(command, {{"--frames", "--count"}});
  command.add_flag("--json", arguments.json, "print JSON instead of a table");
  command.footer("Example: mpm-demo --out demo");
  command.callback([&] { segmentDay(arguments); });
  return runProgram(command, argc, argv);
}

}  // namespace mpm::cli

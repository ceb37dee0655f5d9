// SPDX-License-Identifier: Apache-2.0
// mpm segment: turns pictures and videos into label maps.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/frames.h"
#include "cli/npy.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/wording.h"
#include "mpm/flicker.h"
#include "mpm/segmenter.h"
#include "segment/pictures.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;

struct SegmentArguments {
  std::string model, folder;
  std::vector<std::string> inputs;
  bool json = false, memory = false, steady = false;
  ModelOptions read;
  FitOptions fit;
};

SegmenterOptions segmenterOptions(const SegmentArguments& arguments) {
  SegmenterOptions options;
  options.read = arguments.read.parse();
  arguments.fit.check();
  options.confidence = false;
  options.values = true;
  if (arguments.memory && arguments.steady)
    throw UsageError("--steady does not go with --memory on, whose labels are steady already");
  return options;
}

// Counts the pixels of each class in a label map.
std::vector<long> pixelsOf(const cv::Mat& labels, std::size_t classes) {
  std::vector<long> pixels(classes, 0);
  for (int y = 0; y < labels.rows; ++y) {
    for (int x = 0; x < labels.cols; ++x) {
      const int label = labels.depth() == CV_8U ? labels.at<uchar>(y, x) : labels.at<ushort>(y, x);
      ++pixels[static_cast<std::size_t>(label)];
    }
  }
  return pixels;
}

// Returns the share of each class in a label map.
nlohmann::ordered_json classesJson(const cv::Mat& labels, const std::vector<std::string>& classes) {
  const std::vector<long> pixels = pixelsOf(labels, classes.size());
  auto areas = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < pixels.size(); ++k) {
    if (pixels[k] == 0) continue;
    const double share = static_cast<double>(pixels[k]) / static_cast<double>(labels.total());
    areas.push_back({{"label", k}, {"name", classes[k]}, {"share", rounded(share, 6)}});
  }
  return areas;
}

nlohmann::ordered_json valuesJson(const cv::Mat& values) {
  double smallest = 0, largest = 0;
  cv::minMaxLoc(values, &smallest, &largest);
  return {{"smallest", smallest}, {"largest", largest}, {"mean", cv::mean(values)[0]}};
}

// Returns a frame as one line of JSON: its source, its size, the share of each class or its values,
// the tokens at each stage, times, its files.
std::string frameJson(const InputFrame& frame, int number, const Segmentation& segmentation,
                      const std::vector<std::string>& classes,
                      const std::vector<std::string>& files) {
  const SegmenterTimes& times = segmentation.times;
  nlohmann::ordered_json json = {{"frame", number},
                                 {"source", frame.source},
                                 {"index", frame.index},
                                 {"width", frame.picture.cols},
                                 {"height", frame.picture.rows}};
  if (segmentation.values.empty()) {
    json["classes"] = classesJson(segmentation.labels, classes);
  } else {
    json["values"] = valuesJson(segmentation.values);
  }
  json["rows"] = segmentation.rows;
  json["windows"] = segmentation.windows;
  json["times_ms"] = {{"prepare", rounded(times.prepareMs)},
                      {"network", rounded(times.networkMs)},
                      {"labels", rounded(times.labelsMs)}};
  json["files"] = files;
  const MemoryReport& memory = segmentation.memory;
  if (memory.rows > 0) {
    json["memory"] = {{"patches", memory.rows}, {"fresh", memory.fresh}, {"age", memory.age}};
    if (memory.agreement) json["memory"]["agreement"] = rounded(*memory.agreement, 6);
  }
  return jsonText(json, -1);
}

// Writes the results of frames into a folder.
class Results {
 public:
  explicit Results(const SegmentArguments& arguments)
      : folder_(arguments.folder), toStdout_(arguments.json), inputs_(arguments.model) {
    for (const std::string& input : arguments.inputs) inputs_.addAll(filesOfInput(input));
    makeFolder(folder_);
    const fs::path path = folder_ / "frames.jsonl";
    inputs_.refuse(path);
    OutputFile file(path);  // has its name from the beginning: it grows with each frame
    lines_.open(file.part(), std::ios::binary | std::ios::app);
    if (!lines_) failToWrite(path);
    file.finish();
  }

  void write(const InputFrame& frame, const Segmentation& found, const Segmenter& segmenter) {
    std::vector<std::string> files;
    const auto next = [&](const std::string& what) {
      files.push_back(frame.name + what);
      inputs_.refuse(folder_ / files.back());
      return folder_ / files.back();
    };
    const auto add = [&](const std::string& what, const cv::Mat& picture) {
      writePicture(next(what), picture);
    };
    if (found.values.empty()) {
      add("_labels.png", found.labels);
      add("_overlay.jpg", drawOverlay(frame.picture, found.labels, segmenter.palette()));
    } else {
      writeFile(next("_values.npy"), [&](std::ostream& file) {
        writeNpy(file, {found.values.rows, found.values.cols}, found.values.ptr<float>());
      });
      add("_values.png", drawValues(found.values));
    }
    if (!found.mergeMap.empty() && found.windows == 1) {
      add("_merge.png", drawMergeMap(frame.picture, found.mergeMap, found.gridArea));
    }
    const std::string line = frameJson(frame, count_++, found, segmenter.classes(), files);
    lines_ << line << std::flush;
    if (!lines_) failToWrite(folder_ / "frames.jsonl");
    if (toStdout_) std::cout << line << std::flush;
    networkMs_ += found.times.networkMs;
    otherMs_ += found.times.prepareMs + found.times.labelsMs;
  }

  void tell() const {
    if (toStdout_ || count_ == 0) return;
    std::cout << "wrote " << countText(count_, "frame") << " to " << folder_.string()
              << ": network " << cv::format("%.1f", networkMs_ / count_)
              << " ms each, resizing and labels " << cv::format("%.1f", otherMs_ / count_)
              << " ms\n";
  }

 private:
  fs::path folder_;
  bool toStdout_;
  InputFiles inputs_;
  std::ofstream lines_;
  int count_ = 0;
  double networkMs_ = 0, otherMs_ = 0;
};

std::optional<SceneMemory> memoryFor(const Segmenter& segmenter,
                                     const SegmentArguments& arguments) {
  if (!arguments.memory) return std::nullopt;
  const std::string fault = segmenter.memoryFault();
  if (!fault.empty()) std::cerr << "mpm: there is no scene memory: " << fault << '\n';
  return std::make_optional<SceneMemory>();
}

// Labels frames one after the other, steadied on request.
class Labelling {
 public:
  Labelling(Segmenter& segmenter, const SegmentArguments& arguments)
      : segmenter_(segmenter),
        memory_(memoryFor(segmenter, arguments)),
        steady_(arguments.steady) {}

  Segmentation next(const cv::Mat& picture) {
    if (memory_) return segmenter_.segment(picture, *memory_);
    Segmentation found = segmenter_.segment(picture);
    if (steady_ && !found.labels.empty())
      found.labels = vote_.update(places_.look(picture), found.labels);
    return found;
  }

 private:
  Segmenter& segmenter_;
  std::optional<SceneMemory> memory_;
  bool steady_;
  StillPlaces places_;
  LabelVote vote_;
};

void segmentInputs(const SegmentArguments& arguments) {
  SegmenterOptions options = segmenterOptions(arguments);
  InputFrames frames(arguments.inputs);
  arguments.read.useThreads();
  arguments.fit.apply(arguments.model, options);
  if (options.read.precision == kAutoPrecision)
    choosePrecision(arguments.model, options, spreadFrames(arguments.inputs, kFramesToChooseBy));
  Segmenter segmenter(arguments.model, options);
  const Description& model = segmenter.model();
  const bool wantsMerging = options.read.schedule && !options.read.schedule->empty();
  checkCanMerge(model, arguments.model, wantsMerging);
  Labelling labelling(segmenter, arguments);
  Results results(arguments);
  {
    Progress progress("segmenting");
    for (InputFrame frame; frames.next(frame); progress.show(frames.share())) {
      results.write(frame, labelling.next(frame.picture), segmenter);
    }
  }
  if (!model.mergeable) {
    std::cerr << "mpm: " << arguments.model << " runs without merging: " << model.reason << '\n';
  }
  results.tell();
  const std::string leftOut = frames.leftOut();
  if (!leftOut.empty()) throw std::runtime_error(leftOut);
}

}  // namespace

void addSegment(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("segment", "label the pixels of pictures and videos, or estimate depth");
  const auto arguments = std::make_shared<SegmentArguments>();
  addModel(*command, arguments->model);
  addOption(*command, "INPUT", arguments->inputs, "",
            "pictures, folders of pictures, videos, addresses (rtsp://...);\n"
            "@FILE: the address is the first line of that file, which can\n"
            "be kept private (@credential:NAME: from systemd)")
      ->required();
  addOut(*command, arguments->folder, "DIR", "a folder for the results")->required();
  arguments->fit.addTo(*command);
  addSwitch(*command, "--memory", arguments->memory,
            "on: the frames are a fixed camera's, in order: what has not\n"
            "changed keeps its labels (default: off)");
  command->add_flag("--steady", arguments->steady,
                    "without a memory: where a fixed camera's picture stands\n"
                    "still, the label that most of the last five frames gave");
  arguments->read.addTo(*command,
                        kSchedule | kInputSize | kPrecisionOrAuto | kProportional | kThreads);
  command->add_flag("--json", arguments->json, "also print the lines of frames.jsonl");
  command->footer(
      "For each frame DIR gets NAME_labels.png (a pixel's value is its class), NAME_overlay.jpg,\n"
      "NAME_merge.png (which patches share a token; not with several windows or a memory) and a\n"
      "line of frames.jsonl: size, each class's share, tokens left at each stage, times. A model\n"
      "that gives one value per pixel, such as depth, writes NAME_values.npy instead of labels,\n"
      "and NAME_values.png, from dark for the frame's smallest value to bright for its largest.\n"
      "Exit status 1 if an input had to be left out.\n"
      "Mean, std, classes and palette come from the model's metadata, or from a file\n"
      "model.toml next to model.onnx.\n"
      "Example: mpm segment segmenter.onnx street.jpg night.mp4 --out labelled");
  command->callback([arguments] { segmentInputs(*arguments); });
}

}  // namespace mpm::cli

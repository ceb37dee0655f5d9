// SPDX-License-Identifier: Apache-2.0
// Segments what a camera sees, in the manner of OpenCV's dnn samples.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <opencv2/dnn.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>
#include <opencv2/videoio/registry.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "class_overlay.h"
#include "mpm/layers.h"
#include "mpm/net.h"
#include "window.h"

namespace {

const char* kKeys =
    "{help h       |        | show this }"
    "{model m      |        | an ONNX file with scores [B, K, h, w], one channel for each class }"
    "{input i      | 0      | number of a camera, or a picture, a video, an address }"
    "{width        | 0      | of the model's input in pixels; 0: the model's own }"
    "{height       | 0      | the same }"
    "{merge-before |        | blocks to merge before; none: full tokens; default: 2,5 }"
    "{mean         |        | of red, green, blue, from 0 to 1; default: the model's, else 0.5 }"
    "{std          |        | the same }"
    "{bgr          |        | the model takes blue first; default: red first }"
    "{output o     |        | write the first frame into this picture, without a window }";

// By the readers that fit the name: OpenCV would ask every camera driver that it knows, too.
bool openByName(cv::VideoCapture& capture, const std::string& name) {
  if (std::filesystem::is_character_file(name)) return capture.open(name, cv::CAP_V4L2);
  if (!std::filesystem::exists(name) && name.find("://") == std::string::npos) return false;
  const bool hasFFmpeg = cv::videoio_registry::hasBackend(cv::CAP_FFMPEG);
  return capture.open(name, hasFFmpeg ? cv::CAP_FFMPEG : cv::CAP_GSTREAMER);
}

// The frames of a camera (its number), a picture (the same again and again), a video or an
// address. std::runtime_error where `input` is none of these.
class Frames {
 public:
  explicit Frames(const std::string& input);

  // False where there are no more.
  bool read(cv::Mat& frame);

 private:
  cv::Mat picture_;
  cv::VideoCapture capture_;
};

Frames::Frames(const std::string& input) {
  const bool camera =
      !input.empty() && input.size() < 4 &&
      std::all_of(input.begin(), input.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!camera && std::filesystem::is_regular_file(input)) picture_ = cv::imread(input);
  if (!picture_.empty()) return;
  if (camera ? capture_.open(std::stoi(input)) : openByName(capture_, input)) return;
  throw std::runtime_error("cannot open '" + input + "' as a camera, a picture or a video");
}

bool Frames::read(cv::Mat& frame) {
  if (picture_.empty()) return capture_.read(frame);
  frame = picture_;
  return true;
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> values;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    std::istringstream number(word);
    if (!(number >> values.emplace_back()))
      throw std::runtime_error("'" + word + "' is not a number");
  }
  return values;
}

struct Viewer {
  cv::dnn::Net net;
  mpm::Description model;
  demo::ClassOverlay classes{"", ""};
  cv::Size size;
  std::vector<double> mean, deviation;
  bool redFirst = true, merging = true;
  std::vector<cv::Mat>
      outputs;  // kept: OpenCV copies several, and new memory for each frame is slow
};

// Three numbers that were given, or the model's.
std::vector<double> channels(std::string given, const std::string& own) {
  if (given.empty()) given = own.empty() ? "0.5,0.5,0.5" : own;
  if (numbers(given).size() != 3) throw std::runtime_error("'" + given + "' is not three numbers");
  return numbers(given);
}

Viewer open(const cv::CommandLineParser& arguments) {
  Viewer viewer;
  const auto path = arguments.get<std::string>("model");
  viewer.model = mpm::describe(path);
  mpm::ReadOptions options;
  const auto blocks = arguments.get<std::string>("merge-before");
  if (!blocks.empty()) options.schedule = mpm::Schedule::parse(blocks);
  options.inputSize = {arguments.get<int>("width"), arguments.get<int>("height")};
  viewer.net = mpm::readNet(path, options);
  viewer.size = options.inputSize.empty() ? viewer.model.input : options.inputSize;
  auto& facts = viewer.model.metadata;
  viewer.mean = channels(arguments.get<std::string>("mean"), facts["mpm.mean"]);
  viewer.deviation = channels(arguments.get<std::string>("std"), facts["mpm.std"]);
  viewer.redFirst = !arguments.has("bgr") && facts["mpm.channel_order"] != "BGR";
  viewer.classes = demo::ClassOverlay(facts["mpm.classes"], facts["mpm.palette"]);
  return viewer;
}

// The frame, with what was found in it drawn over it.
cv::Mat show(Viewer& viewer, const cv::Mat& frame) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  cv::Mat blob = cv::dnn::blobFromImage(frame, 1 / 255.0, viewer.size, {}, viewer.redFirst);
  for (int c = 0; c < 3; ++c) {
    cv::Mat plane(viewer.size, CV_32F, blob.ptr(0, c));
    const int colour = viewer.redFirst ? c : 2 - c;
    plane = (plane - viewer.mean[colour]) / viewer.deviation[colour];
  }
  viewer.net.setInput(blob);
  std::vector<cv::String> names = {viewer.model.outputs.at(0).name};
  if (viewer.model.mergeable) names.insert(names.end(), {"mpm_rows", "mpm_map"});
  std::vector<cv::Mat>& outputs = viewer.outputs;
  viewer.net.forward(outputs, names);
  const double elapsedMs = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  cv::Mat drawn = frame.clone();
  viewer.classes.draw(drawn, outputs[0]);
  std::string text = cv::format("%.0f ms, %.1f frames a second", elapsedMs, 1000 / elapsedMs);
  if (viewer.model.mergeable) {
    text += cv::format(", %.0f of %d rows live, merging %s", outputs[1].at<float>(0),
                       viewer.model.special + outputs[2].size[1], viewer.merging ? "on" : "off");
  }
  demo::writeLine(drawn, text, {8, 20});
  return drawn;
}

int run(const cv::CommandLineParser& arguments) {
  Viewer viewer = open(arguments);
  Frames frames(arguments.get<std::string>("input"));
  const auto output = arguments.get<std::string>("output");
  cv::Mat frame;
  if (output.empty() && !demo::hasDisplay()) {
    throw std::runtime_error("there is no display; --output=FILE writes the first frame to a file");
  }
  while (frames.read(frame)) {
    if (!output.empty()) show(viewer, frame);  // the first takes longer than any other
    const cv::Mat drawn = show(viewer, frame);
    if (!output.empty()) {
      if (cv::imwrite(output, drawn)) return 0;
      throw std::runtime_error("cannot write '" + output + "'");
    }
    const int key = demo::showFrame("mpm", drawn);
    if (key == 'q' || key == 27) return 0;
    if (key == 'm') mpm::setMerging(viewer.net, viewer.merging = !viewer.merging);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  cv::CommandLineParser arguments(argc, argv, kKeys);
  arguments.about(
      "Segments what a camera sees with a Vision Transformer and shows it.\n"
      "Keys: m switches merging, q or Esc ends.\n"
      "Example: mpm-segment-viewer --model=segmenter.onnx --input=0");
  if (arguments.has("help") || !arguments.has("model")) {
    arguments.printMessage();
    return arguments.has("help") ? 0 : 2;
  }
  try {
    return run(arguments);
  } catch (const cv::Exception& error) {
    std::cerr << "mpm-segment-viewer: " << error.err << '\n';
  } catch (const std::exception& error) {
    std::cerr << "mpm-segment-viewer: " << error.what() << '\n';
  }
  return 1;
}

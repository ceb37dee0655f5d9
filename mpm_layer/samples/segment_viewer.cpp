// SPDX-License-Identifier: Apache-2.0
// Segments the frames of a camera, in the style of OpenCV's dnn samples.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <opencv2/videoio/registry.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mpm/segmenter.h"
#ifdef MPM_WITH_HIGHGUI
#include <opencv2/highgui.hpp>
#endif

namespace {

const char* kKeys =
    "{help h       |        | show this }"
    "{model m      |        | an ONNX file with scores [B, K, h, w], one channel for each class }"
    "{input i      | 0      | number of a camera, or a picture, a video, an address }"
    "{width        | 0      | of the model's input in pixels; 0: the model's own }"
    "{height       | 0      | the same }"
    "{merge-before |        | blocks to merge before; none: unmerged; default: 2,5 }"
    "{mean         |        | of the model's channels, from 0 to 1; default: its own, else 0.5 }"
    "{std          |        | the same }"
    "{bgr          |        | the model takes blue first; default: red first }"
    "{out o        |        | write the first frame into this picture, without a window }";

// Tries only the readers that fit the name; OpenCV would also ask every camera driver it knows.
bool openByName(cv::VideoCapture& capture, const std::string& name) {
  if (std::filesystem::is_character_file(name)) return capture.open(name, cv::CAP_V4L2);
  if (!std::filesystem::exists(name) && name.find("://") == std::string::npos) return false;
  const bool hasFFmpeg = cv::videoio_registry::hasBackend(cv::CAP_FFMPEG);
  return capture.open(name, hasFFmpeg ? cv::CAP_FFMPEG : cv::CAP_GSTREAMER);
}

// Reads the frames of a camera (its number), a picture (the same one over and over), a video or an
// address. Throws std::runtime_error if `input` is none of these.
class Frames {
 public:
  explicit Frames(const std::string& input);

  // Returns false if there are no more.
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

// Reads "0.485,0.456,0.406"; std::nullopt if the text is empty.
std::optional<cv::Vec3f> triple(const std::string& text) {
  if (text.empty()) return std::nullopt;
  cv::Vec3f values;
  std::istringstream words(text);
  char between[2] = {',', ','};
  words >> values[0] >> between[0] >> values[1] >> between[1] >> values[2];
  if (!words || between[0] != ',' || between[1] != ',' || words.peek() != EOF) {
    throw std::runtime_error("'" + text + "' is not three numbers");
  }
  return values;
}

mpm::SegmenterOptions optionsOf(const cv::CommandLineParser& arguments) {
  mpm::SegmenterOptions options;
  const auto blocks = arguments.get<std::string>("merge-before");
  if (!blocks.empty()) options.read.schedule = mpm::Schedule::parse(blocks);
  options.read.inputSize = {arguments.get<int>("width"), arguments.get<int>("height")};
  options.mean = triple(arguments.get<std::string>("mean"));
  options.std = triple(arguments.get<std::string>("std"));
  if (arguments.has("bgr")) options.rgb = false;
  options.confidence = false;
  return options;
}

// Writes text that can be read on any background.
void writeLine(cv::Mat& picture, const std::string& text, cv::Point at) {
  for (const auto& [width, shade] : {std::pair{3, 0}, {1, 255}}) {
    cv::putText(picture, text, at, cv::FONT_HERSHEY_SIMPLEX, 0.5, cv::Scalar::all(shade), width,
                cv::LINE_AA);
  }
}

// Draws the classes that cover most of the frame. `pixels` counts those of each class.
void drawLegend(cv::Mat& frame, const std::vector<int>& pixels, const mpm::Segmenter& segmenter) {
  constexpr std::size_t kMost = 8;
  std::vector<std::size_t> order(pixels.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pixels[a] > pixels[b]; });
  int y = 34;
  for (std::size_t i = 0; i < std::min(kMost, order.size()); ++i, y += 22) {
    const std::size_t k = order[i];
    if (pixels[k] == 0) break;
    const double share = 100.0 * pixels[k] / static_cast<double>(frame.total());
    const cv::Rect box(8, y, 16, 16);
    cv::rectangle(frame, box, cv::Scalar(segmenter.palette()[k]), cv::FILLED);
    cv::rectangle(frame, box, cv::Scalar::all(0));
    writeLine(frame, cv::format("%s %.0f%%", segmenter.classes()[k].c_str(), share), {30, y + 13});
  }
}

// Draws what was found over the frame.
cv::Mat show(mpm::Segmenter& segmenter, const cv::Mat& frame) {
  const mpm::Segmentation found = segmenter.segment(frame);
  std::vector<int> pixels(segmenter.classes().size(), 0);
  cv::Mat drawn(frame.size(), CV_8UC3);
  for (int y = 0; y < frame.rows; ++y) {
    for (int x = 0; x < frame.cols; ++x) {
      const std::size_t k = found.labels.depth() == CV_8U ? found.labels.at<uchar>(y, x)
                                                          : found.labels.at<ushort>(y, x);
      ++pixels[k];
      drawn.at<cv::Vec3b>(y, x) = segmenter.palette()[k];
    }
  }
  cv::addWeighted(frame, 0.45, drawn, 0.55, 0, drawn);
  drawLegend(drawn, pixels, segmenter);
  const double ms = found.times.wholeMs();
  std::string text = cv::format("%.0f ms, %.1f frames a second", ms, 1000 / ms);
  if (segmenter.model().mergeable) {
    text += cv::format(", %d of %d rows live, merging %s", found.rows.back(), found.rows.front(),
                       segmenter.schedule().empty() ? "off" : "on");
  }
  writeLine(drawn, text, {8, 20});
  return drawn;
}

// Tells whether there is a display to open a window on. highgui's Qt ends the process if a named
// display is gone, so a local one must have its socket.
bool hasDisplay() {
  const auto environment = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string x11 = environment("DISPLAY"), wayland = environment("WAYLAND_DISPLAY");
  const std::filesystem::path folder = environment("XDG_RUNTIME_DIR");
  if (!wayland.empty() && std::filesystem::exists(folder / wayland)) return true;
  if (x11.empty() || x11[0] != ':') return !x11.empty();
  return std::filesystem::exists("/tmp/.X11-unix/X" + x11.substr(1, x11.find('.') - 1));
}

// Returns the key that was pressed, -1 if none, or 'q' if the window was closed or highgui is
// missing.
int showFrame(const char* title, const cv::Mat& frame) {
#ifdef MPM_WITH_HIGHGUI
  cv::imshow(title, frame);
  const int key = cv::waitKey(1);
  if (cv::getWindowProperty(title, cv::WND_PROP_VISIBLE) > 0) return key;
#else
  static_cast<void>(title), static_cast<void>(frame);
#endif
  return 'q';
}

int run(const cv::CommandLineParser& arguments) {
  mpm::Segmenter segmenter(arguments.get<std::string>("model"), optionsOf(arguments));
  const mpm::Schedule schedule = segmenter.schedule();
  Frames frames(arguments.get<std::string>("input"));
  const auto output = arguments.get<std::string>("out");
  cv::Mat frame;
  if (output.empty() && !hasDisplay()) {
    throw std::runtime_error("there is no display; --out=FILE writes the first frame to a file");
  }
  while (frames.read(frame)) {
    if (!output.empty()) show(segmenter, frame);  // the first takes longer than any other
    const cv::Mat drawn = show(segmenter, frame);
    if (!output.empty()) {
      if (cv::imwrite(output, drawn)) return 0;
      throw std::runtime_error("cannot write '" + output + "'");
    }
    const int key = showFrame("mpm", drawn);
    if (key == 'q' || key == 27) return 0;
    if (key == 'm') {
      segmenter.setSchedule(segmenter.schedule().empty() ? schedule : mpm::Schedule());
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  cv::CommandLineParser arguments(argc, argv, kKeys);
  arguments.about(
      "Segments a camera's pictures with a Vision Transformer and shows them.\n"
      "Keys: m toggles merging, q or Esc quits.\n"
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

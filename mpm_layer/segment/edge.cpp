// SPDX-License-Identifier: Apache-2.0
#include "segment/edge.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "dnn/layer_inputs.h"
#include "dnn/read_net.h"
#include "onnx/graph/file.h"

namespace mpm::segment {

bool isChannelsLast(const Description& model) {
  const std::vector<int>& shape = model.inputs.at(0).shape;
  return shape.size() == 4 && shape[3] == 3 && shape[1] != 3;
}

namespace {

void checkInput(const Description& model, const std::string& name) {
  if (model.inputs.size() != 1 || model.inputs[0].shape.size() != 4) {
    throw std::runtime_error(name + ": not a segmentation model: expected one input, a picture");
  }
  const std::vector<int>& shape = model.inputs[0].shape;
  if (shape[0] > 1 || (shape[1] != 3 && shape[1] != -1 && !isChannelsLast(model))) {
    throw std::runtime_error(name + ": it takes " + dnn::shapeText(shape) +
                             "; expected one picture of three colours");
  }
  if (model.input.width < 1 || model.input.height < 1) {
    throw std::runtime_error(name +
                             ": its input size is open; please give one, such as 512 x 512 "
                             "(ReadOptions::inputSize)");
  }
}

// Moves scores that showScores added to the front of the labels, wherever the rewriting put them.
void putFirst(const std::string& output, Description& model) {
  const auto found =
      std::find_if(model.outputs.begin(), model.outputs.end(),
                   [&](const Description::Blob& blob) { return blob.name == output; });
  if (found != model.outputs.end()) std::rotate(model.outputs.begin(), found, found + 1);
}

}  // namespace

PictureModel readPictureModel(const std::string& name, const ReadOptions& options) {
  onnx::Model model = onnx::readModel(name);
  const std::string scores = showScores(model);
  checkFraction(model, scores.empty() ? firstOutput(model, name) : scores, name);
  dnn::ModelReading reading(std::move(model), name, options);
  checkInput(reading.description(), name);
  PictureModel read = {reading.description(),
                       reading.makeNet(dnn::placeOf(options.device, options.precision))};
  putFirst(scores, read.description);
  return read;
}

int checkedShortSide(const SegmenterOptions& options, const cv::Size& input) {
  if (options.fit == Fit::stretch && (options.shortSide != 0 || options.stride != 0))
    throw std::invalid_argument("a short side and a stride only go with sliding windows");
  if (options.shortSide < 0) {
    throw std::invalid_argument("short side " + std::to_string(options.shortSide) +
                                ": expected a number of pixels, or 0 for the input's");
  }
  return options.shortSide > 0 ? options.shortSide : std::min(input.width, input.height);
}

int checkedStride(const SegmenterOptions& options, const cv::Size& input) {
  const int side = std::min(input.width, input.height);
  if (options.stride < 0 || options.stride > side) {
    throw std::invalid_argument("stride " + std::to_string(options.stride) +
                                ": windows of the model's input would leave gaps; expected 1 to " +
                                std::to_string(side) + ", or 0 for the input's sides");
  }
  return options.stride;
}

void checkWindows(int shortSide, int stride, const cv::Size& frame, const cv::Size& input) {
  const double ratio = static_cast<double>(shortSide) / std::min(frame.width, frame.height);
  const auto count = [&](int length, int size) {
    return std::max(1.0, 1 + std::ceil((length * ratio - size) / (stride > 0 ? stride : size)));
  };
  const double windows = count(frame.width, input.width) * count(frame.height, input.height);
  constexpr int kMost = 10000;
  if (windows <= kMost) return;
  throw std::invalid_argument("short side " + std::to_string(shortSide) + ": a frame of " +
                              std::to_string(frame.width) + " x " + std::to_string(frame.height) +
                              " would be cut into more than " + std::to_string(kMost) +
                              " windows; expected a smaller one, or a larger stride");
}

void checkFrame(const cv::Mat& frame) {
  if (frame.empty()) throw std::invalid_argument("the frame is empty");
  const int channels = frame.channels();
  if (frame.dims != 2) {
    throw std::invalid_argument("the frame has " + std::to_string(frame.dims) +
                                " dimensions; expected 2, rows and columns");
  }
  if (frame.depth() != CV_8U || (channels != 1 && channels != 3 && channels != 4)) {
    throw std::invalid_argument("the frame is of type " + cv::typeToString(frame.type()) +
                                "; expected CV_8UC1 (grey), CV_8UC3 (BGR) or CV_8UC4 (BGRA)");
  }
}

}  // namespace mpm::segment

// SPDX-License-Identifier: Apache-2.0
#include <opencv2/core/utils/logger.hpp>
#include <stdexcept>
#include <utility>

#include "dnn/device.h"
#include "dnn/rewrite_options.h"
#include "dnn/weights.h"
#include "mpm/layers.h"
#include "mpm/net.h"
#include "onnx/error.h"
#include "onnx/lower.h"
#include "onnx/read.h"
#include "onnx/readers.h"
#include "onnx/rewrite_model.h"
#include "onnx/write.h"

namespace mpm {
namespace {

// Errors that rewriting finds begin with the model's name, as those of reading do.
template <class Rewrite>
void inModel(const std::string& name, const Rewrite& rewrite) {
  try {
    rewrite();
  } catch (const onnx::ModelError& error) {
    throw onnx::ModelError(name + ": " + error.what());
  }
}

cv::Mat readWeight(const onnx::Model& model, const onnx::Weight& weight) {
  std::vector<int> dims;
  for (const std::int64_t dim : weight.dims) dims.push_back(static_cast<int>(dim));
  if (dims.size() == 1) dims.insert(dims.begin(), 1);  // a Mat has at least two
  cv::Mat mat(dims, CV_32F);
  weight.read(model, mat.ptr<float>());
  return mat;
}

// OpenCV's message as part of a sentence.
std::string firstLine(std::string message) {
  message = message.substr(0, message.find('\n', 1));
  const std::size_t begin = message.find_first_not_of("> \n");
  return begin == std::string::npos ? "no reason given" : message.substr(begin);
}

cv::dnn::Net importNet(onnx::Model& model, dnn::LayerWeights weights, const std::string& name) {
  onnx::noteReaders(model);
  const std::string bytes = onnx::writeModel(model);
  const dnn::ScopedWeights scope(std::move(weights));
  try {
    return cv::dnn::readNetFromONNX(bytes.data(), bytes.size());
  } catch (const cv::Exception& error) {
    throw std::runtime_error(name +
                             ": OpenCV " CV_VERSION " does not load it: " + firstLine(error.err));
  }
}

// What is known of the values that stay for OpenCV: nothing of those made for another input size.
onnx::DimsOf dimsOfKept(const onnx::Recognised& recognised) {
  const bool resized =
      recognised.height != recognised.ownHeight || recognised.width != recognised.ownWidth;
  return [values = resized ? nullptr : recognised.values](const std::string& value) {
    return values == nullptr ? nullptr : values->dims(value);
  };
}

cv::dnn::Net makeNet(onnx::Model model, const std::string& name, const ReadOptions& options) {
  if (onnx::hasLayers(model)) {
    if (!options.inputSize.empty())
      throw std::invalid_argument(name +
                                  ": a converted file keeps its input size; please convert "
                                  "the model again");
    onnx::hideDomain(model);
    cv::dnn::Net net = importNet(model, {}, name);
    if (options.schedule) setSchedule(net, *options.schedule);
    return net;
  }
  onnx::Rewriting rewriting = dnn::planRewriting(model, options, name);
  const onnx::Recognised& recognised = rewriting.recognised;
  const onnx::DimsOf dimsOf = dimsOfKept(recognised);
  dnn::LayerWeights weights;
  if (!recognised.encoder.obstacle.empty()) {
    CV_LOG_WARNING(NULL,
                   "MPM: " << name << " runs without merging: " << recognised.encoder.obstacle);
  } else {
    const auto take = [&](const onnx::Plan::NewNode& added) {
      std::vector<cv::Mat>& mats = weights[added.node.name()];
      for (const onnx::Weight& weight : added.weights) mats.push_back(readWeight(model, weight));
    };
    inModel(name, [&] { onnx::rewriteElsewhere(model, std::move(rewriting), take); });
  }
  onnx::lowerForOpenCv(model, dimsOf);
  return importNet(model, std::move(weights), name);
}

}  // namespace

cv::dnn::Net readNet(const std::string& path, const ReadOptions& options) {
  registerLayers();
  const dnn::Place place = dnn::placeOf(options.device, options.precision);
  cv::dnn::Net net = makeNet(onnx::readModel(path), path, options);
  dnn::setPlace(net, place);
  return net;
}

cv::dnn::Net readNet(const void* bytes, std::size_t size, const ReadOptions& options) {
  registerLayers();
  const dnn::Place place = dnn::placeOf(options.device, options.precision);
  cv::dnn::Net net = makeNet(onnx::readModel(bytes, size), "model", options);
  dnn::setPlace(net, place);
  return net;
}

void convert(const std::string& from, const std::string& to, const ReadOptions& options) {
  dnn::deviceOf(options.device);
  onnx::Model model = onnx::readModel(from);
  if (onnx::hasLayers(model)) throw std::runtime_error(from + ": it is converted already");
  onnx::Rewriting rewriting = dnn::planRewriting(model, options, from);
  if (!rewriting.recognised.encoder.obstacle.empty())
    throw std::runtime_error(from + ": it cannot merge: " + rewriting.recognised.encoder.obstacle);
  const onnx::DimsOf dimsOf = dimsOfKept(rewriting.recognised);
  std::string schedule;
  for (const int block : rewriting.schedule) {
    if (!schedule.empty()) schedule += ',';
    schedule += std::to_string(block);
  }
  model.setMetadata("mpm.schedule", schedule);
  inModel(from, [&] { onnx::rewriteInFile(model, std::move(rewriting)); });
  onnx::lowerForOpenCv(model, dimsOf);
  onnx::writeModel(model, to);
}

}  // namespace mpm

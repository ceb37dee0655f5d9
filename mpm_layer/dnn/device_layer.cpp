// SPDX-License-Identifier: Apache-2.0
#include "dnn/device_layer.h"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "dnn/packing.h"
#include "onnx/readers.h"

namespace mpm::dnn {
namespace {

constexpr const char* kReaders = "readers";
constexpr const char* kLasting = "lasting";
constexpr int kMostLabel = 1 << 24;  // whole numbers up to here are exact in float32

std::vector<int> shapeOf(const cv::Mat& blob) { return {blob.size.p, blob.size.p + blob.dims}; }

// What passes between layers; the other inputs are weights.
bool isBlob(const std::string& input) {
  constexpr const char* kBlobs[] = {"tokens", "rows", "map", "regions", "image", "planes"};
  return std::any_of(std::begin(kBlobs), std::end(kBlobs),
                     [&](const char* name) { return input == name; });
}

}  // namespace

DeviceLayer::DeviceLayer(LayerIdentity layer, const cv::dnn::LayerParams& params)
    : layerName_(std::move(layer)) {
  for (const auto& [name, value] : params) {
    if (value.isString()) {
      words_[name] = value.size() > 0 ? value.get<cv::String>(0) : cv::String();
      continue;
    }
    std::vector<double>& list = numbers_[name];
    for (int i = 0; i < value.size(); ++i) list.push_back(value.get<double>(i));
  }
}

bool DeviceLayer::isReadBy(std::int64_t whom, std::size_t output) const {
  const auto readers = numbers_.find(kReaders);
  if (readers == numbers_.end() || output >= readers->second.size()) return true;
  return (static_cast<std::int64_t>(readers->second[output]) & whom) != 0;
}

RunnerLayerParams DeviceLayer::paramsOf(const LayerInputs& inputs, const Work& work) const {
  RunnerLayerParams params{layerName_.type, layerName_.name, numbers_, words_, {}};
  params.numbers.erase(kReaders);
  params.numbers.erase(kLasting);
  if (work.tokens.batch > 0) params.numbers["special"] = {static_cast<double>(work.tokens.special)};
  params.words["precision"] = device_->precision;
  for (std::size_t i = inputs.blobs(); i < inputs.count(); ++i) {
    const cv::Mat& mat = inputs.at(i);
    if (isBlob(inputs.name(i))) continue;
    checkFloats(layerName_, inputs.name(i), mat);
    params.constants.push_back({inputs.name(i), shapeOf(mat), mat.ptr<float>()});
  }
  return params;
}

void DeviceLayer::handOver(const LayerInputs& inputs, std::vector<cv::Mat>& constants,
                           const Work& work) {
  if (letWeightsGo_) {
    refuseInput(layerName_, "tokens",
                "has " + std::to_string(work.tokens.special) + " special rows; expected " +
                    std::to_string(special_) + ", as at the first forward");
  }
  bool isConstant = true;
  for (std::size_t i = 0; i < inputs.blobs(); ++i) isConstant &= isBlob(inputs.name(i));
  if (isConstant) {
    const RunnerLayerParams params = paramsOf(inputs, work);
    try {
      const std::lock_guard lock(device_->runner->calls);
      layer_ = device_->runner->runner->layer(params);
    } catch (const std::exception& error) {
      refuse(error.what());
    }
  }
  wasAsked_ = true;
  if (layer_ == nullptr) return;
  special_ = work.tokens.special;
  for (std::size_t i = inputs.blobs(); i < inputs.count(); ++i) {
    if (isBlob(inputs.name(i))) continue;
    forgetValues(constants[i - inputs.blobs()]);
    letWeightsGo_ = true;
  }
}

// Runners name the layer too, in part of what they say.
void DeviceLayer::refuse(const std::string& problem) const {
  const std::string name = layerName_.type + " '" + layerName_.name + "'";
  if (problem.rfind(name, 0) == 0) CV_Error(cv::Error::StsBadArg, problem);
  refuseLayer(layerName_, problem);
}

DeviceBlob DeviceLayer::find(const std::string& input, const cv::Mat& blob) const {
  try {
    return findOnDevice(blob);
  } catch (const std::runtime_error& error) {
    refuseInput(layerName_, input, error.what());
  }
}

// A device would read past its memory where the processor says what does not fit.
void DeviceLayer::checkOnHost(const LayerInputs& inputs, const std::string& name,
                              const cv::Mat& values, const TokenShape& shape) const {
  const bool isMap = name == "map", isRegions = name == "regions";
  if (!isMap && !isRegions && name != "rows") return;
  const cv::Mat* rows = inputs.find("rows");
  if (rows != nullptr && isTicket(*rows)) rows = nullptr;
  std::vector<std::int32_t> integers;
  for (int image = 0; image < shape.batch; ++image) {
    const int live = liveRows(layerName_, rows, image, shape);
    const int row = values.size[0] == 1 ? 0 : image;
    if (isMap)
      readIntegers(layerName_, name, values.ptr<float>(image), shape.image,
                   {0, live - shape.special - 1, "the live image rows"}, integers);
    if (isRegions)
      readIntegers(layerName_, name, values.ptr<float>(row), shape.image,
                   {-kMostLabel, kMostLabel, "a label"}, integers);
  }
}

DeviceInput DeviceLayer::inputOf(const LayerInputs& inputs, std::size_t index,
                                 const Work& work) const {
  const std::string& name = inputs.name(index);
  const cv::Mat& blob = inputs.at(index);
  checkFloats(layerName_, name, blob);
  DeviceInput input{shapeOf(blob), {}, find(name, blob)};
  if (input.device) return input;
  checkOnHost(inputs, name, blob, work.tokens);
  const auto lasting = numbers_.find(kLasting);
  const bool lasts =
      index >= inputs.blobs() ||
      (lasting != numbers_.end() && index < lasting->second.size() && lasting->second[index] != 0);
  input.host = lasts ? blob : blob.clone();
  return input;
}

// A device that is not to wait for rows lays tokens out by those that it made. Rows of the host
// come with tokens of the host.
void DeviceLayer::layOut(std::map<std::string, DeviceInput>& inputs) const {
  const auto rows = inputs.find("rows"), tokens = inputs.find("tokens");
  if (rows == inputs.end() || tokens == inputs.end()) return;
  DeviceInput& blob = tokens->second;
  if (rows->second.device || !blob.device) return;
  blob.host.create(static_cast<int>(blob.shape.size()), blob.shape.data(), CV_32F);
  download(*blob.device.call, blob.device.output, blob.host.ptr<float>());
  blob.device = {};
}

std::shared_ptr<DeviceCall> DeviceLayer::forwardOnDevice(const LayerInputs& inputs,
                                                         std::vector<cv::Mat>& constants,
                                                         std::vector<cv::Mat>& outputs,
                                                         const Work& work) {
  if (device_ == nullptr) return nullptr;
  if (!wasAsked_ || (layer_ != nullptr && special_ != work.tokens.special))
    handOver(inputs, constants, work);
  if (layer_ == nullptr) return nullptr;
  tickets_.clear();
  DeviceCall::Made made{device_->runner, layer_, work.enabled, {}, {}};
  for (std::size_t i = 0; i < inputs.count(); ++i) {
    if (isBlob(inputs.name(i))) made.inputs[inputs.name(i)] = inputOf(inputs, i, work);
  }
  layOut(made.inputs);
  for (const cv::Mat& output : outputs) made.outputs.push_back(shapeOf(output));
  made.outputs.insert(made.outputs.end(), work.more.begin(), work.more.end());
  std::shared_ptr<DeviceCall> call;
  try {
    call = DeviceCall::make(std::move(made));
  } catch (const std::exception& error) {
    refuse(error.what());
  }
  present(call, outputs);
  return call;
}

void DeviceLayer::present(const std::shared_ptr<DeviceCall>& call, std::vector<cv::Mat>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!keepsOnHost_ && !isReadBy(onnx::kOthersRead, i)) {
      tickets_.push_back(Ticket::write(outputs[i], {call, i}));
      continue;
    }
    download(*call, i, outputs[i].ptr<float>());
    if (isReadBy(onnx::kLayersRead, i)) tickets_.push_back(Ticket::beside(outputs[i], {call, i}));
  }
}

void DeviceLayer::bringToHost(LayerInputs& inputs) {
  tickets_.clear();
  fetch(inputs);
}

void DeviceLayer::fetch(LayerInputs& inputs) {
  for (std::size_t i = 0; i < inputs.blobs(); ++i) {
    const cv::Mat& blob = inputs.at(i);
    if (!isTicket(blob)) continue;
    const DeviceBlob device = find(inputs.name(i), blob);
    if (host_.size() <= i) host_.resize(i + 1);
    host_[i].create(blob.dims, blob.size.p, CV_32F);
    download(*device.call, device.output, host_[i].ptr<float>());
    inputs.replace(i, host_[i]);
  }
}

void DeviceLayer::download(DeviceCall& call, std::size_t output, float* host) const {
  try {
    call.download(output, host);
  } catch (const std::exception& error) {
    refuse(error.what());
  }
}

}  // namespace mpm::dnn

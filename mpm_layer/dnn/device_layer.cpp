// SPDX-License-Identifier: Apache-2.0
#include "dnn/device_layer.h"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "onnx/layers/rewrite_model.h"

namespace mpm::dnn {
namespace {

constexpr const char* kReaders = "readers";
constexpr int kMostLabel = 1 << 24;  // whole numbers up to here are exact in float32

}  // namespace

DeviceLayer::DeviceLayer(LayerKind kind, const cv::dnn::LayerParams& params)
    : identity_{typeOf(kind), params.name}, kind_(kind) {
  for (const auto& [name, value] : params) {
    if (value.isString()) {
      words_[name] = value.size() > 0 ? value.get<cv::String>(0) : cv::String();
      continue;
    }
    std::vector<double>& list = numbers_[name];
    for (int i = 0; i < value.size(); ++i) list.push_back(value.get<double>(i));
  }
}

std::vector<int> DeviceLayer::numbers(const std::string& name) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

int DeviceLayer::number(const std::string& name, int otherwise) const {
  const std::vector<int> all = numbers(name);
  return all.empty() ? otherwise : all[0];
}

std::string DeviceLayer::word(const std::string& name, const std::string& otherwise) const {
  const auto found = words_.find(name);
  return found == words_.end() ? otherwise : found->second;
}

bool DeviceLayer::isReadBy(std::int64_t whom, std::size_t output) const {
  const auto readers = numbers_.find(kReaders);
  if (readers == numbers_.end() || output >= readers->second.size()) return true;
  return (static_cast<std::int64_t>(readers->second[output]) & whom) != 0;
}

RunnerLayerParams DeviceLayer::paramsOf(const LayerInputs& inputs, const Work& work) const {
  RunnerLayerParams params{identity_.type, identity_.name, numbers_, words_, {}};
  params.numbers.erase(kReaders);
  if (work.tokens.batch > 0) params.numbers["special"] = {static_cast<double>(work.tokens.special)};
  params.words["precision"] = device_->precision;
  for (std::size_t i = inputs.blobs(); i < inputs.count(); ++i) {
    const cv::Mat& mat = inputs.at(i);
    if (!inputs.isWeight(i)) continue;
    checkFloats(identity_, inputs.name(i), mat);
    params.constants.push_back({inputs.name(i), shapeOf(mat), mat.ptr<float>()});
  }
  return params;
}

void DeviceLayer::handOver(const LayerInputs& inputs, std::vector<cv::Mat>& constants,
                           const Work& work) {
  if (letWeightsGo_) {
    refuseInput(identity_, "tokens",
                "has " + std::to_string(work.tokens.special) + " special rows; expected " +
                    std::to_string(special_) + ", as at the first forward");
  }
  if (inputs.areWeightsConstant()) {
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
  letWeightsGo_ = forgetWeights(inputs, constants);
}

// Runners name the layer too, in part of what they say.
void DeviceLayer::refuse(const std::string& problem) const {
  const std::string name = identity_.type + " '" + identity_.name + "'";
  if (problem.rfind(name, 0) == 0) CV_Error(cv::Error::StsBadArg, problem);
  refuseLayer(identity_, problem);
}

DeviceBlob DeviceLayer::find(const std::string& input, const cv::Mat& blob) const {
  try {
    return findOnDevice(blob);
  } catch (const std::runtime_error& error) {
    refuseInput(identity_, input, error.what());
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
    const int live = liveRows(identity_, rows, image, shape);
    const int row = values.size[0] == 1 ? 0 : image;
    if (isMap)
      readIntegers(identity_, name, values.ptr<float>(image), shape.image,
                   {0, live - shape.special - 1, "the live image rows"}, integers);
    if (isRegions)
      readIntegers(identity_, name, values.ptr<float>(row), shape.image,
                   {-kMostLabel, kMostLabel, "a label"}, integers);
  }
}

RunnerBlob DeviceLayer::inputOf(const LayerInputs& inputs, std::size_t index,
                                const Work& work) const {
  const std::string& name = inputs.name(index);
  const cv::Mat& blob = inputs.at(index);
  checkFloats(identity_, name, blob);
  if (const DeviceBlob device = find(name, blob)) return device.blob;
  checkOnHost(inputs, name, blob, work.tokens);
  return {shapeOf(blob), const_cast<float*>(blob.ptr<float>()), nullptr};
}

float* DeviceLayer::hostMemory(std::size_t input, const std::vector<int>& shape) {
  if (host_.size() <= input) host_.resize(input + 1);
  host_[input].create(static_cast<int>(shape.size()), shape.data(), CV_32F);
  return host_[input].ptr<float>();
}

// Tokens on the device are laid out by rows that were made there. Rows of the host come with tokens
// of the host, which are the first input.
void DeviceLayer::bringTokensToRows(std::map<std::string, RunnerBlob>& inputs) {
  const auto rows = inputs.find("rows"), tokens = inputs.find("tokens");
  if (rows == inputs.end() || tokens == inputs.end()) return;
  RunnerBlob& blob = tokens->second;
  if (rows->second.device != nullptr || blob.device == nullptr) return;
  blob.host = hostMemory(0, blob.shape);
  download({device_->runner, blob}, blob.host);
  blob.device.reset();
}

std::vector<DeviceBlob> DeviceLayer::forwardOnDevice(const LayerInputs& inputs,
                                                     std::vector<cv::Mat>& constants,
                                                     std::vector<cv::Mat>& outputs,
                                                     const Work& work) {
  if (device_ == nullptr || !infoOf(kind_).isForDevices) return {};
  if (!wasAsked_ || (layer_ != nullptr && special_ != work.tokens.special))
    handOver(inputs, constants, work);
  if (layer_ == nullptr) return {};
  tickets_.clear();
  std::map<std::string, RunnerBlob> given;
  for (std::size_t i = 0; i < inputs.count(); ++i) {
    if (!inputs.isWeight(i)) given[inputs.name(i)] = inputOf(inputs, i, work);
  }
  bringTokensToRows(given);
  std::vector<RunnerBlob> blobs;
  for (const cv::Mat& output : outputs) blobs.push_back({shapeOf(output), nullptr, nullptr});
  for (const std::vector<int>& shape : work.more) blobs.push_back({shape, nullptr, nullptr});
  try {
    const std::lock_guard lock(device_->runner->calls);
    layer_->setEnabled(work.enabled);
    layer_->forward(given, blobs);
  } catch (const std::exception& error) {
    refuse(error.what());
  }
  std::vector<DeviceBlob> made;
  for (RunnerBlob& blob : blobs) made.push_back({device_->runner, std::move(blob)});
  present(made, outputs);
  return made;
}

void DeviceLayer::present(const std::vector<DeviceBlob>& made, std::vector<cv::Mat>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!keepsOnHost_ && !isReadBy(onnx::kOthersRead, i)) {
      tickets_.push_back(Ticket::write(outputs[i], made[i]));
      continue;
    }
    download(made[i], outputs[i].ptr<float>());
    if (isReadBy(onnx::kLayersRead, i)) tickets_.push_back(Ticket::beside(outputs[i], made[i]));
  }
}

void DeviceLayer::bringToHost(LayerInputs& inputs) {
  tickets_.clear();
  fetch(inputs);
}

void DeviceLayer::fetch(LayerInputs& inputs) {
  for (std::size_t i = 0; i < inputs.blobs(); ++i) {
    if (!isTicket(inputs.at(i))) continue;
    const DeviceBlob device = find(inputs.name(i), inputs.at(i));
    download(device, hostMemory(i, device.blob.shape));
    inputs.replace(i, host_[i]);
  }
}

void DeviceLayer::download(const DeviceBlob& blob, float* host) const {
  try {
    blob.download(host);
  } catch (const std::exception& error) {
    refuse(error.what());
  }
}

}  // namespace mpm::dnn

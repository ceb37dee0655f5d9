// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <opencv2/dnn.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dnn/device.h"
#include "dnn/device_call.h"
#include "dnn/layer_inputs.h"
#include "dnn/tickets.h"
#include "dnn/token_blobs.h"

namespace mpm::dnn {

/// A layer that a device can compute: everything about that but the checks of shapes. The runner is
/// asked for it at the first forward, and handed attributes and constants; weights are let go here
/// then. The attributes `readers` and `lasting` are those of onnx/readers.h. Without them every
/// output comes to the host, and what comes from there is kept as a copy.
class DeviceLayer {
 public:
  virtual ~DeviceLayer() = default;

  /// Before the first forward. Null: the processor.
  void setDevice(std::shared_ptr<const Device> device) { device_ = std::move(device); }
  const Device* device() const { return device_.get(); }

  /// Whether outputs come to the host whoever reads them, from the next forward on.
  void keepOnHost(bool on) { keepsOnHost_ = on; }

 protected:
  DeviceLayer(LayerIdentity layer, const cv::dnn::LayerParams& params);

  /// What a forward is about, beside its inputs and outputs.
  struct Work {
    TokenShape tokens{};                   ///< of a layer on tokens
    std::vector<std::vector<int>> more{};  ///< shapes of the outputs that `outputs` lacks
    bool enabled = true;                   ///< of a merge
  };

  /// Computes `outputs` on the device, and gives the call that did. Shapes have been checked. Null
  /// where the processor is to compute them: the device is none, its runner does not compute this
  /// kind, or weights are no constants.
  std::shared_ptr<DeviceCall> forwardOnDevice(const LayerInputs& inputs,
                                              std::vector<cv::Mat>& constants,
                                              std::vector<cv::Mat>& outputs, const Work& work);
  /// Whether the weights were let go.
  bool isHandedOver() const { return layer_ != nullptr; }

  /// Before a forward on the processor: leaves no ticket among its inputs, and lets go what the
  /// last forward left on the device.
  void bringToHost(LayerInputs& inputs);
  /// The first half of that.
  void fetch(LayerInputs& inputs);

  /// Copies an output to the host; throws in the layer's name.
  void download(DeviceCall& call, std::size_t output, float* host) const;

 private:
  void handOver(const LayerInputs& inputs, std::vector<cv::Mat>& constants, const Work& work);
  RunnerLayerParams paramsOf(const LayerInputs& inputs, const Work& work) const;
  DeviceInput inputOf(const LayerInputs& inputs, std::size_t index, const Work& work) const;
  void checkOnHost(const LayerInputs& inputs, const std::string& name, const cv::Mat& values,
                   const TokenShape& shape) const;
  void layOut(std::map<std::string, DeviceInput>& inputs) const;
  void present(const std::shared_ptr<DeviceCall>& call, std::vector<cv::Mat>& outputs);
  DeviceBlob find(const std::string& input, const cv::Mat& blob) const;
  [[noreturn]] void refuse(const std::string& problem) const;
  bool isReadBy(std::int64_t whom, std::size_t output) const;

  LayerIdentity layerName_;
  std::map<std::string, std::vector<double>> numbers_;  // attributes
  std::map<std::string, std::string> words_;
  std::shared_ptr<const Device> device_;
  bool keepsOnHost_ = false;

  bool wasAsked_ = false;
  std::shared_ptr<RunnerLayer> layer_;  // null: not asked yet, or the processor computes it
  int special_ = 0;                     // what it was made for
  bool letWeightsGo_ = false;

  std::vector<Ticket> tickets_;  // of the last forward
  std::vector<cv::Mat> host_;    // scratch memory
};

}  // namespace mpm::dnn

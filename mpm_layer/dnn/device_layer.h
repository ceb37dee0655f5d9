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
#include "dnn/layer_inputs.h"
#include "dnn/tickets.h"
#include "dnn/token_blobs.h"
#include "mpm/layer_kinds.h"

namespace mpm::dnn {

/// A layer that a device can compute: everything about that but the checks of shapes. The runner is
/// asked for it at the first forward, and handed attributes and constants; weights are let go here
/// then. The attribute `readers` is that of onnx/rewrite_model.h; without it every output comes to
/// the host.
class DeviceLayer {
 public:
  virtual ~DeviceLayer() = default;

  /// Before the first forward. Null: the processor.
  void setDevice(std::shared_ptr<const Device> device) { device_ = std::move(device); }
  const Device* device() const { return device_.get(); }

  /// Whether outputs come to the host whoever reads them, from the next forward on.
  void keepOnHost(bool on) { keepsOnHost_ = on; }

  LayerKind kind() const { return kind_; }
  /// Attributes as the model has them; `otherwise` where it has not one of that name.
  std::vector<int> numbers(const std::string& name) const;
  int number(const std::string& name, int otherwise) const;
  std::string word(const std::string& name, const std::string& otherwise) const;

 protected:
  DeviceLayer(LayerKind kind, const cv::dnn::LayerParams& params);

  /// What a forward is about, beside its inputs and outputs.
  struct Work {
    TokenShape tokens{};                   ///< of a layer on tokens
    std::vector<std::vector<int>> more{};  ///< shapes of the outputs that `outputs` lacks
    bool enabled = true;                   ///< of a merge
  };

  /// Computes `outputs` on the device, and gives what lies there: those, and `more`. Shapes have
  /// been checked. Empty where the processor is to compute them: the device is none, its runner
  /// does not compute this kind, or weights are no constants.
  std::vector<DeviceBlob> forwardOnDevice(const LayerInputs& inputs,
                                          std::vector<cv::Mat>& constants,
                                          std::vector<cv::Mat>& outputs, const Work& work);
  /// Whether the weights were let go.
  bool isHandedOver() const { return layer_ != nullptr; }

  /// Before a forward on the processor: leaves no ticket among its inputs, and lets go what the
  /// last forward left on the device.
  void bringToHost(LayerInputs& inputs);
  /// The first half of that.
  void fetch(LayerInputs& inputs);

  /// Copies a blob to the host; throws in the layer's name.
  void download(const DeviceBlob& blob, float* host) const;

  const LayerIdentity identity_;

 private:
  void handOver(const LayerInputs& inputs, std::vector<cv::Mat>& constants, const Work& work);
  RunnerLayerParams paramsOf(const LayerInputs& inputs, const Work& work) const;
  RunnerBlob inputOf(const LayerInputs& inputs, std::size_t index, const Work& work) const;
  void checkOnHost(const LayerInputs& inputs, const std::string& name, const cv::Mat& values,
                   const TokenShape& shape) const;
  void bringTokensToRows(std::map<std::string, RunnerBlob>& inputs);
  void present(const std::vector<DeviceBlob>& made, std::vector<cv::Mat>& outputs);
  float* hostMemory(std::size_t input, const std::vector<int>& shape);
  DeviceBlob find(const std::string& input, const cv::Mat& blob) const;
  [[noreturn]] void refuse(const std::string& problem) const;
  bool isReadBy(std::int64_t whom, std::size_t output) const;

  LayerKind kind_;
  std::map<std::string, std::vector<double>> numbers_;  // attributes
  std::map<std::string, std::string> words_;
  std::shared_ptr<const Device> device_;
  bool keepsOnHost_ = false;

  bool wasAsked_ = false;
  std::unique_ptr<RunnerLayer> layer_;  // null: not asked yet, or the processor computes it
  int special_ = 0;                     // what it was made for
  bool letWeightsGo_ = false;

  std::vector<Ticket> tickets_;  // of the last forward
  std::vector<cv::Mat> host_;    // scratch memory
};

}  // namespace mpm::dnn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "dnn/runner_library.h"

namespace mpm::dnn {

class DeviceCall;

/// A blob on the device: one output of a call.
struct DeviceBlob {
  std::shared_ptr<DeviceCall> call;  ///< null: none
  std::size_t output = 0;

  explicit operator bool() const { return call != nullptr; }
};

/// What a call is handed: a blob that is on the device, or one on the host that stays as it is for
/// as long as the call may be made again.
struct DeviceInput {
  std::vector<int> shape;
  cv::Mat host;
  DeviceBlob device;
};

/// Calls that stand on each other, in the order in which they were made.
class DeviceChain;

/// One call of a layer on the device. It knows what it was made of, so it can be made again, with
/// everything that it stands on.
class DeviceCall {
 public:
  struct Made {
    LoadedRunner* runner = nullptr;
    std::shared_ptr<RunnerLayer> layer;
    bool enabled = true;  ///< of a merge
    std::map<std::string, DeviceInput> inputs;
    std::vector<std::vector<int>> outputs;  ///< shapes
  };

  /// Makes it. Throws std::runtime_error as the runner does.
  static std::shared_ptr<DeviceCall> make(Made made);

  const std::vector<int>& shape(std::size_t output) const { return outputs_[output].shape; }

  /// Copies an output to the host. Where the runner wants what was computed computed again, the
  /// whole chain is. std::runtime_error.
  void download(std::size_t output, float* host);

  /// Gives an output's memory on the device back, unless it is kept. From any thread.
  void release(std::size_t output);
  /// Before anybody could release it.
  void keep(std::size_t output) { outputs_[output].kept = true; }

 private:
  friend class DeviceChain;
  struct Output {
    std::vector<int> shape;
    std::shared_ptr<void> device;
    bool kept = false, released = false;
  };

  explicit DeviceCall(Made made);
  void run();
  void letGoOfReleased();

  Made made_;
  std::vector<Output> outputs_;
  std::shared_ptr<DeviceChain> chain_;
};

}  // namespace mpm::dnn

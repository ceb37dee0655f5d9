// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <opencv2/dnn.hpp>
#include <string>

#include "contract/runner.h"
#include "vit/kernels.h"

namespace mpm::dnn {

/// A runner, and the lock that every caller holds, since nets in several threads share it.
struct LoadedRunner {
  Runner* runner = nullptr;
  std::mutex calls;
};

/// Returns the runner of a device, for the rest of the process. Loads MPM_RUNNER's library, else
/// libmpm_torch.so next to this library, else the one that the system's loader finds. The library
/// is asked once. Throws std::invalid_argument, "device cuda: why there is none", if that failed.
LoadedRunner& runnerOf(const std::string& device);

/// Device that computes a net's layers instead of the processor.
struct Device {
  LoadedRunner* runner = nullptr;
  std::string precision;  ///< one that it has
};

/// Place where a net computes.
struct Place {
  std::shared_ptr<const Device> device;             ///< null: the processor
  vit::Precision precision = vit::Precision::fp32;  ///< of what the processor computes
};

/// Returns "cpu", "cuda" or "cuda:1"; for "", MPM_DEVICE's, else cpu. "cpu-torch", for tests, is
/// the runner on LibTorch on the processor. Throws std::invalid_argument for any other name.
std::string deviceOf(const std::string& name);

/// Takes names as in ReadOptions. Throws std::invalid_argument if one is unknown or unavailable.
Place placeOf(const std::string& device, const std::string& precision);

/// Takes "fp32", "bf16", "fp16" or "int8"; "" is MPM_PRECISION's, else fp32. Throws
/// std::invalid_argument for any other name, and for one that this processor does not compute in.
vit::Precision precisionOf(const std::string& name);

/// Sets the place of every layer of a net, before its first forward.
void setPlace(cv::dnn::Net& net, const Place& place);

}  // namespace mpm::dnn

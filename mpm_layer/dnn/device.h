// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <opencv2/dnn.hpp>
#include <string>

#include "mpm/runner.h"
#include "vit/kernels.h"

namespace mpm::dnn {

/// A runner, and the lock that everybody who calls it holds: nets in several threads share it.
struct LoadedRunner {
  Runner* runner = nullptr;
  std::mutex calls;
};

/// The runner of a device, for the rest of the process. Its library is MPM_RUNNER's, else
/// libmpm_torch.so beside this library, else the one that the system's loader finds; it is asked
/// once. std::invalid_argument, "device cuda: why there is none", where that failed.
LoadedRunner& runnerOf(const std::string& device);

/// What a net's layers compute on instead of the processor.
struct Device {
  LoadedRunner* runner = nullptr;
  std::string precision;  ///< one that it has
};

/// Where a net is to compute.
struct Place {
  std::shared_ptr<const Device> device;             ///< null: the processor
  vit::Precision precision = vit::Precision::fp32;  ///< of what the processor computes
};

/// "cpu", "cuda" or "cuda:1"; "" is MPM_DEVICE's, else cpu. std::invalid_argument for any other
/// name but those of the runner on LibTorch that computes on the processor, for tests: "cpu-torch".
std::string deviceOf(const std::string& name);

/// The names as in ReadOptions. std::invalid_argument where one is not known or not to be had.
Place placeOf(const std::string& device, const std::string& precision);

/// "fp32", "bf16", "fp16" or "int8"; "" is MPM_PRECISION's, else fp32. std::invalid_argument for
/// any other name, and for one that this processor does not compute in.
vit::Precision precisionOf(const std::string& name);

/// For every layer of a net, before its first forward.
void setPlace(cv::dnn::Net& net, const Place& place);

}  // namespace mpm::dnn

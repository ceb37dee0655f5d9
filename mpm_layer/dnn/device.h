// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <opencv2/dnn.hpp>
#include <string>

#include "dnn/runner_library.h"
#include "vit/precision.h"

namespace mpm::dnn {

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

/// For every layer of a net, before its first forward.
void setPlace(cv::dnn::Net& net, const Place& place);

}  // namespace mpm::dnn

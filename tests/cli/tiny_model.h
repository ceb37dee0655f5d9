// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace mpm::test {

struct TinyModel {
  std::vector<std::string> inputs = {"x"};
  std::vector<std::string> outputs = {"y"};
  std::map<std::string, std::string> metadata;
};

/// The bytes of an ONNX model that no encoder is in: inputs [any, 2, 3] are added up, and each
/// output is the ReLU of the sum.
std::string tinyModel(const TinyModel& model = {});

}  // namespace mpm::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mpm::test {

struct MergeModel {
  int batch = 1;  ///< 0: a symbolic batch
  int special = 1;
  int image = 64;
  int dim = 16;
  int merges = 2;
  bool constantRegions = false;  ///< the first merge has labels as a constant: i % 3
};

/// The bytes of an ONNX model: input `tokens`, `merges` merges named merge0, merge1, ..., and a
/// restore; outputs `full`, `rows`, `map`.
std::vector<unsigned char> onnxModel(const MergeModel& model);

}  // namespace mpm::test

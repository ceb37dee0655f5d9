// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace mpm::test {

struct OnnxValue {
  std::string name;
  std::vector<int> shape;  ///< 0: a symbolic size
  bool isWhole = false;    ///< int64 instead of float32
};

struct OnnxNode {
  std::string type, name;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, int> numbers{};
  std::map<std::string, std::string> texts{};
  std::string domain = "mpm";
};

/// A node of ONNX's own.
OnnxNode onnxNode(const std::string& type, const std::vector<std::string>& inputs,
                  const std::string& output);

struct OnnxGraph {
  std::vector<OnnxValue> inputs, outputs;
  std::vector<OnnxNode> nodes;
  std::map<std::string, cv::Mat> constants{};  ///< float32
};

/// The bytes of an ONNX model that imports the domains "" and "mpm".
std::vector<unsigned char> onnxBytes(const OnnxGraph& graph);

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

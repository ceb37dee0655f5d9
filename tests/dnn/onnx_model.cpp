// SPDX-License-Identifier: Apache-2.0
#include "dnn/onnx_model.h"

#include "dnn/onnx_graph.h"

namespace mpm::test {
namespace {

void addRegions(OnnxGraph& graph, OnnxNode& node, int count) {
  cv::Mat regions(1, count, CV_32F);
  for (int i = 0; i < count; ++i) regions.ptr<float>()[i] = static_cast<float>(i % 3);
  graph.constants["regions"] = regions;
  node.inputs.push_back("regions");
  node.texts["inputs"] = "tokens,regions";
}

}  // namespace

std::vector<unsigned char> onnxModel(const MergeModel& model) {
  const int capacity = model.special + model.image;
  OnnxGraph graph;
  graph.inputs = {{"tokens", {model.batch, capacity, model.dim}}};
  std::vector<std::string> state = {"tokens"};
  for (int m = 0; m < model.merges; ++m) {
    const std::string suffix = m + 1 == model.merges ? "" : std::to_string(m);
    const std::vector<std::string> outputs = {"tokens_out" + suffix, "rows" + suffix,
                                              "map" + suffix};
    OnnxNode node{"MutualPairMerge", "merge" + std::to_string(m), state, outputs};
    node.numbers["special"] = model.special;
    if (m == 0 && model.constantRegions) addRegions(graph, node, model.image);
    graph.nodes.push_back(node);
    state = outputs;
  }
  graph.nodes.push_back({"MergeRestore", "restore", {state[0], "map"}, {"full"}});
  graph.outputs = {{"full", {model.batch, capacity, model.dim}},
                   {"rows", {model.batch, 1}},
                   {"map", {model.batch, model.image}}};
  return onnxBytes(graph);
}

}  // namespace mpm::test

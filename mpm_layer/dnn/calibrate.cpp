// SPDX-License-Identifier: Apache-2.0
#include "dnn/calibrate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "dnn/net_layer.h"
#include "dnn/weights.h"
#include "mpm/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/graph/tensor.h"

namespace mpm::dnn {
namespace {

bool isBlock(const onnx::Node& node) {
  return kindOf((node.domain() == "mpm" ? "mpm." : "") + node.op_type()) ==
         LayerKind::transformerBlock;
}

void forward(cv::dnn::Net& net, const cv::Mat& input, const std::string& name) {
  if (input.empty()) throw std::invalid_argument(name + " is empty");
  if (!cv::checkRange(input)) throw std::invalid_argument(name + " has values that are not finite");
  try {
    net.setInput(input);
    net.forward();
  } catch (const cv::Exception& error) {
    throw std::invalid_argument(name + ", " + shapeText(shapeOf(input)) +
                                ", does not run: " + error.err);
  }
}

bool areFinite(const vit::FeatureRanges& ranges) {
  const std::vector<float> values = ranges.values();
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

}  // namespace

NetRanges measureRanges(cv::dnn::Net& net, const std::vector<cv::Mat>& inputs) {
  forEachLayer(net, [](const std::string&, NetLayer& layer) { layer.measureRanges(); });
  for (std::size_t i = 0; i < inputs.size(); ++i)
    forward(net, inputs[i], "calibration input " + std::to_string(i + 1));
  NetRanges ranges;
  forEachLayer(net, [&](const std::string& name, NetLayer& layer) {
    if (layer.ranges() == nullptr || layer.ranges()->norm1.rows() == 0) return;
    if (!areFinite(layer.ranges()->norm1) || !areFinite(layer.ranges()->norm2))
      throw std::invalid_argument("on the calibration inputs, features of block '" +
                                  nodeName(name) + "' are not finite; use others");
    ranges.emplace(nodeName(name), *layer.ranges());
  });
  return ranges;
}

int addRanges(onnx::Model& model, const NetRanges& ranges) {
  onnx::Edit edit;
  for (const onnx::Node* node : model.nodes()) {
    const auto found = ranges.find(node->name());
    if (!isBlock(*node) || found == ranges.end()) continue;
    onnx::Node block = *node;
    std::string names = onnx::stringAttribute(block, "inputs").value_or("");
    const auto add = [&](const char* name, const vit::FeatureRanges& of) {
      const std::vector<float> values = of.values();
      const std::string value = model.unusedName(node->name() + "/" + name);
      const auto dim = static_cast<std::int64_t>(values.size() / 3);
      edit.constants.push_back(onnx::floatTensor(value, {3, dim}, values.data()));
      block.add_input(value);
      names += std::string(",") + name;
    };
    add("norm1_ranges", found->second.norm1);
    add("norm2_ranges", found->second.norm2);
    onnx::setAttribute(block, "inputs", names);
    edit.remove.push_back(node);
    edit.add.push_back(std::move(block));
  }
  const int count = static_cast<int>(edit.add.size());
  model.apply(std::move(edit));
  return count;
}

}  // namespace mpm::dnn

// SPDX-License-Identifier: Apache-2.0
#include "onnx/small_nets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <optional>
#include <utility>

#include "mpm/net.h"
#include "onnx/graph/model.h"
#include "onnx/operators/interpreter.h"
#include "onnx/operators/known_tensor.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

using Outputs = std::map<std::string, cv::Mat>;

constexpr std::int64_t kImages = 2;  // where the batch is open

// Without nodes that no output needs, as exporters write it.
onnx::Model modelOf(const std::string& text) {
  onnx::Model model(graph(text));
  model.removeDead();
  return model;
}

std::string bytesOf(const std::string& text) { return modelOf(text).proto().SerializeAsString(); }

Description descriptionOf(const std::string& text) {
  const std::string bytes = bytesOf(text);
  return describe(bytes.data(), bytes.size());
}

struct Input {
  std::string name;
  onnx::KnownTensor values;
};

// Numbers that differ, of the sizes that the model says.
std::vector<Input> inputsOf(const onnx::Model& model) {
  std::vector<Input> all;
  for (const onnx::Value& each : model.inputs()) {
    Input& input = all.emplace_back();
    input.name = each.name;
    input.values.type = each.type;
    std::size_t count = 1;
    for (const onnx::Dim& dim : each.dims) {
      input.values.dims.push_back(dim.isKnown() ? dim.size : kImages);
      count *= static_cast<std::size_t>(input.values.dims.back());
    }
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(std::sin(1.7F * static_cast<float>(i) + static_cast<float>(all.size())));
    input.values.floats = std::move(values);
  }
  return all;
}

cv::Mat matOf(const onnx::KnownTensor& known) {
  std::vector<int> sizes(known.dims.begin(), known.dims.end());
  cv::Mat mat(sizes, CV_32F);
  for (std::size_t i = 0; i < known.count(); ++i)
    mat.ptr<float>()[i] = known.isFloat() ? known.floats[i] : static_cast<float>(known.integers[i]);
  return mat;
}

// By the interpreter; nothing where the model has a node that it does not know.
std::optional<Outputs> computed(const std::string& text) {
  onnx::Model model = modelOf(text);
  for (const auto* node : model.nodes()) {
    if (!onnx::isInterpreted(*node)) return std::nullopt;
  }
  std::vector<onnx::Integers> dims;
  std::vector<onnx::KnownTensor> values;
  for (Input& input : inputsOf(model)) {
    dims.push_back(input.values.dims);
    values.push_back(std::move(input.values));
  }
  const std::vector<onnx::Value> outputs = model.outputs();
  onnx::Interpreter interpreter(std::move(model));
  interpreter.fit(dims);
  const std::vector<onnx::KnownTensor> made = interpreter.run(std::move(values));
  Outputs all;
  for (std::size_t i = 0; i < made.size(); ++i) all[outputs[i].name] = matOf(made[i]);
  return all;
}

Outputs outputsOfNet(const SmallNet& net, const Schedule& schedule,
                     Restore restore = Restore::late) {
  const std::string bytes = bytesOf(net.text);
  ReadOptions options;
  options.schedule = schedule;
  options.restore = restore;
  options.inputSize = {net.width, net.height};
  cv::dnn::Net read = readNet(bytes.data(), bytes.size(), options);
  for (const Input& input : inputsOf(modelOf(net.width > 0 ? net.same : net.text)))
    read.setInput(matOf(input.values), input.name);
  const std::vector<cv::String> names = read.getUnconnectedOutLayersNames();
  std::vector<cv::Mat> blobs;
  read.forward(blobs, names);
  Outputs all;
  for (std::size_t i = 0; i < names.size(); ++i) all[names[i]] = blobs[i].clone();
  return all;
}

void expectClose(const cv::Mat& is, const cv::Mat& expected, const std::string& what) {
  ASSERT_EQ(is.total(), expected.total()) << what;
  ASSERT_TRUE(cv::checkRange(is.reshape(1, 1))) << what;
  const double largest = std::max(1e-3, cv::norm(expected.reshape(1, 1), cv::NORM_INF));
  EXPECT_LE(cv::norm(is.reshape(1, 1), expected.reshape(1, 1), cv::NORM_INF) / largest, kVitNetwork)
      << what;
}

void expectMerges(const SmallNet& net, const Outputs& full, int block) {
  SCOPED_TRACE("merge before " + std::to_string(block));
  const Schedule schedule = {block};
  const Outputs late = outputsOfNet(net, schedule);
  const Outputs early = outputsOfNet(net, schedule, Restore::early);
  const cv::Mat &rows = late.at("mpm_rows"), &all = full.at("mpm_rows");
  for (std::size_t i = 0; i < rows.total(); ++i)
    EXPECT_LT(rows.ptr<float>()[i], all.ptr<float>()[i]) << "live rows of image " << i;
  for (const auto& [name, blob] : early) expectClose(late.at(name), blob, name);
  if (net.same.empty() || !descriptionOf(net.same).mergeable) return;
  for (const auto& [name, blob] : outputsOfNet({"", net.same}, schedule))
    expectClose(late.at(name), blob, "as in the other model, " + name);
}

}  // namespace

void expectAsComputed(const SmallNet& net) {
  SCOPED_TRACE(net.name);
  const std::string& same = net.same.empty() ? net.text : net.same;
  Description found;
  Outputs full, expected;
  try {
    found = descriptionOf(net.text);
    full = outputsOfNet(net, {});
    const auto known = computed(same);
    expected = known ? *known : outputsOfNet({"", same}, {});
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
    return;
  }
  EXPECT_EQ(found.mergeable, net.reason.empty()) << found.reason;
  EXPECT_EQ(found.reason.substr(0, net.reason.size()), net.reason);
  for (const auto& [name, blob] : expected) {
    ASSERT_TRUE(full.contains(name)) << name;
    expectClose(full.at(name), blob, name);
  }
  if (!found.mergeable) return;
  expectMerges(net, full, 0);
  if (found.depth > 1) expectMerges(net, full, found.depth - 1);
}

void expectAll(const std::string& model, const std::vector<SmallNet>& changes) {
  for (const SmallNet& each : changes) {
    SmallNet net = each;
    net.text = changed(model, each.text);
    if (!each.same.empty()) net.same = changed(model, each.same);
    expectAsComputed(net);
  }
}

std::string refusalOf(const std::string& text) {
  const std::string bytes = bytesOf(text);
  try {
    readNet(bytes.data(), bytes.size());
  } catch (const std::exception& error) {
    const std::string said = error.what();
    return said.starts_with("model: ") ? said.substr(7) : said;
  }
  return "taken";
}

}  // namespace mpm::test

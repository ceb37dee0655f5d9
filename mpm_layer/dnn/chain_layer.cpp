// SPDX-License-Identifier: Apache-2.0
// mpm.Chain: layers of a net that a device computes as one, so that values between them stay there.
// OpenCV sees only a chain's inputs and outputs, all on the host.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <opencv2/core/utility.hpp>
#include <opencv2/dnn/layer.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dnn/device.h"
#include "dnn/mutual_pair_merge_layer.h"
#include "dnn/net_layer.h"
#include "onnx/graph/model.h"

namespace mpm::dnn {
namespace {

constexpr std::size_t kRowsOutput = 1, kMergeOutputs = 3;

// Converts a node's attributes for a runner.
RunnerLayerParams attributesOf(const onnx::Node& node) {
  using Attribute = ::onnx::AttributeProto;
  RunnerLayerParams params;
  params.kind = node.op_type();
  params.name = node.name().empty() ? node.output(0) : node.name();
  for (const Attribute& attribute : node.attribute()) {
    if (attribute.type() == Attribute::STRING) {
      params.words[attribute.name()] = attribute.s();
      continue;
    }
    std::vector<double>& numbers = params.numbers[attribute.name()];
    numbers.assign(attribute.ints().begin(), attribute.ints().end());
    numbers.insert(numbers.end(), attribute.floats().begin(), attribute.floats().end());
    if (attribute.type() == Attribute::INT) numbers = {static_cast<double>(attribute.i())};
    if (attribute.type() == Attribute::FLOAT) numbers = {static_cast<double>(attribute.f())};
  }
  return params;
}

cv::dnn::LayerParams layerParamsOf(const RunnerLayerParams& attributes) {
  cv::dnn::LayerParams params;
  params.name = attributes.name;
  params.type = attributes.kind;
  for (const auto& [name, word] : attributes.words) params.set(name, cv::String(word));
  for (const auto& [name, list] : attributes.numbers)
    params.set(name, cv::dnn::DictValue::arrayReal(list.begin(), static_cast<int>(list.size())));
  return params;
}

// Calls a runner and names the layer in its errors.
template <class Call>
void inNameOf(const LayerIdentity& layer, const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    const std::string problem = error.what(), name = layer.type + " '" + layer.name + "'";
    if (problem.rfind(name, 0) == 0) CV_Error(cv::Error::StsBadArg, problem);
    refuseLayer(layer, problem);
  }
}

// Runs its layers on a device. The attribute `graph` holds them as an ONNX model with the chain's
// inputs and outputs in their order (onnx/layers/subgraphs.h). Constants come separately
// (weights.h). The processor computes a layer that the runner does not know, one whose weights are
// not constants, and a merge that is traced.
class Chain final : public NetLayer {
 public:
  explicit Chain(const cv::dnn::LayerParams& params);

  void setDevice(std::shared_ptr<const Device> device) override { device_ = std::move(device); }
  const Device* device() const override { return device_.get(); }
  std::vector<NetLayer*> members() const override;
  std::vector<double> memberTicks() const override { return ticks_; }

 private:
  struct Member {
    LayerIdentity identity;
    cv::Ptr<NetLayer> layer;
    MutualPairMergeLayer* merge = nullptr;           // the same, if it is one
    RunnerLayerParams params;                        // without its constants
    std::vector<std::size_t> inputs, outputs, last;  // values; `last`: nobody reads them after it
    std::map<std::string, RunnerBlob> constants;     // inputs that are no weights
    bool isAsked = false;
    std::unique_ptr<RunnerLayer> onDevice;  // null: not asked yet, or the processor computes it
  };
  struct Value {
    RunnerBlob blob;
    cv::Mat host;  // the memory of a host part that a member made
  };
  using Values = std::vector<Value>;

  void add(const onnx::Node& node, std::map<std::string, std::size_t>& numbers);
  void noteLastReaders();

  TokenShape checkShapes(const InputShapes& shapes) const override;
  std::vector<Shape> outputShapes(const TokenShape&, const InputShapes&) const override;
  void compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) override;

  void fit(const std::vector<Shape>& inputs) const;
  void ask(Member& member);
  void run(Member& member, Values& values);
  void runOnDevice(Member& member, Values& values);
  void runOnProcessor(Member& member, Values& values);
  void handOut(const Values& values, std::vector<cv::Mat>& outputs) const;
  void download(const LayerIdentity& layer, const RunnerBlob& blob, float* to) const;

  std::vector<Member> members_;
  std::size_t count_ = 0;             // of values: the chain's inputs, and what members make
  std::vector<std::size_t> outputs_;  // the values that leave the chain
  std::shared_ptr<const Device> device_;
  mutable std::vector<Shape> shapes_;  // of the values, for the inputs that were seen last
  std::vector<double> ticks_;
};

Chain::Chain(const cv::dnn::LayerParams& params) : NetLayer(LayerKind::chain, params, "x0") {
  const onnx::Model graph = graphOf(identity_, params);
  std::map<std::string, std::size_t> numbers;
  for (const onnx::Value& input : graph.inputs()) numbers[input.name] = count_++;
  for (const onnx::Node* node : graph.nodes()) add(*node, numbers);
  for (const onnx::Value& output : graph.outputs()) outputs_.push_back(numbers.at(output.name));
  noteLastReaders();
}

void Chain::add(const onnx::Node& node, std::map<std::string, std::size_t>& numbers) {
  Member member;
  member.params = attributesOf(node);
  member.identity = {member.params.kind, member.params.name};
  cv::dnn::LayerParams params = layerParamsOf(member.params);
  for (const std::string& input : node.input()) {
    const auto number = numbers.find(input);
    if (number == numbers.end())
      refuseLayer(identity_, "has a constant " + input + "; expected constants beside the graph");
    member.inputs.push_back(number->second);
  }
  const std::optional<LayerKind> kind = kindOf(params.type);
  if (!kind || !infoOf(*kind).isInChains)
    refuseLayer(identity_, "has a node " + params.type + "; expected layers of tokens");
  member.layer =
      cv::dnn::LayerFactory::createLayerInstance(params.type, params).dynamicCast<NetLayer>();
  member.layer->name = params.name;
  member.layer->type = params.type;
  member.merge = dynamic_cast<MutualPairMergeLayer*>(member.layer.get());
  for (const std::string& output : node.output()) {
    numbers[output] = count_;
    member.outputs.push_back(count_++);
  }
  while (member.merge != nullptr && member.outputs.size() < kMergeOutputs)
    member.outputs.push_back(count_++);
  members_.push_back(std::move(member));
}

// Keeps the chain's outputs to the end, and the rows of merges, which are noted there.
void Chain::noteLastReaders() {
  std::vector<bool> isRead(count_);
  for (const std::size_t output : outputs_) isRead[output] = true;
  for (const Member& member : members_) {
    if (member.merge != nullptr) isRead[member.outputs[kRowsOutput]] = true;
  }
  for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
    for (const auto* values : {&member->inputs, &member->outputs}) {
      for (const std::size_t value : *values) {
        if (!isRead[value]) member->last.push_back(value);
        isRead[value] = true;
      }
    }
  }
}

std::vector<NetLayer*> Chain::members() const {
  std::vector<NetLayer*> layers;
  for (const Member& member : members_) layers.push_back(member.layer.get());
  return layers;
}

void Chain::fit(const std::vector<Shape>& inputs) const {
  if (!shapes_.empty() && std::equal(inputs.begin(), inputs.end(), shapes_.begin())) return;
  shapes_.clear();
  std::vector<Shape> shapes = inputs;
  shapes.resize(count_);
  for (const Member& member : members_) {
    std::vector<Shape> given;
    for (const std::size_t input : member.inputs) given.push_back(shapes[input]);
    const std::vector<Shape> made = member.layer->shapesFor(std::move(given));
    for (std::size_t i = 0; i < std::min(made.size(), member.outputs.size()); ++i)
      shapes[member.outputs[i]] = made[i];
  }
  shapes_ = std::move(shapes);
}

TokenShape Chain::checkShapes(const InputShapes& shapes) const {
  fit(shapes.all());
  return {};
}

std::vector<Shape> Chain::outputShapes(const TokenShape&, const InputShapes&) const {
  std::vector<Shape> shapes;
  for (const std::size_t output : outputs_) shapes.push_back(shapes_[output]);
  return shapes;
}

// Asks the runner for a member. The device has its own copy of the weights, so these are freed
// here. A merge with rows but no map stays on the processor, which has to check the rows.
void Chain::ask(Member& member) {
  member.isAsked = true;
  NetLayer& layer = *member.layer;
  const std::size_t inputs = member.inputs.size();
  const auto has = [&](const char* input) { return layer.names().index(input, inputs) >= 0; };
  if (member.merge != nullptr && has("rows") && !has("map")) return;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (isWeight(layer.names().name(i))) return;
  }
  RunnerLayerParams params = member.params;
  params.words["precision"] = device_->precision;
  for (std::size_t i = 0; i < layer.blobs.size(); ++i) {
    const std::string& input = layer.names().name(inputs + i);
    const cv::Mat& values = layer.blobs[i];
    checkFloats(member.identity, input, values);
    auto* const floats = const_cast<float*>(values.ptr<float>());
    if (isWeight(input)) {
      params.constants.push_back({input, shapeOf(values), floats});
    } else {
      member.constants[input] = {shapeOf(values), floats, nullptr};
    }
  }
  inNameOf(member.identity, [&] { member.onDevice = device_->runner->runner->layer(params); });
  if (member.onDevice != nullptr) forgetWeights(layer.names(), inputs, layer.blobs);
}

void Chain::run(Member& member, Values& values) {
  if (!member.isAsked) ask(member);
  const bool isTraced =
      member.merge != nullptr && member.merge->isTracing() && member.merge->enabled();
  if (member.onDevice == nullptr || isTraced) {
    runOnProcessor(member, values);
  } else {
    runOnDevice(member, values);
  }
  for (const std::size_t value : member.last) values[value] = {};
}

void Chain::runOnDevice(Member& member, Values& values) {
  std::map<std::string, RunnerBlob> given = member.constants;
  for (std::size_t i = 0; i < member.inputs.size(); ++i)
    given[member.layer->names().name(i)] = values[member.inputs[i]].blob;
  std::vector<RunnerBlob> made;
  for (const std::size_t output : member.outputs)
    made.push_back({shapes_[output], nullptr, nullptr});
  inNameOf(member.identity, [&] {
    if (member.merge != nullptr) member.onDevice->setEnabled(member.merge->enabled());
    member.onDevice->forward(given, made);
  });
  for (std::size_t i = 0; i < made.size(); ++i) values[member.outputs[i]].blob = std::move(made[i]);
}

void Chain::runOnProcessor(Member& member, Values& values) {
  std::vector<cv::Mat> given, made, none;
  for (const std::size_t input : member.inputs) {
    const RunnerBlob& blob = values[input].blob;
    if (blob.device == nullptr) {
      given.emplace_back(blob.shape, CV_32F, blob.host);
      continue;
    }
    given.emplace_back(blob.shape, CV_32F);
    download(member.identity, blob, given.back().ptr<float>());
  }
  for (const std::size_t output : member.outputs) made.emplace_back(shapes_[output], CV_32F);
  member.layer->forward(given, made, none);
  for (std::size_t i = 0; i < made.size(); ++i) {
    Value& value = values[member.outputs[i]];
    value.blob = {shapes_[member.outputs[i]], made[i].ptr<float>(), nullptr};
    value.host = made[i];
  }
}

void Chain::download(const LayerIdentity& layer, const RunnerBlob& blob, float* to) const {
  RunnerBlob both = blob;
  both.host = to;
  inNameOf(layer, [&] { device_->runner->runner->download(both); });
}

void Chain::handOut(const Values& values, std::vector<cv::Mat>& outputs) const {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Value& value = values[outputs_[i]];
    if (value.blob.device == nullptr) {
      value.host.copyTo(outputs[i]);
    } else {
      download(identity_, value.blob, outputs[i].ptr<float>());
    }
  }
  for (const Member& member : members_) {
    if (member.merge == nullptr || !member.merge->enabled()) continue;
    const RunnerBlob& blob = values[member.outputs[kRowsOutput]].blob;
    if (blob.device == nullptr) continue;  // the processor has noted them
    std::vector<float> rows(static_cast<std::size_t>(blob.shape[0]));
    download(member.identity, blob, rows.data());
    member.merge->noteLiveRows({rows.begin(), rows.end()});
  }
}

void Chain::compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) {
  if (device_ == nullptr)
    refuseLayer(identity_, "has no device; expected that mpm::readNet read its model");
  fit(inputs.shapes().all());  // the net may have been asked for other shapes meanwhile
  Values values(count_);
  for (std::size_t i = 0; i < inputs.blobs(); ++i) {
    const cv::Mat& blob = inputs.at(i);
    checkFloats(identity_, inputs.name(i), blob);
    values[i].blob = {shapeOf(blob), const_cast<float*>(blob.ptr<float>()), nullptr};
  }
  const std::lock_guard lock(device_->runner->calls);
  std::int64_t before = cv::getTickCount();
  const auto ticks = [&] {
    const std::int64_t now = cv::getTickCount();
    return static_cast<double>(now - std::exchange(before, now));
  };
  ticks_.clear();
  for (Member& member : members_) {
    run(member, values);
    ticks_.push_back(ticks());
  }
  handOut(values, outputs);
  ticks_.back() += ticks();
}

}  // namespace

LayerPtr makeChain(const cv::dnn::LayerParams& params) { return cv::makePtr<Chain>(params); }

}  // namespace mpm::dnn

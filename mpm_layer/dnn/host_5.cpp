// SPDX-License-Identifier: Apache-2.0
// The new engine of OpenCV 5: a list of layers that reads and writes values by number, and
// allocates as it goes. It computes all of a graph, and accepts another list of layers at any time.
#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "dnn/host.h"

namespace mpm::dnn {
namespace {

using cv::dnn::Arg;
using GraphPtr = cv::Ptr<cv::dnn::Graph>;

// First exception of a layer while this thread reads a net.
thread_local std::exception_ptr refused;

// Replaces a graph's layers and outputs while it lives.
class Narrowed {
 public:
  Narrowed(GraphPtr graph, const std::vector<LayerPtr>& layers, const std::vector<Arg>& outputs)
      : graph_(std::move(graph)), layers_(graph_->prog()), outputs_(graph_->outputs()) {
    graph_->setProg(layers);
    graph_->setOutputs(outputs);
  }
  ~Narrowed() {
    graph_->setProg(layers_);
    graph_->setOutputs(outputs_);
  }
  Narrowed(const Narrowed&) = delete;
  Narrowed& operator=(const Narrowed&) = delete;

 private:
  GraphPtr graph_;
  std::vector<LayerPtr> layers_;
  std::vector<Arg> outputs_;
};

// Returns the list of layers of a net. One that was built with Net::addLayer has none.
GraphPtr graphOf(const cv::dnn::Net& net) {
  GraphPtr graph = net.getMainGraph();
  if (graph == nullptr)
    CV_Error(cv::Error::StsNotImplemented, "this net was not read from an ONNX model");
  return graph;
}

bool makes(const LayerPtr& layer, const Arg& value) {
  return layer != nullptr && std::any_of(layer->outputs.begin(), layer->outputs.end(),
                                         [&](const Arg& made) { return made.idx == value.idx; });
}

LayerPtr makerOf(const GraphPtr& graph, const Arg& value) {
  const std::vector<LayerPtr>& all = graph->prog();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& layer) { return makes(layer, value); });
  return found == all.end() ? LayerPtr() : *found;
}

// Returns the layers that `last` need, with null for others, so that each keeps its place in the
// engine's profile. Returns all if one has subgraphs, since it does not list what these read.
std::vector<LayerPtr> neededBy(const GraphPtr& graph, const std::vector<LayerPtr>& last) {
  std::vector<LayerPtr> layers = graph->prog();
  std::map<int, bool> isRead;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    if (*layer == nullptr) continue;
    if ((*layer)->subgraphs() != nullptr) return graph->prog();
    const auto& made = (*layer)->outputs;
    const bool isNeeded =
        std::find(last.begin(), last.end(), *layer) != last.end() ||
        std::any_of(made.begin(), made.end(), [&](const Arg& value) { return isRead[value.idx]; });
    if (!isNeeded) {
      layer->reset();
      continue;
    }
    for (const Arg& value : (*layer)->inputs) isRead[value.idx] = true;
  }
  return layers;
}

std::optional<Arg> outputNamed(const cv::dnn::Net& net, const std::string& name) {
  for (const Arg& output : graphOf(net)->outputs()) {
    if (net.argName(output) == name) return output;
  }
  return std::nullopt;
}

void run(cv::dnn::Net& net) {
  std::vector<cv::Mat> none;
  net.forward(none, cv::String());
}

bool isBlocked(const cv::Mat& value) { return value.size.layout == cv::DATA_LAYOUT_BLOCK; }

// Returns a value in the order of its axes, which a convolution's output need not be in. A forward
// of no layer reorders it, as every forward does with its outputs.
cv::Mat inOrder(cv::dnn::Net& net, const Arg& value) {
  const cv::Mat& tensor = net.argTensor(value);
  if (!isBlocked(tensor)) return tensor;
  const Narrowed onlyEnd(graphOf(net), {}, {value});
  std::vector<cv::Mat> outputs;
  net.forward(outputs, cv::String());
  return outputs.at(0);
}

// Tells whether a layer after `maker` reused a value's memory.
bool isGone(cv::dnn::Net& net, const std::vector<LayerPtr>& layers, const LayerPtr& maker,
            const Arg& value) {
  if (net.argKind(value) != cv::dnn::DNN_ARG_TEMP) return false;
  const uchar* place = net.argTensor(value).data;
  for (auto layer = layers.rbegin(); layer != layers.rend() && *layer != maker; ++layer) {
    if (*layer == nullptr) continue;
    for (const Arg& made : (*layer)->outputs) {
      const bool isSame = made.idx > 0 && net.argKind(made) == cv::dnn::DNN_ARG_TEMP &&
                          net.argTensor(made).data == place;
      if (isSame) return true;
    }
  }
  return false;
}

}  // namespace

cv::dnn::Net importOnnx(const std::string& model) {
  refused = nullptr;
  try {
    cv::dnn::Net net = cv::dnn::readNetFromONNX(model.data(), model.size(), cv::dnn::ENGINE_NEW);
    if (net.empty() && !refused)
      CV_Error(cv::Error::StsNotImplemented, "its engine has no layer for a part of it");
    if (!refused) return net;
  } catch (const cv::Exception&) {
    if (!refused) throw;
  }
  std::rethrow_exception(std::exchange(refused, nullptr));
}

LayerPtr makeWhileReading(const std::function<LayerPtr()>& make) {
  try {
    return make();
  } catch (...) {
    if (!refused) refused = std::current_exception();
    throw;
  }
}

// A layer has only numbers for its inputs, and an opaque pointer for its net. dump() does print
// their kinds: a line for each input, the name in quotes, then "// <Const> ...".
std::size_t constantsBehind(const cv::dnn::Layer& layer, std::size_t inputs) {
  if (layer.netimpl == nullptr || layer.inputs.size() != inputs) return 0;
  std::ostringstream text;
  layer.dump(text, 0, false);
  std::istringstream lines(text.str());
  std::string line;
  while (std::getline(lines, line) && line.find("inputs: [") == std::string::npos) {
  }
  std::size_t constants = 0;
  for (std::size_t i = 0; i < inputs && std::getline(lines, line); ++i) {
    const bool isConstant = line.find("// <Const>", line.rfind('"') + 1) != std::string::npos;
    constants = isConstant ? constants + 1 : 0;
  }
  return constants;
}

LayerPtr layerOf(cv::dnn::Net& net, const std::string& name) {
  const GraphPtr graph = graphOf(net);
  // OpenCV 4 names a layer by its node, or by its first output, with a prefix that ends in "!".
  for (const std::string& plain : {name, name.substr(name.find('!') + 1)}) {
    for (const LayerPtr& layer : graph->prog()) {
      if (layer != nullptr && layer->name == plain) return layer;
    }
    if (net.haveArg(plain)) return makerOf(graph, net.getArg(plain));
  }
  return {};
}

std::vector<LayerPtr> sourcesOf(cv::dnn::Net& net, const cv::dnn::Layer& layer) {
  const GraphPtr graph = graphOf(net);
  std::vector<LayerPtr> sources;
  for (const Arg& value : layer.inputs) {
    if (!value.empty() && !net.isConstArg(value)) sources.push_back(makerOf(graph, value));
  }
  return sources;
}

void forwardTo(cv::dnn::Net& net, const std::vector<cv::String>& names,
               std::vector<std::vector<cv::Mat>>& blobs) {
  const GraphPtr graph = graphOf(net);
  std::vector<LayerPtr> makers;
  std::vector<std::vector<Arg>> wanted;
  for (const cv::String& name : names) {
    makers.push_back(layerOf(net, name));
    if (makers.back() == nullptr)
      CV_Error(cv::Error::StsObjectNotFound, "the net has no layer or output '" + name + "'");
    const std::optional<Arg> output = outputNamed(net, name);
    wanted.push_back(output ? std::vector<Arg>{*output} : makers.back()->outputs);
  }
  const std::vector<LayerPtr> needed = neededBy(graph, makers);
  {
    const Narrowed part(graph, needed, {});
    run(net);
  }
  blobs.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    blobs[i].clear();
    for (const Arg& value : wanted[i]) {
      const bool isThere = !value.empty() && !isGone(net, needed, makers[i], value);
      blobs[i].push_back(isThere ? inOrder(net, value) : cv::Mat());
    }
  }
}

cv::Mat runAlone(cv::dnn::Net& net, const std::vector<LayerPtr>& behind,
                 const std::vector<cv::Mat>& values) {
  const GraphPtr graph = graphOf(net);
  if (behind.empty()) return values.at(0);
  const Narrowed part(graph, behind, {});
  std::vector<cv::Mat> before;
  const auto place = [&](std::size_t i) -> cv::Mat& {
    return net.argTensor(behind.front()->inputs.at(i));
  };
  for (std::size_t i = 0; i < values.size(); ++i)
    before.push_back(std::exchange(place(i), values[i].clone()));
  run(net);
  for (std::size_t i = 0; i < values.size(); ++i) place(i) = before[i];
  return inOrder(net, behind.back()->outputs.at(0)).clone();
}

std::vector<Shape> outputShapes(cv::dnn::Net& net, const std::string& layer,
                                const std::vector<Shape>&) {
  const LayerPtr maker = layerOf(net, layer);
  std::vector<Shape> shapes;
  if (maker == nullptr) return shapes;
  for (const Arg& value : maker->outputs) {
    const cv::dnn::ArgData& known = net.argData(value);
    if (known.type < 0) return {};
    const bool isBlocked = known.shape.layout == cv::DATA_LAYOUT_BLOCK;
    shapes.push_back((isBlocked ? known.shape.toLayout(cv::DATA_LAYOUT_NCHW) : known.shape).vec());
  }
  return shapes;
}

}  // namespace mpm::dnn

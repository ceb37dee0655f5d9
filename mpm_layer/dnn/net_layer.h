// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <opencv2/dnn.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dnn/host.h"
#include "dnn/layer_inputs.h"
#include "dnn/net_memory.h"
#include "mpm/layer_kinds.h"
#include "mpm/rows.h"
#include "vit/kernels.h"

namespace mpm::onnx {
class Model;
}

namespace mpm::vit {
struct BlockRanges;
}

namespace mpm::dnn {

struct Device;

/// A layer of mpm/layers.h in a net: names and shapes of its inputs, the order of a forward, and
/// weights that are packed for its products: once, at the first forward, where they are constants
/// of the model, which then are let go; at every forward where they are not.
class NetLayer : public cv::dnn::Layer {
 public:
  bool getMemoryShapes(const std::vector<HostShape>& inputs, const int requiredOutputs,
                       std::vector<HostShape>& outputs,
                       std::vector<HostShape>& internals) const final;
#if CV_VERSION_MAJOR >= 5
  void getTypes(const std::vector<cv::dnn::MatType>& inputs, const int requiredOutputs,
                const int requiredInternals, std::vector<cv::dnn::MatType>& outputs,
                std::vector<cv::dnn::MatType>& internals) const final;
  bool dynamicOutputShapes() const final { return givesShortTokens(); }
#endif
  void forward(cv::InputArrayOfArrays inputs, cv::OutputArrayOfArrays outputs,
               cv::OutputArrayOfArrays internals) final;

  /// Of what the processor computes; before the first forward. Unless it was set it is the
  /// attribute's, else precisionOf(""), as of that forward.
  void setPrecision(vit::Precision precision) { precision_ = precision; }

  /// What forwards keep from now on, and which rows they compute; null: nothing, and all.
  void setMemory(NetMemory* memory) { memory_ = memory; }

  LayerKind kind() const { return kind_; }
  const NamedInputs& names() const { return names_; }
  /// Attributes as the model has them; `otherwise` where it has not one of that name.
  std::vector<int> numbers(const std::string& attribute) const;
  int number(const std::string& attribute, int otherwise) const;
  std::string word(const std::string& attribute, const std::string& otherwise) const;

  /// Checks shapes of inputs, constants left out, and returns those of all outputs.
  std::vector<Shape> shapesFor(std::vector<Shape> inputs) const;

  /// What a chain alone has (chain_layer.cpp): a device, which is set before the first forward, and
  /// the layers that it is made of. Of each of these the ticks (cv::getTickCount) that it took in
  /// the last forward, of the last one with the wait for all.
  virtual void setDevice(std::shared_ptr<const Device>) {}
  virtual const Device* device() const { return nullptr; }
  virtual std::vector<NetLayer*> members() const { return {}; }
  virtual std::vector<double> memberTicks() const { return {}; }

  /// From the next forward on, which has to be the first one and in float32, a block measures the
  /// ranges of what its norms give. Other kinds have none.
  virtual void measureRanges() {}
  virtual const vit::BlockRanges* ranges() const { return nullptr; }

  /// How many nodes of ONNX it computes one by one, by operator.
  virtual std::map<std::string, int> operators() const { return {}; }

 protected:
  /// `inputs`: their names, in the order that the attribute "inputs" replaces; the first one stays
  /// the first. `least`: how many of them there have to be.
  NetLayer(LayerKind kind, const cv::dnn::LayerParams& params, const std::string& inputs,
           std::size_t least = 1);

  /// Throws where the shapes of inputs do not fit. Of tokens their sizes; of other kinds nothing.
  virtual TokenShape checkShapes(const InputShapes& shapes) const;
  /// `shape`: what checkShapes gave.
  virtual std::vector<Shape> outputShapes(const TokenShape& shape,
                                          const InputShapes& shapes) const = 0;

  /// Whether its tokens are as long as the most rows that live in an image: compute() shortens
  /// them.
  virtual bool givesShortTokens() const { return false; }

  /// Whether it stands in a graph of OpenCV 5's engine.
  bool isInGraph() const;

  /// What an output holds: float32, unless the kind says otherwise of OpenCV 5, which tells types
  /// apart.
  virtual int outputType(std::size_t) const { return CV_32F; }

  /// Reads the weights of a forward, and checks them; shape() is that of the forward.
  virtual void readWeights(const LayerInputs&) {}
  /// Makes of them what forwards then use. May throw as precision() does.
  virtual void packWeights() {}

  virtual void compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) = 0;

  const TokenShape& shape() const { return shape_; }
  int special() const { return special_; }  ///< the attribute; -1: what the map leaves over
  vit::Precision precision();               ///< std::invalid_argument
  NetMemory* memory() const { return memory_; }
  /// The image rows that a forward with a memory computes; null: all.
  const std::vector<std::int32_t>* freshRows() const {
    return memory_ == nullptr ? nullptr : memory_->fresh();
  }

  const LayerIdentity identity_;

 private:
  void checkFirst(std::size_t blobsOfNet) const;
  void allocate(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) const;
  void adoptConstants(const std::vector<cv::Mat>& inputs);
  void packWhereDue(const LayerInputs& inputs);
  void checkNoneIsNew(const LayerInputs& inputs) const;

  LayerKind kind_;
  std::map<std::string, std::vector<double>> numbers_;  // attributes
  std::map<std::string, std::string> words_;
  NamedInputs names_;
  std::size_t least_;
  bool hasRun_ = false;
  std::size_t adopted_ = 0;  // of the inputs, from the last one: they are among the blobs
  int special_ = -1;
  std::optional<vit::Precision> precision_;
  NetMemory* memory_ = nullptr;

  SeenSizes seen_;
  TokenShape shape_;  // of the inputs that were seen
  bool isPacked_ = false;
  bool areForgotten_ = false;  // the weights that were packed
};

/// A layer from tokens [B, R, D] (rows (map)) to one blob, image by image, on live rows only. Some
/// kinds take [B, D] too: one live row for each image.
class TokenLayer : public NetLayer {
 protected:
  /// One image of a forward.
  struct Image {
    ConstRows tokens;            ///< its live rows, special ones included
    const float* map = nullptr;  ///< [N], or null
    float* out = nullptr;        ///< its part of the output
  };

  enum class Takes { tokens, tokensOrSingleRows };

  TokenLayer(LayerKind kind, const cv::dnn::LayerParams& params, const std::string& inputs,
             Takes takes = Takes::tokens)
      : NetLayer(kind, params, inputs), takes_(takes) {}

  /// A kind that takes single rows gives [B, R, M], of which single rows get [B, M].
  virtual Shape outputShape(const TokenShape& shape, const InputShapes& shapes) const = 0;
  virtual void forwardImage(const Image& image) = 0;

 private:
  bool areSingleRows(const Shape& tokens) const {
    return takes_ == Takes::tokensOrSingleRows && tokens.size() == 2;
  }
  TokenShape checkShapes(const InputShapes& shapes) const final;
  std::vector<Shape> outputShapes(const TokenShape& shape, const InputShapes& shapes) const final;
  void compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) final;

  Takes takes_;
};

/// Calls visit(name, layer) for every layer of this library in a net; for those in a chain, and not
/// for the chain.
template <class Visit>
void forEachLayer(cv::dnn::Net& net, const Visit& visit) {
  for (const cv::String& name : net.getLayerNames()) {
    const cv::Ptr<cv::dnn::Layer> layer = net.getLayer(name);
    auto* ours = dynamic_cast<NetLayer*>(layer.get());
    if (ours == nullptr) continue;
    const std::vector<NetLayer*> members = ours->members();
    for (NetLayer* member : members) visit(member->name, *member);
    if (members.empty()) visit(name, *ours);
  }
}

/// The model in the attribute `graph` of a layer.
onnx::Model graphOf(const LayerIdentity& layer, const cv::dnn::LayerParams& params);

/// A layer of each kind; mpm/layers.h has the contracts. All throw cv::Exception.
LayerPtr makeAddRows(const cv::dnn::LayerParams& params);
LayerPtr makeAttention(const cv::dnn::LayerParams& params);
LayerPtr makeConvolve(const cv::dnn::LayerParams& params);
LayerPtr makeLinear(const cv::dnn::LayerParams& params);
LayerPtr makeMaskDecoderHead(const cv::dnn::LayerParams& params);
LayerPtr makeMeanRows(const cv::dnn::LayerParams& params);
LayerPtr makeMergeRestore(const cv::dnn::LayerParams& params);
LayerPtr makeMutualPairMerge(const cv::dnn::LayerParams& params);
LayerPtr makeNormalize(const cv::dnn::LayerParams& params);
LayerPtr makePatchEmbed(const cv::dnn::LayerParams& params);
LayerPtr makeReplaceSpecial(const cv::dnn::LayerParams& params);
LayerPtr makeTransformerBlock(const cv::dnn::LayerParams& params);
LayerPtr makeUpsample(const cv::dnn::LayerParams& params);
LayerPtr makeSubgraph(const cv::dnn::LayerParams& params);
LayerPtr makeChain(const cv::dnn::LayerParams& params);

}  // namespace mpm::dnn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <opencv2/dnn.hpp>
#include <optional>
#include <string>
#include <vector>

#include "contract/layer_kinds.h"
#include "dnn/host.h"
#include "dnn/layer_inputs.h"
#include "dnn/net_memory.h"
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

/// A layer of mpm/layers.h in a net. It checks names and shapes of its inputs, runs the steps of a
/// forward, and packs weights for products. Constant weights are packed at the first forward and
/// then freed; others are packed at every forward.
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

  /// Sets the precision of the processor; before the first forward. By default it is the
  /// attribute's, else precisionOf(""), as of that forward.
  void setPrecision(vit::Precision precision) { precision_ = precision; }

  /// Sets what forwards keep from now on, and which rows they compute; null: nothing, and all.
  void setMemory(NetMemory* memory) { memory_ = memory; }

  LayerKind kind() const { return kind_; }
  const NamedInputs& names() const { return names_; }
  /// Returns attributes as the model has them; `otherwise` if it does not have one.
  std::vector<int> numbers(const std::string& attribute) const;
  int number(const std::string& attribute, int otherwise) const;
  std::string word(const std::string& attribute, const std::string& otherwise) const;

  /// Checks shapes of inputs, constants left out, and returns those of all outputs.
  std::vector<Shape> shapesFor(std::vector<Shape> inputs) const;

  /// For chains only (chain_layer.cpp): a device, which is set before the first forward, and the
  /// chain's layers. memberTicks() gives the ticks (cv::getTickCount) of each in the last forward.
  /// The last one's include the wait for all.
  virtual void setDevice(std::shared_ptr<const Device>) {}
  virtual const Device* device() const { return nullptr; }
  virtual std::vector<NetLayer*> members() const { return {}; }
  virtual std::vector<double> memberTicks() const { return {}; }

  /// Makes a block measure the ranges of its norms' outputs from the next forward on. That has to
  /// be its first one and in float32. Other kinds have none.
  virtual void measureRanges() {}
  virtual const vit::BlockRanges* ranges() const { return nullptr; }

  /// Returns how many nodes of ONNX it computes one by one, by operator.
  virtual std::map<std::string, int> operators() const { return {}; }

 protected:
  /// `inputs`: their names, in the order that the attribute "inputs" replaces; the first one stays
  /// first. `least`: how many of them are required.
  NetLayer(LayerKind kind, const cv::dnn::LayerParams& params, const std::string& inputs,
           std::size_t least = 1);

  /// Throws if the shapes of inputs do not fit. Returns the sizes of tokens; of other kinds, none.
  virtual TokenShape checkShapes(const InputShapes& shapes) const;
  /// `shape`: the result of checkShapes.
  virtual std::vector<Shape> outputShapes(const TokenShape& shape,
                                          const InputShapes& shapes) const = 0;

  /// Tells whether its tokens are shortened to the greatest number of live rows of an image.
  /// compute() shortens them.
  virtual bool givesShortTokens() const { return false; }

  /// Tells whether it is in a graph of OpenCV 5's engine.
  bool isInGraph() const;

  /// Returns an output's type: float32, unless the kind says otherwise with OpenCV 5, which has
  /// other types.
  virtual int outputType(std::size_t) const { return CV_32F; }

  /// Reads and checks the weights of a forward; shape() is already the forward's.
  virtual void readWeights(const LayerInputs&) {}
  /// Packs weights for forwards. May throw as precision() does.
  virtual void packWeights() {}

  virtual void compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) = 0;

  const TokenShape& shape() const { return shape_; }
  int special() const { return special_; }  ///< the attribute; -1: what the map leaves over
  vit::Precision precision();               ///< std::invalid_argument
  NetMemory* memory() const { return memory_; }
  /// Returns the image rows that a forward with a memory computes; null: all.
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

  /// Returns [B, R, M] for a kind that takes single rows; single rows then get [B, M].
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

/// Calls visit(name, layer) for every layer of this library in a net. Visits the layers of a chain
/// instead of the chain.
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

/// Reads the model in the attribute `graph` of a layer.
onnx::Model graphOf(const LayerIdentity& layer, const cv::dnn::LayerParams& params);

/// Make a layer of each kind; mpm/layers.h has the contracts. All throw cv::Exception.
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

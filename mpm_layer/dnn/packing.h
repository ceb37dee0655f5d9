// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/dnn.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "dnn/token_blobs.h"
#include "vit/precision.h"

namespace mpm::dnn {

/// The name, or MPM_PRECISION's where it is empty, else fp32.
std::string wantedPrecision(const std::string& name);

/// "fp32" or "bf16"; "" is MPM_PRECISION's, else fp32. std::invalid_argument for any other name,
/// and for one that this processor does not compute in.
vit::Precision precisionOf(const std::string& name);

/// Leaves of a constant its shape and type.
void forgetValues(cv::Mat& constant);

/// A layer whose weights are packed for its products: once, at the first forward, where they are
/// constants of the model, which then are let go; at every forward where they are not.
class Packing {
 public:
  virtual ~Packing() = default;

  /// Before the first forward. Unless it was set it is precisionOf(""), as of that forward.
  void setPrecision(vit::Precision precision) { precision_ = precision; }
  vit::Precision precision() const { return precision_ ? *precision_ : precisionOf(""); }

 protected:
  Packing() = default;
  Packing(const Packing&) = default;
  Packing& operator=(const Packing&) = default;

  /// Of the attribute `precision`, where there is one. Throws in the layer's name.
  void readPrecision(const LayerIdentity& layer, const cv::dnn::LayerParams& params);

  /// Calls pack() where that is due; isPacked(): it will not be again. `constant`: the weights are
  /// all `blobs`.
  bool isPacked() const { return packed_; }
  template <class Pack>
  void packWhereDue(const LayerIdentity& layer, bool constant, std::vector<cv::Mat>& blobs,
                    const Pack& pack) {
    if (packed_) return;
    try {
      if (!precision_) precision_ = precisionOf("");
    } catch (const std::invalid_argument& error) {
      refuseLayer(layer, error.what());
    }
    pack();
    if (!constant) return;
    for (cv::Mat& blob : blobs) forgetValues(blob);
    packed_ = true;
  }

 private:
  std::optional<vit::Precision> precision_;
  bool packed_ = false;
};

/// For every layer of a net that is a Packing, before its first forward.
void setPrecision(cv::dnn::Net& net, vit::Precision precision);

}  // namespace mpm::dnn

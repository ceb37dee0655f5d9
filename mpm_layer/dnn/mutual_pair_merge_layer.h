// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <opencv2/dnn.hpp>
#include <utility>
#include <vector>

#include "dnn/net_layer.h"
#include "mpm/export.h"
#include "mpm/merge.h"

namespace mpm::dnn {

/// Result of a merge in one forward, for each original image token of a batch: [B x N]. Empty if
/// the merge was off.
struct MergeTrace {
  std::vector<std::int32_t> map;  ///< the live image row behind it
  std::vector<float> similarity;  ///< as PairMerger::merge tells it
};

/// Implements mpm.MutualPairMerge; mpm/layers.h has its contract.
class MPM_API MutualPairMergeLayer final : public NetLayer {
 public:
  explicit MutualPairMergeLayer(const cv::dnn::LayerParams& params);

  void setEnabled(bool on) { enabled_ = on; }
  bool enabled() const { return enabled_; }
  /// Returns the block of its network that it comes before, from 0; -1 if the model does not say.
  int beforeBlock() const { return beforeBlock_; }
  /// Returns the live rows after it in the last forward, special ones included, image by image.
  const std::vector<int>& liveRows() const { return liveRows_; }
  /// Stores the live rows of a forward on a device.
  void noteLiveRows(std::vector<int> rows) { liveRows_ = std::move(rows); }
  /// Sets whether forwards keep a trace, and forgets the last one. Not while a forward runs.
  /// Devices do not report similarities, so the processor computes a traced merge.
  void setTracing(bool on);
  bool isTracing() const { return isTracing_; }
  /// Returns the trace of the last forward since tracing was switched on.
  const MergeTrace& trace() const { return trace_; }

 private:
  struct Inputs;

  TokenShape checkShapes(const InputShapes& shapes) const override;
  std::vector<Shape> outputShapes(const TokenShape& shape,
                                  const InputShapes& shapes) const override;
  void compute(const LayerInputs& given, std::vector<cv::Mat>& outputs) override;

  bool givesShortTokens() const override { return isShort_ && isInGraph(); }
  void shorten(cv::Mat& tokens) const;

  Inputs namedInputs(const LayerInputs& inputs) const;
  void startForward(bool merges);
  void forwardImage(const Inputs& inputs, int image, bool merges, std::vector<cv::Mat>& outputs);
  std::size_t mergeImage(const Inputs& inputs, int image, std::size_t live, float* out);
  void readMap(const Inputs& inputs, int image, int liveImageRows);
  void readRegions(const Inputs& inputs, int image);

  MergeOptions options_;
  std::atomic<bool> enabled_{true};
  int beforeBlock_ = -1;
  bool isShort_;

  // Scratch memory: nothing in it outlives a forward.
  PairMerger merger_;
  std::vector<std::int32_t> map_, regions_;

  // For reports only: no forward reads these.
  std::vector<int> liveRows_;
  bool isTracing_ = false;
  MergeTrace trace_;
};

/// Returns the merges of a net, in its order; the net owns them.
MPM_API std::vector<MutualPairMergeLayer*> mergesOf(cv::dnn::Net& net);

}  // namespace mpm::dnn

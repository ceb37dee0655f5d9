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

/// What a merge did in one forward, for each original image token of a batch: [B x N]. Empty where
/// it was off.
struct MergeTrace {
  std::vector<std::int32_t> map;  ///< the live image row behind it
  std::vector<float> similarity;  ///< as PairMerger::merge tells it
};

/// mpm.MutualPairMerge; its contract stands in mpm/layers.h.
class MPM_API MutualPairMergeLayer final : public NetLayer {
 public:
  explicit MutualPairMergeLayer(const cv::dnn::LayerParams& params);

  void setEnabled(bool on) { enabled_ = on; }
  bool enabled() const { return enabled_; }
  /// Which block of its network it stands before, counted from 0; -1 where the model doesn't say.
  int beforeBlock() const { return beforeBlock_; }
  /// Of the last forward: live rows behind it, special ones included, image by image.
  const std::vector<int>& liveRows() const { return liveRows_; }
  /// Notes those of a forward on a device.
  void noteLiveRows(std::vector<int> rows) { liveRows_ = std::move(rows); }
  /// Whether forwards keep a trace. Forgets the last one. Not while a forward runs. No device tells
  /// similarities, so the processor computes a traced merge.
  void setTracing(bool on);
  bool isTracing() const { return isTracing_; }
  /// Of the last forward since tracing was set on.
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

  // For reports: no forward reads them.
  std::vector<int> liveRows_;
  bool isTracing_ = false;
  MergeTrace trace_;
};

/// The merges of a net, in its order; the net owns them.
MPM_API std::vector<MutualPairMergeLayer*> mergesOf(cv::dnn::Net& net);

}  // namespace mpm::dnn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "dnn/host.h"
#include "vit/block_memory.h"

namespace mpm::dnn {

class NetLayer;

/// Memory of a net's blocks for one camera, and which rows the next forward computes: all, or a few
/// fresh ones. In a forward of fresh rows, these are the live image rows, merges are off, and maps
/// mean nothing.
class NetMemory {
 public:
  /// Makes the next forward compute all rows, `image` of them image rows; merges stay as they are.
  void expectAll(std::size_t image);
  /// Makes the next forward compute the image rows `fresh`, ascending, and the special ones. The
  /// forward before it must have ended without an exception.
  void expectFresh(std::vector<std::int32_t> fresh);
  void forget() { blocks_.clear(); }

  /// Returns the fresh image rows; null: all.
  const std::vector<std::int32_t>* fresh() const { return isFresh_ ? &fresh_ : nullptr; }
  std::size_t image() const { return image_; }

  /// Report the progress of a forward. The embedding reports the live rows before the first merge,
  /// special ones included. A merge of all rows reports its map, with `live` image rows left.
  void noteRows(std::size_t rows);
  void noteMap(const std::vector<std::int32_t>& map, std::size_t live);
  std::size_t rows() const { return rows_; }
  /// Returns the map of a forward of all rows. Empty before the first merge.
  const std::vector<std::int32_t>& map() const { return map_; }
  std::size_t liveImage() const { return liveImage_; }

  /// Returns the memory of the layer of this name.
  vit::BlockMemory& block(const std::string& layer) { return blocks_[layer]; }

  /// Return the blocks' cost in multiplications: in the last forward of all rows, and in one of
  /// `fresh` image rows.
  double costOfAll() const;
  double costOf(std::size_t fresh) const;
  std::size_t bytes() const;

 private:
  bool isFresh_ = false;
  std::size_t image_ = 0, rows_ = 0, liveImage_ = 0;
  std::vector<std::int32_t> fresh_, map_;
  std::map<std::string, vit::BlockMemory> blocks_;
};

/// Layers of a net before the outputs of some of them.
class RememberingLayers {
 public:
  RememberingLayers(cv::dnn::Net& net, const std::vector<std::string>& last);

  /// Says in one sentence why they cannot remember; empty if they can.
  const std::string& fault() const { return fault_; }
  /// Makes forwards use this memory from now on; null: none, and layers are pure again.
  void use(NetMemory* memory) const;

 private:
  void add(cv::dnn::Net& net, const LayerPtr& layer);

  std::vector<cv::Ptr<NetLayer>> layers_;
  std::string fault_;
};

}  // namespace mpm::dnn

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

/// What the blocks of a net keep of one camera's pictures, and which rows the next forward
/// computes: all, or a few fresh ones. In a forward of fresh rows, these are the live image rows,
/// merges are off, and maps mean nothing.
class NetMemory {
 public:
  /// The next forward computes all rows, of which `image` are image rows; merges are as they are.
  void expectAll(std::size_t image);
  /// The next forward computes the image rows `fresh`, ascending, and the special ones. The last
  /// one has to have been over without an exception.
  void expectFresh(std::vector<std::int32_t> fresh);
  void forget() { blocks_.clear(); }

  /// Null: all of them.
  const std::vector<std::int32_t>* fresh() const { return isFresh_ ? &fresh_ : nullptr; }
  std::size_t image() const { return image_; }

  /// What a forward is at. The embedding tells the live rows in front of the first merge, the
  /// special ones included; a merge of all rows its map, of which `live` image rows are left.
  void noteRows(std::size_t rows);
  void noteMap(const std::vector<std::int32_t>& map, std::size_t live);
  std::size_t rows() const { return rows_; }
  /// Of all rows. Empty in front of the first merge.
  const std::vector<std::int32_t>& map() const { return map_; }
  std::size_t liveImage() const { return liveImage_; }

  /// Of the layer of this name.
  vit::BlockMemory& block(const std::string& layer) { return blocks_[layer]; }

  /// What the blocks take, in products: of the last forward of all rows; of one of `fresh` image
  /// rows now.
  double costOfAll() const;
  double costOf(std::size_t fresh) const;
  std::size_t bytes() const;

 private:
  bool isFresh_ = false;
  std::size_t image_ = 0, rows_ = 0, liveImage_ = 0;
  std::vector<std::int32_t> fresh_, map_;
  std::map<std::string, vit::BlockMemory> blocks_;
};

/// The layers of a net that stand in front of the outputs of some of them.
class RememberingLayers {
 public:
  RememberingLayers(cv::dnn::Net& net, const std::vector<std::string>& last);

  /// Why they cannot remember, in one sentence; empty where they can.
  const std::string& fault() const { return fault_; }
  /// Forwards use this memory from now on; null: none, and layers are pure again.
  void use(NetMemory* memory) const;

 private:
  void add(cv::dnn::Net& net, const LayerPtr& layer);

  std::vector<cv::Ptr<NetLayer>> layers_;
  std::string fault_;
};

}  // namespace mpm::dnn

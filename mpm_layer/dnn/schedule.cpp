// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "dnn/mutual_pair_merge_layer.h"
#include "mpm/layers.h"
#include "mpm/net.h"

namespace mpm {
namespace {

std::vector<cv::Ptr<dnn::MutualPairMergeLayer>> merges(cv::dnn::Net& net) {
  std::vector<cv::Ptr<dnn::MutualPairMergeLayer>> found;
  for (const std::string& name : mergeLayers(net)) {
    auto merge = net.getLayer(name).dynamicCast<dnn::MutualPairMergeLayer>();
    if (merge && merge->beforeBlock() >= 0) found.push_back(merge);
  }
  return found;
}

[[noreturn]] void refuse(int block, const std::vector<cv::Ptr<dnn::MutualPairMergeLayer>>& all) {
  const std::string begin = "merge before " + std::to_string(block) + ": ";
  if (all.empty()) throw std::invalid_argument(begin + "the net has no encoder that can merge");
  std::string there;
  bool isRange = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int before = all[i]->beforeBlock();
    isRange = isRange && before == static_cast<int>(i);
    if (!there.empty()) there += ", ";
    there += std::to_string(before);
  }
  if (isRange && all.size() > 1) {
    const std::string count = std::to_string(all.size());
    throw std::invalid_argument(begin + "the encoder has " + count + " blocks, 0 to " +
                                std::to_string(all.size() - 1));
  }
  throw std::invalid_argument(begin + "the net has merges before " + there + " alone");
}

}  // namespace

std::vector<int> schedule(cv::dnn::Net& net) {
  std::vector<int> blocks;
  for (const auto& merge : merges(net)) {
    if (merge->enabled()) blocks.push_back(merge->beforeBlock());
  }
  return blocks;
}

void setSchedule(cv::dnn::Net& net, const std::vector<int>& blocks) {
  const auto all = merges(net);
  for (const int block : blocks) {
    const bool there = std::any_of(
        all.begin(), all.end(), [&](const auto& merge) { return merge->beforeBlock() == block; });
    if (!there) refuse(block, all);
  }
  for (const auto& merge : all) {
    merge->setEnabled(std::find(blocks.begin(), blocks.end(), merge->beforeBlock()) !=
                      blocks.end());
  }
}

std::vector<std::vector<int>> liveRows(cv::dnn::Net& net) {
  std::vector<std::vector<int>> rows;
  for (const std::string& name : mergeLayers(net)) {
    const auto merge = net.getLayer(name).dynamicCast<dnn::MutualPairMergeLayer>();
    if (merge && merge->enabled() && !merge->liveRows().empty()) rows.push_back(merge->liveRows());
  }
  return rows;
}

}  // namespace mpm

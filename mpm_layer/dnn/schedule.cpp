// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "dnn/mutual_pair_merge_layer.h"
#include "mpm/layers.h"
#include "mpm/net.h"

namespace mpm {
namespace {

using Merges = std::vector<dnn::MutualPairMergeLayer*>;

// By name, in the net's order. The net owns them.
std::vector<std::pair<std::string, dnn::MutualPairMergeLayer*>> namedMerges(cv::dnn::Net& net) {
  std::vector<std::pair<std::string, dnn::MutualPairMergeLayer*>> found;
  dnn::forEachLayer(net, [&](const std::string& name, dnn::NetLayer& layer) {
    if (auto* merge = dynamic_cast<dnn::MutualPairMergeLayer*>(&layer))
      found.emplace_back(name, merge);
  });
  return found;
}

// Those that know which block they stand before.
Merges merges(cv::dnn::Net& net) {
  Merges found;
  for (dnn::MutualPairMergeLayer* merge : dnn::mergesOf(net)) {
    if (merge->beforeBlock() >= 0) found.push_back(merge);
  }
  return found;
}

}  // namespace

std::vector<dnn::MutualPairMergeLayer*> dnn::mergesOf(cv::dnn::Net& net) {
  Merges found;
  for (const auto& [name, merge] : namedMerges(net)) found.push_back(merge);
  return found;
}

std::vector<std::string> mergeLayers(cv::dnn::Net& net) {
  std::vector<std::string> names;
  for (const auto& [name, merge] : namedMerges(net)) names.push_back(name);
  return names;
}

int setMerging(cv::dnn::Net& net, bool on) {
  const Merges all = dnn::mergesOf(net);
  for (dnn::MutualPairMergeLayer* merge : all) merge->setEnabled(on);
  return static_cast<int>(all.size());
}

void setMerging(cv::dnn::Net& net, const std::string& layerName, bool on) {
  for (const auto& [name, merge] : namedMerges(net)) {
    if (name == layerName) return merge->setEnabled(on);
  }
  CV_Error(cv::Error::StsObjectNotFound, std::string("the net has no layer of type ") +
                                             typeOf(LayerKind::mutualPairMerge) + " named '" +
                                             layerName + "'");
}

Schedule schedule(cv::dnn::Net& net) {
  std::vector<int> blocks;
  for (const auto* merge : merges(net)) {
    if (merge->enabled()) blocks.push_back(merge->beforeBlock());
  }
  return blocks;
}

void setSchedule(cv::dnn::Net& net, const Schedule& blocks) {
  const auto all = merges(net);
  std::vector<int> mergeable;
  for (auto* merge : all) mergeable.push_back(merge->beforeBlock());
  blocks.check(Schedule(mergeable).blocks());  // of several encoders blocks have the same numbers
  for (auto* merge : all) merge->setEnabled(blocks.contains(merge->beforeBlock()));
}

std::vector<std::vector<int>> liveRows(cv::dnn::Net& net) {
  std::vector<std::vector<int>> rows;
  for (const dnn::MutualPairMergeLayer* merge : dnn::mergesOf(net)) {
    if (merge->enabled() && !merge->liveRows().empty()) rows.push_back(merge->liveRows());
  }
  return rows;
}

}  // namespace mpm

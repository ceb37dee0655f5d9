// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dnn/mutual_pair_merge_layer.h"
#include "mpm/layers.h"
#include "mpm/net.h"

namespace mpm {
namespace {

using MergePtr = cv::Ptr<dnn::MutualPairMergeLayer>;

// Null where there is none of that name.
MergePtr findMerge(cv::dnn::Net& net, const std::string& name) {
  if (net.getLayerId(name) < 0) return {};
  return net.getLayer(name).dynamicCast<dnn::MutualPairMergeLayer>();
}

std::vector<MergePtr> allMerges(cv::dnn::Net& net) {
  std::vector<MergePtr> found;
  for (const std::string& name : mergeLayers(net)) found.push_back(findMerge(net, name));
  return found;
}

// Those that know which block they stand before.
std::vector<MergePtr> merges(cv::dnn::Net& net) {
  std::vector<MergePtr> found = allMerges(net);
  const auto isOfNone = [](const MergePtr& merge) { return merge->beforeBlock() < 0; };
  found.erase(std::remove_if(found.begin(), found.end(), isOfNone), found.end());
  return found;
}

}  // namespace

std::vector<std::string> mergeLayers(cv::dnn::Net& net) {
  std::vector<std::string> names;
  for (const cv::String& name : net.getLayerNames()) {
    if (findMerge(net, name)) names.push_back(name);
  }
  return names;
}

int setMerging(cv::dnn::Net& net, bool on) {
  const std::vector<MergePtr> all = allMerges(net);
  for (const MergePtr& merge : all) merge->setEnabled(on);
  return static_cast<int>(all.size());
}

void setMerging(cv::dnn::Net& net, const std::string& layerName, bool on) {
  const MergePtr merge = findMerge(net, layerName);
  if (!merge) {
    CV_Error(cv::Error::StsObjectNotFound, std::string("the net has no layer of type ") +
                                               typeOf(LayerKind::mutualPairMerge) + " named '" +
                                               layerName + "'");
  }
  merge->setEnabled(on);
}

Schedule schedule(cv::dnn::Net& net) {
  std::vector<int> blocks;
  for (const auto& merge : merges(net)) {
    if (merge->enabled()) blocks.push_back(merge->beforeBlock());
  }
  return blocks;
}

void setSchedule(cv::dnn::Net& net, const Schedule& blocks) {
  const auto all = merges(net);
  std::vector<int> mergeable;
  for (const auto& merge : all) mergeable.push_back(merge->beforeBlock());
  blocks.check(Schedule(mergeable).blocks());  // of several encoders blocks have the same numbers
  for (const auto& merge : all) merge->setEnabled(blocks.contains(merge->beforeBlock()));
}

std::vector<std::vector<int>> liveRows(cv::dnn::Net& net) {
  std::vector<std::vector<int>> rows;
  for (const MergePtr& merge : allMerges(net)) {
    if (merge->enabled() && !merge->liveRows().empty()) rows.push_back(merge->liveRows());
  }
  return rows;
}

}  // namespace mpm

// SPDX-License-Identifier: Apache-2.0
#include "segment/merge_watch.h"

#include <string>

#include "mpm/layers.h"

namespace mpm::segment {
namespace {

template <class T>
cv::Mat onGrid(const std::vector<T>& values, const cv::Size& grid) {
  return cv::Mat(grid, cv::DataType<T>::type, const_cast<T*>(values.data())).clone();
}

}  // namespace

MergeWatch::MergeWatch(cv::dnn::Net& net) {
  for (const std::string& name : mergeLayers(net)) {
    merges_.push_back(net.getLayer(name).dynamicCast<dnn::MutualPairMergeLayer>());
  }
}

void MergeWatch::start() {
  for (const auto& merge : merges_) merge->setTracing(true);
}

std::vector<MergeStage> MergeWatch::stop(const cv::Size& grid) {
  std::vector<MergeStage> stages;
  for (const auto& merge : merges_) {
    const dnn::MergeTrace& trace = merge->trace();
    if (!trace.map.empty() && trace.map.size() == static_cast<std::size_t>(grid.area())) {
      stages.push_back({onGrid(trace.map, grid), onGrid(trace.similarity, grid)});
    }
    merge->setTracing(false);
  }
  return stages;
}

}  // namespace mpm::segment

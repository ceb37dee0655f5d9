// SPDX-License-Identifier: Apache-2.0
#include "cli/segment_record.h"

#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>

namespace mpm::cli {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value, double steps) { return std::round(value * steps) / steps; }

}  // namespace

std::vector<long> pixelsOf(const cv::Mat& labels, std::size_t classes) {
  std::vector<long> pixels(classes, 0);
  for (int y = 0; y < labels.rows; ++y) {
    for (int x = 0; x < labels.cols; ++x) {
      const int label = labels.depth() == CV_8U ? labels.at<uchar>(y, x) : labels.at<ushort>(y, x);
      ++pixels[static_cast<std::size_t>(label)];
    }
  }
  return pixels;
}

std::string frameJson(const InputFrame& frame, int number, const Segmentation& segmentation,
                      const std::vector<std::string>& classes,
                      const std::vector<std::string>& files) {
  const std::vector<long> pixels = pixelsOf(segmentation.labels, classes.size());
  Json areas = Json::array();
  for (std::size_t k = 0; k < pixels.size(); ++k) {
    if (pixels[k] == 0) continue;
    const double share =
        static_cast<double>(pixels[k]) / static_cast<double>(segmentation.labels.total());
    areas.push_back({{"label", k}, {"name", classes[k]}, {"share", rounded(share, 1e6)}});
  }
  const SegmenterTimes& times = segmentation.times;
  const Json json = {{"frame", number},
                     {"source", frame.source},
                     {"index", frame.index},
                     {"width", frame.picture.cols},
                     {"height", frame.picture.rows},
                     {"classes", areas},
                     {"rows", segmentation.rows},
                     {"windows", segmentation.windows},
                     {"times_ms",
                      {{"prepare", rounded(times.prepareMs, 1e3)},
                       {"network", rounded(times.networkMs, 1e3)},
                       {"labels", rounded(times.labelsMs, 1e3)}}},
                     {"files", files}};
  // Names come from files, whose bytes need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace mpm::cli

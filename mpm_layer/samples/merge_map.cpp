// SPDX-License-Identifier: Apache-2.0
#include "merge_map.h"

#include <opencv2/imgproc.hpp>
#include <vector>

namespace demo {

cv::Mat drawMergeMap(const cv::Mat& picture, const cv::Mat& map, int patch) {
  const int height = picture.rows / patch, width = picture.cols / patch;
  cv::Mat colours;  // one pixel for each patch
  cv::resize(picture, colours, {width, height}, 0, 0, cv::INTER_AREA);
  const auto group = [&](int y, int x) {
    return static_cast<int>(map.ptr<float>()[y * width + x]);
  };

  std::vector<cv::Vec3d> sum(map.total());
  std::vector<int> size(map.total(), 0);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      sum[group(y, x)] += cv::Vec3d(colours.at<cv::Vec3b>(y, x));
      ++size[group(y, x)];
    }
  }
  cv::Mat drawn(height * patch, width * patch, CV_8UC3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int own = group(y, x);
      const cv::Vec3d mean = sum[own] / size[own];
      const bool dark = mean[0] + mean[1] + mean[2] < 3 * 60;  // a darker line would not show
      const cv::Scalar line =
          dark ? cv::Scalar(mean) + cv::Scalar::all(45) : cv::Scalar(mean) * 0.55;
      const cv::Rect cell(x * patch, y * patch, patch, patch);
      drawn(cell).setTo(cv::Scalar(mean));
      if (x > 0 && group(y, x - 1) != own) drawn(cell).col(0).setTo(line);
      if (y > 0 && group(y - 1, x) != own) drawn(cell).row(0).setTo(line);
    }
  }
  return drawn;
}

}  // namespace demo

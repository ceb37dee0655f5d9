// SPDX-License-Identifier: Apache-2.0
#include "teach/painted_frames.h"

namespace mpm::test {

PaintedScene paintedScene(int number) {
  PaintedScene scene{cv::Mat(48, 64, CV_8UC3), cv::Mat(48, 64, CV_8U)};
  const int light = number * 7 % 30;
  const cv::Rect box((number * 13) % 5 * 8 + 8, 24, 16, 16);
  const auto paint = [&](const cv::Rect& area, const cv::Scalar& colour, int label) {
    scene.frame(area).setTo(colour + cv::Scalar::all(light));
    scene.labels(area).setTo(label);
  };
  paint({0, 0, 64, 24}, {220, 160, 80}, 0);
  paint({0, 24, 64, 24}, {60, 90, 60}, 1);
  paint(box, {20, 30, 210}, 2);
  cv::Mat noise(scene.frame.size(), CV_8UC3);
  cv::RNG(static_cast<unsigned>(number + 1)).fill(noise, cv::RNG::UNIFORM, 0, 12);
  scene.frame += noise;
  return scene;
}

double agreement(const cv::Mat& labels, const cv::Mat& others) {
  return static_cast<double>(cv::countNonZero(labels == others)) /
         static_cast<double>(labels.total());
}

}  // namespace mpm::test

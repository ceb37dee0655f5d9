// SPDX-License-Identifier: Apache-2.0
#include "teach/painted_frames.h"

#include <sstream>

namespace mpm::test {
namespace {

cv::Scalar numbersIn(const std::string& text) {
  std::istringstream words(text);
  cv::Scalar found;
  for (int i = 0; i < 3; ++i, words.ignore()) words >> found[i];
  return found;
}

}  // namespace

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

PaintedScene paintedQuarters(int number) {
  PaintedScene scene{cv::Mat(48, 64, CV_8UC3), cv::Mat(48, 64, CV_8U, cv::Scalar(0))};
  cv::RNG(static_cast<unsigned>(number + 100)).fill(scene.frame, cv::RNG::UNIFORM, 0, 255);
  scene.labels(cv::Rect(0, 0, 32, 24)).setTo(1);
  scene.labels(cv::Rect(32, 24, 32, 24)).setTo(1);
  return scene;
}

PaintedScene paintedDots(int number) {
  PaintedScene scene{cv::Mat(48, 64, CV_8UC3), cv::Mat(48, 64, CV_8U, cv::Scalar(0))};
  cv::RNG random(static_cast<unsigned>(number + 200));
  for (int y = 0; y < 48; y += 8) {
    for (int x = 0; x < 64; x += 8) {
      const int label = random.uniform(0, 3);
      const cv::Rect patch(x, y, 8, 8);
      scene.frame(patch).setTo(cv::Scalar(100 + 20 * label, 130, 140 - 20 * label));
      scene.labels(patch).setTo(label);
    }
  }
  cv::Mat noise(scene.frame.size(), CV_8UC3);
  random.fill(noise, cv::RNG::UNIFORM, 0, 40);
  scene.frame += noise;
  return scene;
}

double agreement(const cv::Mat& labels, const cv::Mat& others) {
  return static_cast<double>(cv::countNonZero(labels == others)) /
         static_cast<double>(labels.total());
}

cv::Mat blobOf(const cv::Mat& frame, const std::map<std::string, std::string>& metadata) {
  const cv::Scalar mean = numbersIn(metadata.at("mpm.mean")),
                   std = numbersIn(metadata.at("mpm.std"));
  const bool isRgb = metadata.at("mpm.channel_order") == "RGB";
  const int dims[] = {1, 3, frame.rows, frame.cols};
  cv::Mat blob(4, dims, CV_32F);
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < frame.rows; ++y) {
      for (int x = 0; x < frame.cols; ++x) {
        const int value = frame.at<cv::Vec3b>(y, x)[isRgb ? 2 - c : c];
        blob.at<float>(cv::Vec4i(0, c, y, x)) =
            static_cast<float>((value / 255.0 - mean[c]) / std[c]);
      }
    }
  }
  return blob;
}

cv::Mat bestOf(const cv::Mat& scores) {
  cv::Mat labels(scores.size[2], scores.size[3], CV_8U, cv::Scalar(0));
  cv::Mat best(labels.size(), CV_32F, const_cast<float*>(scores.ptr<float>(0, 0)));
  best = best.clone();
  for (int k = 1; k < scores.size[1]; ++k) {
    const cv::Mat plane(labels.size(), CV_32F, const_cast<float*>(scores.ptr<float>(0, k)));
    labels.setTo(k, plane > best);
    cv::max(best, plane, best);
  }
  return labels;
}

}  // namespace mpm::test

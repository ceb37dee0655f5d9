// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/brush.h"

namespace mpm::scenes {

void Brush::aim(const cv::Mat& picture, const cv::Mat& labels, const cv::Mat& materials) {
  picture_ = picture, labels_ = labels, materials_ = materials;
  whole_ = {{0, 0}, picture.size()};
  if (object_.size() != picture.size()) object_ = cv::Mat::zeros(picture.size(), CV_8U);
}

void Brush::begin(Class what) {
  class_ = what;
  inObject_ = true;
  touched_ = {};
}

void Brush::end() {
  inObject_ = false;
  for (int y = touched_.y; y < touched_.y + touched_.height; ++y) {
    std::uint8_t* object = object_.ptr(y);
    std::uint8_t* label = labels_.ptr(y);
    for (int x = touched_.x; x < touched_.x + touched_.width; ++x) {
      if (object[x] >= 128) label[x] = static_cast<std::uint8_t>(class_);
      object[x] = 0;
    }
  }
}

void Brush::fill(const Outline& outline, const Colour& colour, double opacity) {
  if (!coverage_.cover(outline, whole_)) return;
  cv::Vec4b value(0, 0, 0, 255);
  for (int c = 0; c < 3; ++c) {
    value[c] = static_cast<std::uint8_t>(cvRound(std::clamp(colour[c], 0.0, 1.0) * 255));
  }
  const cv::Rect& area = coverage_.area();
  const int whole = cvRound(opacity * 256);
  for (int y = area.y; y < area.y + area.height; ++y) {
    fillRow(y, coverage_.row(y), area, value, whole);
  }
  if (inObject_) touched_ |= area;
}

void Brush::fillRow(int y, const std::uint8_t* shares, const cv::Rect& area, const cv::Vec4b& full,
                    int opacity) {
  cv::Vec4b* pixel = picture_.ptr<cv::Vec4b>(y) + area.x;
  std::uint8_t* object = inObject_ ? object_.ptr(y) + area.x : nullptr;
  std::uint16_t* material =
      materials_.empty() ? nullptr : materials_.ptr<std::uint16_t>(y) + area.x;
  for (int x = 0; x < area.width; ++x) {
    const int share = shares[x] * opacity >> 8;
    if (share == 0) continue;
    if (material && (share >= 128 || pixel[x][3] == 0)) material[x] = material_;
    if (share == 255) {
      pixel[x] = full;
    } else {
      for (int c = 0; c < 4; ++c) {  // + 128, * 257 >> 16: a division by 255, rounded
        const int sum = pixel[x][c] * (255 - share) + full[c] * share + 128;
        pixel[x][c] = static_cast<std::uint8_t>(sum * 257 >> 16);
      }
    }
    if (object) object[x] = over(object[x], share);
  }
}

}  // namespace mpm::scenes

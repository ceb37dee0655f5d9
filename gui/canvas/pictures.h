// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QRectF>
#include <QRgb>
#include <QSize>
#include <array>
#include <opencv2/core.hpp>

namespace mpm::gui {

/// 256 colours for values from 0 to 1. Their lightness grows evenly, so that they differ without
/// hue, and on paper.
using ColourScale = std::array<QRgb, 256>;

const ColourScale& valueScale();  ///< blue to yellow: the same to the colour-blind
const ColourScale& countScale();  ///< violet over green to yellow, with more steps to tell apart

QRgb colourAt(const ColourScale& scale,
              double value);  ///< the nearest end outside 0 to 1, and of NaN the lower

constexpr QRgb kDifferenceColour = 0xffff6a13;  ///< stands out from grey to everyone
constexpr QRgb kUnknownColour = 0xff8c8c8c;     ///< where there is no value
constexpr QRgb kRememberedColour = 0xff181c26;  ///< over what was not computed
constexpr QRgb kFreshLine = 0xffffb000;         ///< around what was
constexpr QRgb kPinnedColour = 0xff46d6ff;      ///< of the token that was clicked

/// A part of the frame, painted at some size.
struct Part {
  cv::Rect area;     ///< of the picture, in its pixels
  cv::Size picture;  ///< the whole picture's size
  cv::Size size;     ///< of what is painted
  bool operator==(const Part&) const = default;
};

/// Makes `image` Format_RGB32 of this size; one that is already keeps its memory.
void fitImage(QImage& image, cv::Size size);

/// Returns the pixels of a 32-bit image. A shared image is copied first.
cv::Mat pixelsOf(QImage& image);

/// Scales `part` of a CV_8UC3 (BGR) frame to the part's size, as Format_RGB32.
void drawPicture(const cv::Mat& picture, const Part& part, bool grey, QImage& image);

/// Returns each patch's mean colour as Format_RGB32 pixels: CV_8UC4 of `grid`'s size. `area` is
/// what the grid covers of the frame; beyond the frame, its border is repeated.
cv::Mat placeMeans(const cv::Mat& picture, cv::Size grid, const QRectF& area);

/// Returns the largest size in `room`, but never larger than the image.
QSize thumbnailSize(QSize picture, QSize room);

/// Returns a BGR image at thumbnailSize; null for an empty one.
QImage thumbnailOf(const cv::Mat& picture, QSize room);

}  // namespace mpm::gui

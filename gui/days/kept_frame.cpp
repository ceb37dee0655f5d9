// SPDX-License-Identifier: Apache-2.0
#include "gui/days/kept_frame.h"

#include <QCoreApplication>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <vector>

#include "gui/canvas/base_picture.h"
#include "gui/canvas/colour_scale.h"
#include "segment/pictures.h"

namespace mpm::gui {
namespace {

constexpr int kWidest = 960;  // of what is drawn
constexpr double kOpacity = 0.6;

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::KeptFrame)
};

// Empty where there is none: retention may just have taken it.
cv::Mat readFile(const std::string& path, int flags) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? cv::imread(path, flags) : cv::Mat();
}

QImage imageOf(const cv::Mat& bgr) {
  cv::Mat small = bgr;
  if (bgr.cols > kWidest) {
    const double scale = static_cast<double>(kWidest) / bgr.cols;
    cv::resize(bgr, small, {}, scale, scale, cv::INTER_AREA);
  }
  QImage image;
  fitImage(image, small.size());
  cv::Mat pixels = pixelsOf(image);
  cv::cvtColor(small, pixels, cv::COLOR_BGR2BGRA);
  return image;
}

cv::Vec3b bgrOf(QRgb colour) {
  const auto byte = [](int value) { return static_cast<unsigned char>(value); };
  return {byte(qBlue(colour)), byte(qGreen(colour)), byte(qRed(colour))};
}

cv::Mat greyOf(const cv::Mat& picture) {
  cv::Mat grey, bgr;
  cv::cvtColor(picture, grey, cv::COLOR_BGR2GRAY);
  cv::cvtColor(grey, bgr, cv::COLOR_GRAY2BGR);
  return bgr;
}

void tint(cv::Mat& picture, const cv::Mat& where, QRgb colour) {
  cv::Mat tinted;
  cv::addWeighted(picture, 1 - kOpacity,
                  cv::Mat(picture.size(), CV_8UC3, cv::Scalar(bgrOf(colour))), kOpacity, 0, tinted);
  tinted.copyTo(picture, where);
}

// Which places share their token: CV_8U, of the map's size.
cv::Mat sharedPlaces(const cv::Mat& map) {
  double most = 0;
  cv::minMaxLoc(map, nullptr, &most);
  std::vector<int> sizes(static_cast<std::size_t>(most) + 1, 0);
  for (auto place = map.begin<int>(); place != map.end<int>(); ++place)
    ++sizes[static_cast<std::size_t>(*place)];
  cv::Mat shared(map.size(), CV_8U);
  for (int y = 0; y < map.rows; ++y) {
    for (int x = 0; x < map.cols; ++x)
      shared.at<uchar>(y, x) = sizes[static_cast<std::size_t>(map.at<int>(y, x))] > 1 ? 255 : 0;
  }
  return shared;
}

double shareOf(const cv::Mat& places) {
  return cv::countNonZero(places) / static_cast<double>(places.total());
}

void compareClasses(const KeptFrame& first, const KeptFrame& second, FrameDifference& found) {
  if (first.labels.empty() || second.labels.empty()) {
    found.noClasses = Words::tr("Classes were not kept");
  } else if (first.of.modelHash != second.of.modelHash) {
    found.noClasses = Words::tr("They come from two models with different classes");
  } else if (first.labels.size() != second.labels.size()) {
    found.noClasses = Words::tr("The pictures differ in size");
  } else {
    const cv::Mat differs = first.labels != second.labels;
    cv::Mat drawn = greyOf(first.picture);
    tint(drawn, differs, kDifferenceColour);
    found.otherClass = shareOf(differs);
    found.classes = imageOf(drawn);
  }
}

void compareMerging(const KeptFrame& first, const KeptFrame& second, FrameDifference& found) {
  if (first.mergeMap.empty() || first.mergeMap.size() != second.mergeMap.size()) return;
  const cv::Mat one = sharedPlaces(first.mergeMap), other = sharedPlaces(second.mergeMap);
  const cv::Mat firstAlone = one & ~other, secondAlone = other & ~one;
  cv::Mat drawn = greyOf(first.picture), where;
  for (const auto& [places, colour] : {std::pair{firstAlone, FrameDifference::kFirstColour},
                                       std::pair{secondAlone, FrameDifference::kSecondColour}}) {
    cv::resize(places, where, drawn.size(), 0, 0, cv::INTER_NEAREST);
    tint(drawn, where, colour);
  }
  found.firstAlone = shareOf(firstAlone);
  found.secondAlone = shareOf(secondAlone);
  found.merging = imageOf(drawn);
}

}  // namespace

cv::Mat readMergeMap(const monitor::DayPicture& of) {
  const cv::Mat read =
      of.mergeMap.empty() ? cv::Mat() : readFile(of.mergeMap, cv::IMREAD_UNCHANGED);
  if (read.empty() || read.channels() != 1) return {};
  cv::Mat map;
  read.convertTo(map, CV_32S);
  // A file that is another one than was kept: places are counted by these numbers.
  double least = 0, most = 0;
  cv::minMaxLoc(map, &least, &most);
  return least < 0 || most >= static_cast<double>(map.total()) ? cv::Mat() : map;
}

KeptFrame readKept(const monitor::DayPicture& of) {
  KeptFrame kept{of, readFile(of.picture, cv::IMREAD_COLOR), {}, {}, {}, {}};
  if (kept.picture.empty()) {
    throw std::runtime_error(Words::tr("The picture %1 is gone, or damaged.")
                                 .arg(QString::fromStdString(of.picture))
                                 .toStdString());
  }
  if (!of.labels.empty()) {
    const cv::Mat labels = readFile(of.labels, cv::IMREAD_UNCHANGED);
    if (labels.size() == kept.picture.size() && labels.channels() == 1)
      labels.convertTo(kept.labels, CV_16U);
  }
  const cv::Mat map = readMergeMap(of);
  if (map.rows <= kept.picture.rows && map.cols <= kept.picture.cols) kept.mergeMap = map;
  kept.shown = imageOf(kept.picture);
  if (!kept.mergeMap.empty()) kept.merged = imageOf(drawMergeMap(kept.picture, kept.mergeMap));
  return kept;
}

FrameDifference differenceOf(const KeptFrame& first, const KeptFrame& second) {
  FrameDifference found;
  compareClasses(first, second, found);
  compareMerging(first, second, found);
  return found;
}

}  // namespace mpm::gui

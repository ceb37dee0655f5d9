// SPDX-License-Identifier: Apache-2.0
#include "gui/days/kept_frame.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <vector>

#include "gui/canvas/captions.h"
#include "gui/canvas/overlays.h"
#include "gui/canvas/painting.h"
#include "gui/canvas/pictures.h"
#include "gui/unbroken.h"
#include "segment/pictures.h"

namespace mpm::gui {
namespace {

constexpr int kWidest = 960;  // of what is drawn
constexpr double kOpacity = 0.6;

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::KeptFrame)
};

// Returns an empty image if the file is gone: retention may just have deleted it.
cv::Mat readFile(const std::string& path, int flags) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? cv::imread(path, flags) : cv::Mat();
}

Part wholeOf(const cv::Mat& picture) {
  return {cv::Rect({}, picture.size()), picture.size(), picture.size()};
}

QImage imageOf(const cv::Mat& picture, bool grey) {
  QImage image;
  drawPicture(picture, wholeOf(picture), grey, image);
  return image;
}

// Limits the width; fine lines become paler, but all of them stay visible.
QImage fitted(const QImage& image) {
  return image.width() > kWidest ? image.scaledToWidth(kWidest, Qt::SmoothTransformation) : image;
}

void compareClasses(const KeptFrame& first, const KeptFrame& second, FrameDifference& found) {
  if (first.labels.empty() || second.labels.empty()) {
    found.noClasses = Words::tr("Classes were not kept");
  } else if (first.of.modelHash != second.of.modelHash) {
    found.noClasses = Words::tr("The two models have different classes");
  } else if (first.labels.size() != second.labels.size()) {
    found.noClasses = Words::tr("The pictures differ in size");
  } else {
    found.otherClass =
        cv::countNonZero(first.labels != second.labels) / static_cast<double>(first.labels.total());
    QImage drawn = imageOf(first.picture, true);
    cv::Mat pixels = pixelsOf(drawn);
    paintDifferences(pixels, first.labels, second.labels, wholeOf(first.picture), kDifferenceColour,
                     kOpacity);
    found.classes = fitted(drawn);
  }
}

// Colours patches that shared their token in only one of the frames.
void compareMerging(const KeptFrame& first, const KeptFrame& second, FrameDifference& found) {
  const cv::Size grid = first.mergeMap.size();
  if (first.mergeMap.empty() || grid != second.mergeMap.size()) return;
  std::vector<int> one, other;
  groupSizes(first.mergeMap, one);
  groupSizes(second.mergeMap, other);
  CellLook look{grid, {}, {}, {}, {}, {}};
  found.firstAlone = found.secondAlone = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const bool inFirst = one[i] > 1, inSecond = other[i] > 1;
    look.skipped.push_back(inFirst == inSecond);
    look.colours.push_back(inFirst ? FrameDifference::kFirstColour
                                   : FrameDifference::kSecondColour);
    if (inFirst != inSecond) (inFirst ? found.firstAlone : found.secondAlone) += 1.0 / grid.area();
  }
  QImage drawn = imageOf(first.picture, true);
  cv::Mat pixels = pixelsOf(drawn);
  paintCells(pixels, wholeOf(first.picture), {0, 0, 1, 1}, look, kOpacity, 0);
  found.merging = fitted(drawn);
}

}  // namespace

cv::Mat readMergeMap(const monitor::DayPicture& of) {
  const cv::Mat read =
      of.mergeMap.empty() ? cv::Mat() : readFile(of.mergeMap, cv::IMREAD_UNCHANGED);
  if (read.empty() || read.channels() != 1) return {};
  cv::Mat map;
  read.convertTo(map, CV_32S);
  // The file may have been replaced, and its values are used as indices.
  double least = 0, most = 0;
  cv::minMaxLoc(map, &least, &most);
  return least < 0 || most >= static_cast<double>(map.total()) ? cv::Mat() : map;
}

KeptFrame readKept(const monitor::DayPicture& of) {
  KeptFrame kept{of, readFile(of.picture, cv::IMREAD_COLOR), {}, {}, {}, {}};
  if (kept.picture.empty()) {
    throw std::runtime_error(Words::tr("The picture %1 is gone or damaged.")
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
  kept.shown = fitted(imageOf(kept.picture, false));
  if (!kept.mergeMap.empty())
    kept.merged = fitted(imageOf(drawMergeMap(kept.picture, kept.mergeMap), false));
  return kept;
}

FrameDifference differenceOf(const KeptFrame& first, const KeptFrame& second) {
  FrameDifference found;
  compareClasses(first, second, found);
  compareMerging(first, second, found);
  return found;
}

PictureTile::PictureTile(const QString& title, QWidget* parent) : QWidget(parent), title_(title) {
  setAccessibleName(title);
  setMinimumSize(120, 70);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setFocusPolicy(Qt::StrongFocus);
  setToolTip(tr("Click to enlarge it, or to show all again"));
}

void PictureTile::show(const QImage& image, const QString& words) {
  image_ = image;
  small_ = {};
  words_ = words;
  setAccessibleDescription(words);
  update();
}

void PictureTile::setPeers(const QStringList& titles) {
  peers_ = titles;
  update();
}

void PictureTile::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().window());
  const QRectF place(rect());
  if (image_.isNull()) {
    painter.fillRect(place.adjusted(1, 1, -1, -1), palette().alternateBase());
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(place.adjusted(8, 20, -8, -8), Qt::AlignCenter | Qt::TextWordWrap,
                     unbroken(words_));
  } else {
    const QRectF picture = pictureBelowTitles(painter.font());
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(picture, shrunk((picture.size() * devicePixelRatioF()).toSize()));
  }
  drawTitle(painter, rect(), title_);
  if (hasFocus()) {
    painter.setPen(palette().color(QPalette::Highlight));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void PictureTile::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) emit clicked();
}

void PictureTile::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  if (key != Qt::Key_Space && key != Qt::Key_Return && key != Qt::Key_Enter)
    return QWidget::keyPressEvent(event);
  emit clicked();
}

QRectF PictureTile::pictureIn(const QRectF& room) const {
  const QSizeF size = QSizeF(image_.size()).scaled(room.size(), Qt::KeepAspectRatio);
  return {room.center() - QPointF(size.width(), size.height()) / 2, size};
}

QRectF PictureTile::pictureBelowTitles(const QFont& font) const {
  QRectF place(rect());
  double below = 0;
  for (const QString& title : peers_ + QStringList{title_}) {
    const QRectF plate = titlePlate(font, rect(), title);
    if (plate.intersects(pictureIn(rect()))) below = std::max(below, plate.bottom());
  }
  place.setTop(std::max(place.top(), below));
  return pictureIn(place);
}

const QImage& PictureTile::shrunk(QSize size) {
  if (size.width() >= image_.width() || size.isEmpty()) return image_;
  if (small_.size() != size)
    small_ = image_.scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
  return small_;
}

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <limits>
#include <opencv2/core.hpp>

#include "monitor/record/record_reader.h"

namespace mpm::gui {

/// A frame of a record with all files that were kept of it.
struct KeptFrame {
  monitor::DayPicture of;
  cv::Mat picture;       ///< CV_8UC3
  cv::Mat labels;        ///< CV_16U, of the picture's size; empty: not kept
  cv::Mat mergeMap;      ///< CV_32S; empty: not kept, or nothing merged
  QImage shown, merged;  ///< the picture, and as merged tokens see it (null without a map)
};

/// Throws std::runtime_error, one sentence, if its files are gone or are no images.
KeptFrame readKept(const monitor::DayPicture& of);

/// Returns CV_32S values below the number of patches; empty if none was kept, or its file is gone
/// or no map.
cv::Mat readMergeMap(const monitor::DayPicture& of);

/// Differences between two frames, drawn on the first one in grey. An image is null if it cannot be
/// determined; shares are from 0 to 1.
struct FrameDifference {
  static constexpr QRgb kFirstColour = 0xff3c8cff, kSecondColour = 0xffff6a13;

  QImage classes, merging;
  QString noClasses;  ///< why there is no picture of classes
  double otherClass = std::numeric_limits<double>::quiet_NaN();  ///< of the pixels
  /// Shares of patches that shared a token in only one of the frames.
  double firstAlone = std::numeric_limits<double>::quiet_NaN(), secondAlone = firstAlone;
};
FrameDifference differenceOf(const KeptFrame& first, const KeptFrame& second);

/// Shows an image as large as fits next to its title or below it, or a sentence instead. Fine lines
/// in a reduced image are paler, but all are visible. Space and Enter act as a click.
class PictureTile : public QWidget {
  Q_OBJECT

 public:
  explicit PictureTile(const QString& title, QWidget* parent = nullptr);

  /// `words` replace a null image, and describe it to screen readers.
  void show(const QImage& image, const QString& words);
  /// Sets the titles of neighbouring tiles, so that all images have the same size, next to the
  /// longest title or below it.
  void setPeers(const QStringList& titles);
  const QImage& image() const { return image_; }
  const QString& words() const { return words_; }

 signals:
  void clicked();

 protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QRectF pictureIn(const QRectF& room) const;
  QRectF pictureBelowTitles(const QFont& font) const;

  // Averages all source pixels of each pixel: a painter takes four of them, and loses lines.
  const QImage& shrunk(QSize size);

  QString title_, words_;
  QStringList peers_;
  QImage image_, small_;
};

}  // namespace mpm::gui

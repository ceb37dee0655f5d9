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

/// A picture of a record with all that is kept of it.
struct KeptFrame {
  monitor::DayPicture of;
  cv::Mat picture;       ///< CV_8UC3
  cv::Mat labels;        ///< CV_16U, of the picture's size; empty: not kept
  cv::Mat mergeMap;      ///< CV_32S; empty: not kept, or nothing merged
  QImage shown, merged;  ///< the picture, and as merged tokens see it (null without a map)
};

/// std::runtime_error, one sentence: its files are gone, or are no pictures.
KeptFrame readKept(const monitor::DayPicture& of);

/// CV_32S, each row less than there are places; empty: none was kept, or its file is gone or no
/// map.
cv::Mat readMergeMap(const monitor::DayPicture& of);

/// Where two frames differ, drawn on the first one in grey. An image is null where that cannot be
/// said; shares are from 0 to 1.
struct FrameDifference {
  static constexpr QRgb kFirstColour = 0xff3c8cff, kSecondColour = 0xffff6a13;

  QImage classes, merging;
  QString noClasses;  ///< why there is no picture of classes
  double otherClass = std::numeric_limits<double>::quiet_NaN();  ///< of the pixels
  /// Of the places: those that shared a token in the one frame alone.
  double firstAlone = std::numeric_limits<double>::quiet_NaN(), secondAlone = firstAlone;
};
FrameDifference differenceOf(const KeptFrame& first, const KeptFrame& second);

/// A picture as large as fits beside its title or below it; without one a sentence why. Fine lines
/// in a picture that is shrunk are paler, and all of them are there. Space and Enter are a click.
class PictureTile : public QWidget {
  Q_OBJECT

 public:
  explicit PictureTile(const QString& title, QWidget* parent = nullptr);

  /// `words`: instead of the picture where it is null, and for who does not see it.
  void show(const QImage& image, const QString& words);
  /// Titles of tiles that it stands among: pictures are of one size, beside the longest of the
  /// titles or below it.
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

  // Each pixel the mean of what it stands for: a painter takes four of them, and lines get lost.
  const QImage& shrunk(QSize size);

  QString title_, words_;
  QStringList peers_;
  QImage image_, small_;
};

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <exception>
#include <opencv2/core.hpp>

#include "gui/aside.h"
#include "gui/canvas/thumbnail.h"
#include "gui/teach/paint_project.h"

namespace mpm::gui {

/// The frames of a project, each with a small picture and the share that is painted. Files are read
/// one by one in a thread of its own, the newest first; until then an empty picture of the same
/// size has the place.
class FrameList : public QListWidget {
  Q_OBJECT

 public:
  explicit FrameList(QWidget* parent = nullptr) : QListWidget(parent) {
    setAccessibleName(tr("Frames"));
    setIconSize(kRoom);
    setViewMode(IconMode);
    setFlow(TopToBottom);
    setWrapping(false);
    setMovement(Static);
    setSpacing(4);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(this, &QListWidget::currentRowChanged, this, [this](int row) {
      if (row < 0) return;
      emit chosen(nameAt(row));
      // Once it is laid out: a frame that was just taken stands at the end.
      QTimer::singleShot(0, this, [this] { scrollToItem(currentItem()); });
    });
  }

  /// All of another project, or what came to it.
  void setProject(const PaintProject* project) {
    const QSignalBlocker quiet(this);
    const bool other = project_ != project;
    project_ = project;
    if (other) {
      clear();
      ++projects_;
    }
    if (project_ == nullptr) return;
    for (int row = count(); row < project_->frames().size(); ++row) {
      const QString& name = project_->frames()[row];
      auto* item = new QListWidgetItem(PaintProject::spoken(name, '\n'));
      item->setData(kName, name);
      item->setIcon(placed(blank(project_->sizeOf(name))));
      item->setTextAlignment(Qt::AlignHCenter);
      item->setSizeHint({kRoom.width() + 12, kRoom.height() + 3 * fontMetrics().height() + 12});
      addItem(item);
    }
    readNext();
  }

  QString nameAt(int row) const {
    return item(row) ? item(row)->data(kName).toString() : QString();
  }
  void choose(const QString& name) {
    if (project_ != nullptr) setCurrentRow(static_cast<int>(project_->frames().indexOf(name)));
  }
  void step(int by) { setCurrentRow(std::clamp(currentRow() + by, 0, std::max(0, count() - 1))); }
  /// Whether its picture is the file's.
  bool isRead(int row) const { return item(row)->data(kRead).toBool(); }

  /// Counts for more than what is read of the file.
  void setShare(const QString& name, double share) {
    QListWidgetItem* at = itemOf(name);
    if (at == nullptr) return;
    at->setData(kTold, true);
    at->setText(PaintProject::spoken(name, '\n') + '\n' + words(share));
  }

  /// Paintings are others than they were.
  void readAgain() {
    for (int row = 0; row < count(); ++row)
      for (const int fact : {kAsked, kTold}) item(row)->setData(fact, false);
    readNext();
  }

 signals:
  void chosen(const QString& name);

 private:
  static constexpr QSize kRoom{120, 84};
  static constexpr int kName = Qt::UserRole, kAsked = kName + 1, kRead = kName + 2,
                       kTold = kName + 3;

  struct Read {
    QImage picture;
    double share = 0;
    QString fault;  // instead of them
  };

  static Read read(const PaintProject& project, const QString& name, double ratio) {
    Read read;
    try {
      const cv::Mat frame = project.frame(name);
      read.picture = thumbnailOf(frame, kRoom * ratio);
      read.picture.setDevicePixelRatio(ratio);
      read.share = paintedShare(project.labels(name, frame.size()));
    } catch (const std::exception& fault) {
      read.fault = QString::fromUtf8(fault.what());
    }
    return read;
  }

  static QString words(double share) {
    const double percent = share * 100;
    const int digits = percent > 0 && percent < 10 ? 1 : 0;
    return tr("%1% painted").arg(QLocale().toString(percent, 'f', digits));
  }

  QListWidgetItem* itemOf(const QString& name) const {
    return item(static_cast<int>(project_->frames().indexOf(name)));
  }

  // In the middle of the same room, whatever its shape, so that words below it never move.
  QIcon placed(const QImage& picture) const {
    const double ratio = devicePixelRatioF();
    QPixmap room(kRoom * ratio);
    room.setDevicePixelRatio(ratio);
    room.fill(Qt::transparent);
    const QSizeF size = picture.deviceIndependentSize();
    QPainter(&room).drawImage(
        QPointF((kRoom.width() - size.width()) / 2, (kRoom.height() - size.height()) / 2), picture);
    return room;
  }

  QImage blank(QSize frame) const {
    const double ratio = devicePixelRatioF();
    const QSize room = kRoom * ratio;
    QImage picture(frame.isEmpty() ? room : thumbnailSize(frame, room), QImage::Format_RGB32);
    picture.setDevicePixelRatio(ratio);
    picture.fill(palette().color(QPalette::Midlight));
    return picture;
  }

  void readNext() {
    int row = count() - 1;
    while (row >= 0 && item(row)->data(kAsked).toBool()) --row;
    if (reading_ || row < 0) return;
    reading_ = true;
    item(row)->setData(kAsked, true);
    computeAside(
        this,
        [project = *project_, name = nameAt(row), ratio = devicePixelRatioF()] {
          return read(project, name, ratio);
        },
        [this, name = nameAt(row), of = projects_](const Read& read) {
          reading_ = false;
          if (of == projects_) take(name, read);
          readNext();
        });
  }

  void take(const QString& name, const Read& read) {
    QListWidgetItem* at = itemOf(name);
    if (at == nullptr) return;
    at->setData(kRead, true);
    at->setToolTip(read.fault);
    if (!read.picture.isNull()) at->setIcon(placed(read.picture));
    if (read.fault.isEmpty() && !at->data(kTold).toBool()) {
      setShare(name, read.share);
      at->setData(kTold, false);
    }
  }

  const PaintProject* project_ = nullptr;
  int projects_ = 0;
  bool reading_ = false;
};

}  // namespace mpm::gui

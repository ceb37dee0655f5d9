// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>

#include "gui/canvas/captions.h"

namespace mpm::gui {

/// A picture as large as fits beside its title or below it; without one a sentence why.
class PictureTile : public QWidget {
  Q_OBJECT

 public:
  explicit PictureTile(const QString& title, QWidget* parent = nullptr)
      : QWidget(parent), title_(title) {
    setAccessibleName(title);
    setMinimumSize(120, 70);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  }

  /// `words`: instead of the picture where it is null, and for who does not see it.
  void show(const QImage& image, const QString& words) {
    image_ = image;
    words_ = words;
    setAccessibleDescription(words);
    update();
  }
  const QImage& image() const { return image_; }
  const QString& words() const { return words_; }

 signals:
  void clicked();

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.fillRect(rect(), palette().window());
    QRectF place(rect());
    if (image_.isNull()) {
      painter.fillRect(place.adjusted(1, 1, -1, -1), palette().alternateBase());
      painter.setPen(palette().color(QPalette::PlaceholderText));
      painter.drawText(place.adjusted(8, 20, -8, -8), Qt::AlignCenter | Qt::TextWordWrap, words_);
    } else {
      const QRectF title = titlePlate(painter.font(), place, title_);
      if (title.intersects(pictureIn(place))) place.setTop(title.bottom());
      painter.setRenderHint(QPainter::SmoothPixmapTransform);
      painter.drawImage(pictureIn(place), image_);
    }
    drawTitle(painter, rect(), title_);
  }
  void mousePressEvent(QMouseEvent* event) override {
    if (event->button() == Qt::LeftButton) emit clicked();
  }

 private:
  QRectF pictureIn(const QRectF& room) const {
    const QSizeF size = QSizeF(image_.size()).scaled(room.size(), Qt::KeepAspectRatio);
    return {room.center() - QPointF(size.width(), size.height()) / 2, size};
  }

  QString title_, words_;
  QImage image_;
};

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>

#include "gui/canvas/captions.h"

namespace mpm::gui {

/// A picture as large as fits, its title in the corner; without one a sentence why.
class PictureTile : public QWidget {
  Q_OBJECT

 public:
  explicit PictureTile(const QString& title, QWidget* parent = nullptr)
      : QWidget(parent), title_(title) {
    setAccessibleName(title);
    setMinimumSize(120, 70);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  }

  void setTitle(const QString& title) {
    title_ = title;
    setAccessibleName(title);
    update();
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
      const QSizeF size = QSizeF(image_.size()).scaled(place.size(), Qt::KeepAspectRatio);
      place = QRectF(place.center() - QPointF(size.width(), size.height()) / 2, size);
      painter.setRenderHint(QPainter::SmoothPixmapTransform);
      painter.drawImage(place, image_);
    }
    drawTitle(painter, rect(), title_);  // beside a narrow picture rather than cut short
  }
  void mousePressEvent(QMouseEvent* event) override {
    if (event->button() == Qt::LeftButton) emit clicked();
  }

 private:
  QString title_, words_;
  QImage image_;
};

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>

#include "gui/canvas/captions.h"
#include "gui/unbroken.h"

namespace mpm::gui {

/// A picture as large as fits beside its title or below it; without one a sentence why. Fine lines
/// in a picture that is shrunk are paler, and all of them are there. Space and Enter are a click.
class PictureTile : public QWidget {
  Q_OBJECT

 public:
  explicit PictureTile(const QString& title, QWidget* parent = nullptr)
      : QWidget(parent), title_(title) {
    setAccessibleName(title);
    setMinimumSize(120, 70);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setFocusPolicy(Qt::StrongFocus);
    setToolTip(tr("A click enlarges it, or shows all again"));
  }

  /// `words`: instead of the picture where it is null, and for who does not see it.
  void show(const QImage& image, const QString& words) {
    image_ = image;
    small_ = {};
    words_ = words;
    setAccessibleDescription(words);
    update();
  }
  /// Titles of tiles that it stands among: pictures are of one size, beside the longest of the
  /// titles or below it.
  void setPeers(const QStringList& titles) {
    peers_ = titles;
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
  void mousePressEvent(QMouseEvent* event) override {
    if (event->button() == Qt::LeftButton) emit clicked();
  }
  void keyPressEvent(QKeyEvent* event) override {
    const int key = event->key();
    if (key != Qt::Key_Space && key != Qt::Key_Return && key != Qt::Key_Enter)
      return QWidget::keyPressEvent(event);
    emit clicked();
  }

 private:
  QRectF pictureIn(const QRectF& room) const {
    const QSizeF size = QSizeF(image_.size()).scaled(room.size(), Qt::KeepAspectRatio);
    return {room.center() - QPointF(size.width(), size.height()) / 2, size};
  }

  QRectF pictureBelowTitles(const QFont& font) const {
    QRectF place(rect());
    double below = 0;
    for (const QString& title : peers_ + QStringList{title_}) {
      const QRectF plate = titlePlate(font, rect(), title);
      if (plate.intersects(pictureIn(rect()))) below = std::max(below, plate.bottom());
    }
    place.setTop(std::max(place.top(), below));
    return pictureIn(place);
  }

  // Each pixel the mean of what it stands for: a painter takes four of them, and lines get lost.
  const QImage& shrunk(QSize size) {
    if (size.width() >= image_.width() || size.isEmpty()) return image_;
    if (small_.size() != size)
      small_ = image_.scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    return small_;
  }

  QString title_, words_;
  QStringList peers_;
  QImage image_, small_;
};

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/notice_drawing.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>

namespace mpm::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Notice)
};

constexpr double kMargin = 8;
const QColor kGround(0, 0, 0, 165);

void drawPlate(QPainter& painter, const QRectF& plate) {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(kGround);
  painter.drawRoundedRect(plate, 4, 4);
  painter.setPen(Qt::white);
}

}  // namespace

void drawTitle(QPainter& painter, const QRectF& bounds, const QString& title) {
  if (title.isEmpty()) return;
  painter.save();
  QFont font = painter.font();
  font.setBold(true);
  painter.setFont(font);
  const QFontMetricsF metrics(font);
  const QString shown = metrics.elidedText(title, Qt::ElideRight, bounds.width() - 4 * kMargin);
  const QRectF plate(bounds.topLeft() + QPointF(kMargin, kMargin),
                     QSizeF(metrics.horizontalAdvance(shown) + 2 * kMargin, metrics.height() + 6));
  drawPlate(painter, plate);
  painter.drawText(plate, Qt::AlignCenter, shown);
  painter.restore();
}

void drawHint(QPainter& painter, const QRectF& bounds, const QString& words) {
  painter.save();
  const QFontMetricsF metrics(painter.font());
  const double most = bounds.width() - 4 * kMargin;
  QRectF text = metrics.boundingRect(QRectF(0, 0, most, bounds.height()),
                                     Qt::AlignHCenter | Qt::TextWordWrap, words);
  text.moveCenter({bounds.center().x(), 0});
  text.moveBottom(bounds.bottom() - 2 * kMargin);
  drawPlate(painter, text.adjusted(-kMargin, -kMargin / 2, kMargin, kMargin / 2));
  painter.drawText(text.adjusted(-1, 0, 1, 0), Qt::AlignHCenter | Qt::TextWordWrap, words);
  painter.restore();
}

void drawNotice(QPainter& painter, const QRectF& bounds, const QString& large,
                const QString& small) {
  constexpr double kLeastPixels = 13;
  painter.save();
  const double most = bounds.width() - 6 * kMargin;
  QFont largeFont = painter.font(), smallFont = painter.font();
  double pixels = std::max(kLeastPixels, bounds.height() / 10);
  largeFont.setBold(true);
  largeFont.setPixelSize(static_cast<int>(pixels));
  while (pixels > kLeastPixels && QFontMetricsF(largeFont).horizontalAdvance(large) > most) {
    largeFont.setPixelSize(static_cast<int>(--pixels));
  }
  smallFont.setPixelSize(static_cast<int>(std::max(kLeastPixels, pixels * 0.36)));
  const int flags = Qt::AlignHCenter | Qt::TextWordWrap;
  const QRectF room(0, 0, most, bounds.height());
  QRectF above = QFontMetricsF(largeFont).boundingRect(room, flags, large);
  QRectF below =
      small.isEmpty() ? QRectF() : QFontMetricsF(smallFont).boundingRect(room, flags, small);
  const double height = above.height() + below.height();
  above.moveCenter({bounds.center().x(), 0});
  above.moveTop(bounds.center().y() - height / 2);
  below.moveCenter({bounds.center().x(), 0});
  below.moveTop(above.bottom());
  const QRectF both = small.isEmpty() ? above : above.united(below);
  drawPlate(painter, both.adjusted(-2 * kMargin, -kMargin, 2 * kMargin, kMargin));
  painter.setFont(largeFont);
  painter.drawText(above.adjusted(-1, 0, 1, 0), flags, large);
  painter.setFont(smallFont);
  painter.drawText(below.adjusted(-1, 0, 1, 0), flags, small);
  painter.restore();
}

QString spokenAge(qint64 ageMs) {
  const qint64 seconds = std::max<qint64>(0, ageMs) / 1000, minutes = seconds / 60,
               hours = minutes / 60;
  if (seconds < 60) return Words::tr("%1 s").arg(seconds);
  if (minutes < 60) return Words::tr("%1 min %2 s").arg(minutes).arg(seconds % 60);
  if (hours < 24) return Words::tr("%1 h %2 min").arg(hours).arg(minutes % 60);
  return Words::tr("%1 d %2 h").arg(hours / 24).arg(hours % 24);
}

}  // namespace mpm::gui

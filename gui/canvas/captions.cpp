// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/captions.h"

#include <QtWidgets>
#include <algorithm>

#include "gui/canvas/colour_scale.h"
#include "gui/unbroken.h"

namespace mpm::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Captions)
};

constexpr double kMargin = kCaptionMargin;

QFont titleFont(QFont font) {
  font.setBold(true);
  return font;
}

QString shownTitle(const QFont& font, const QRectF& bounds, const QString& title) {
  return QFontMetricsF(font).elidedText(title, Qt::ElideRight, bounds.width() - 4 * kMargin);
}

}  // namespace

QFont captionFont(const QFont& font, QSizeF view) {
  constexpr double kUsualSide = 640, kLargest = 2;
  const double larger =
      std::clamp(std::min(view.width(), view.height()) / kUsualSide, 1.0, kLargest);
  QFont letters = font;
  letters.setPixelSize(static_cast<int>(QFontInfo(font).pixelSize() * larger));
  return larger > 1 ? letters : font;
}

void drawPlate(QPainter& painter, const QRectF& plate) {
  const QColor ground(0, 0, 0, 165);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRoundedRect(plate, 4, 4);
  painter.setPen(Qt::white);
}

QRectF titlePlate(const QFont& font, const QRectF& bounds, const QString& title) {
  if (title.isEmpty()) return {};
  const QFont bold = titleFont(font);
  const QFontMetricsF metrics(bold);
  const double width = metrics.horizontalAdvance(shownTitle(bold, bounds, title));
  return {bounds.topLeft() + QPointF(kMargin, kMargin),
          QSizeF(width + 2 * kMargin, metrics.height() + 6)};
}

QRectF drawTitle(QPainter& painter, const QRectF& bounds, const QString& title) {
  if (title.isEmpty()) return {};
  painter.save();
  painter.setFont(titleFont(painter.font()));
  const QRectF plate = titlePlate(painter.font(), bounds, title);
  drawPlate(painter, plate);
  painter.drawText(plate, Qt::AlignCenter, shownTitle(painter.font(), bounds, title));
  painter.restore();
  return plate;
}

void drawHint(QPainter& painter, const QRectF& bounds, const QString& hint) {
  const QString words = unbroken(hint);
  painter.save();
  const QFontMetricsF metrics(painter.font());
  const double most = bounds.width() - 4 * kMargin;
  QRectF text = metrics.boundingRect(QRectF(0, 0, most, bounds.height()),
                                     Qt::AlignHCenter | Qt::TextWordWrap, words);
  text.moveCenter({bounds.center().x(), 0});
  text.moveBottom(bounds.bottom() - 3 * kMargin - metrics.height());
  drawPlate(painter, text.adjusted(-kMargin, -kMargin / 2, kMargin, kMargin / 2));
  painter.drawText(text.adjusted(-1, 0, 1, 0), Qt::AlignHCenter | Qt::TextWordWrap, words);
  painter.restore();
}

void drawNotice(QPainter& painter, const QRectF& bounds, const QString& notice,
                const QString& explanation) {
  const QString large = unbroken(notice), small = unbroken(explanation);
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

QRectF drawCard(QPainter& painter, const QRectF& bounds, const QRectF& about,
                const QStringList& lines) {
  if (lines.isEmpty()) return {};
  painter.save();
  const QFont plain = painter.font();
  QFont bold = plain;
  bold.setBold(true);
  const QFontMetricsF metrics(plain), title(bold);
  double width = title.horizontalAdvance(lines.front());
  for (const QString& line : lines) width = std::max(width, metrics.horizontalAdvance(line));
  const QSizeF size(std::min(width + 2 * kMargin, bounds.width()),
                    metrics.height() * static_cast<double>(lines.size()) + kMargin);
  const bool isRight = about.right() + kMargin + size.width() <= bounds.right();
  QRectF card(QPointF(isRight ? about.right() + kMargin : about.left() - kMargin - size.width(),
                      about.center().y() - size.height() / 2),
              size);
  if (card.left() < bounds.left()) {  // no room on either side
    const bool isBelow = about.bottom() + kMargin + size.height() <= bounds.bottom();
    card.moveTopLeft({about.center().x() - size.width() / 2,
                      isBelow ? about.bottom() + kMargin : about.top() - kMargin - size.height()});
  }
  card.moveLeft(std::clamp(card.left(), bounds.left(), bounds.right() - card.width()));
  card.moveTop(std::max(bounds.top(), std::min(card.top(), bounds.bottom() - card.height())));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(QColor(kPinnedColour), 1));
  painter.setBrush(QColor(0, 0, 0, 205));
  painter.drawRoundedRect(card, 4, 4);
  QRectF room = card.adjusted(kMargin, kMargin / 2, -kMargin, 0);
  painter.setPen(Qt::white);
  for (const QString& line : lines) {
    painter.setFont(&line == &lines.front() ? bold : plain);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignTop, line);
    room.translate(0, metrics.height());
  }
  painter.restore();
  return card;
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

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
constexpr double kNarrowest = 75;  // picture that a title stands in

QFont titleFont(QFont font) {
  font.setBold(true);
  return font;
}

QString shownTitle(const QFont& font, const QRectF& bounds, const QString& title) {
  return QFontMetricsF(font).elidedText(title, Qt::ElideRight, bounds.width() - 4 * kMargin);
}

// How a notice is laid out in the middle of `bounds`.
struct Notice {
  static constexpr int kFlags = Qt::AlignHCenter | Qt::TextWordWrap;

  Notice(const QFont& font, const QRectF& bounds, const QString& large, const QString& small)
      : largeFont(font), smallFont(font) {
    constexpr double kLeastPixels = 13;
    const double most = bounds.width() - 6 * kMargin;
    double pixels = std::max(kLeastPixels, bounds.height() / 10);
    largeFont.setBold(true);
    largeFont.setPixelSize(static_cast<int>(pixels));
    while (pixels > kLeastPixels && QFontMetricsF(largeFont).horizontalAdvance(large) > most) {
      largeFont.setPixelSize(static_cast<int>(--pixels));
    }
    smallFont.setPixelSize(static_cast<int>(std::max(kLeastPixels, pixels * 0.36)));
    const QRectF room(0, 0, most, bounds.height());
    above = QFontMetricsF(largeFont).boundingRect(room, kFlags, large);
    if (!small.isEmpty()) below = QFontMetricsF(smallFont).boundingRect(room, kFlags, small);
    const double height = above.height() + below.height();
    above.moveCenter({bounds.center().x(), 0});
    above.moveTop(bounds.center().y() - height / 2);
    below.moveCenter({bounds.center().x(), 0});
    below.moveTop(above.bottom());
  }

  QRectF plate() const {
    const QRectF both = below.isEmpty() ? above : above.united(below);
    return both.adjusted(-2 * kMargin, -kMargin, 2 * kMargin, kMargin);
  }

  /// And leaves some of it to be seen.
  bool isWithin(const QRectF& picture) const {
    constexpr double kMost = 0.7;
    return picture.contains(plate()) && plate().height() <= kMost * picture.height();
  }

  QFont largeFont, smallFont;
  QRectF above, below;
};

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

bool crosses(const QRectF& plate, const QRectF& picture) {
  return plate.intersects(picture) && !picture.contains(plate);
}

QRectF titlePlate(const QFont& font, const QRectF& bounds, const QString& title) {
  if (title.isEmpty()) return {};
  const QFont bold = titleFont(font);
  const QFontMetricsF metrics(bold);
  const double width = metrics.horizontalAdvance(shownTitle(bold, bounds, title));
  return {bounds.topLeft() + QPointF(kMargin, kMargin),
          QSizeF(width + 2 * kMargin, metrics.height() + 6)};
}

QRectF drawTitle(QPainter& painter, const QRectF& bounds, const QString& title,
                 const QRectF& picture) {
  if (title.isEmpty()) return {};
  painter.save();
  painter.setFont(titleFont(painter.font()));
  QRectF room = bounds, plate = titlePlate(painter.font(), room, title);
  const QRectF seen = picture & bounds;
  if (crosses(plate, seen) && seen.width() >= kNarrowest) {
    room = seen;
    plate = titlePlate(painter.font(), room, title);
  }
  drawPlate(painter, plate);
  painter.drawText(plate, Qt::AlignCenter, shownTitle(painter.font(), room, title));
  painter.restore();
  return plate;
}

void drawHint(QPainter& painter, const QRectF& bounds, const QString& hint, const QRectF& picture) {
  const QString words = unbroken(hint);
  const QFontMetricsF metrics(painter.font());
  const auto textIn = [&](const QRectF& room) {
    QRectF text = metrics.boundingRect(QRectF(0, 0, room.width() - 4 * kMargin, bounds.height()),
                                       Qt::AlignHCenter | Qt::TextWordWrap, words);
    text.moveCenter({room.center().x(), 0});
    text.moveBottom(room.bottom() - 3 * kMargin - metrics.height());
    return text;
  };
  const auto plateOf = [](const QRectF& text) {
    return text.adjusted(-kMargin, -kMargin / 2, kMargin, kMargin / 2);
  };
  QRectF text = textIn(bounds);
  const QRectF seen = picture & bounds;
  if (crosses(plateOf(text), seen)) {
    const QRectF inside = textIn(seen);
    if (seen.contains(plateOf(inside))) text = inside;
  }
  painter.save();
  drawPlate(painter, plateOf(text));
  painter.drawText(text.adjusted(-1, 0, 1, 0), Qt::AlignHCenter | Qt::TextWordWrap, words);
  painter.restore();
}

void drawNotice(QPainter& painter, const QRectF& bounds, const QString& notice,
                const QString& explanation, const QRectF& picture) {
  const QString large = unbroken(notice), small = unbroken(explanation);
  Notice made(painter.font(), bounds, large, small);
  const QRectF seen = picture & bounds;
  if (crosses(made.plate(), seen)) {
    const Notice inside(painter.font(), seen, large, small);
    if (inside.isWithin(seen)) made = inside;
  }
  painter.save();
  drawPlate(painter, made.plate());
  painter.setFont(made.largeFont);
  painter.drawText(made.above.adjusted(-1, 0, 1, 0), Notice::kFlags, large);
  painter.setFont(made.smallFont);
  painter.drawText(made.below.adjusted(-1, 0, 1, 0), Notice::kFlags, small);
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

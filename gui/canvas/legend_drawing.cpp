// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/legend_drawing.h"

#include <QFontMetricsF>
#include <QLinearGradient>
#include <algorithm>
#include <cstddef>

#include "gui/canvas/colour_scale.h"

namespace mpm::gui {
namespace {

constexpr double kGap = 6, kBetween = 14, kScaleWidth = 90, kMargin = 8;
const QColor kGround(0, 0, 0, 165);

double widthOf(const LegendItem& item, const QFontMetricsF& metrics) {
  const double words = metrics.horizontalAdvance(item.words);
  switch (item.mark) {
    case LegendItem::Mark::none:
      return words;
    case LegendItem::Mark::valueScale:
      return words + kScaleWidth + 2 * kGap + metrics.horizontalAdvance(item.atEnd);
    default:
      return words + metrics.ascent() + kGap;
  }
}

void drawItem(QPainter& painter, QPointF at, const LegendItem& item, const QFontMetricsF& metrics) {
  double x = at.x();
  const auto write = [&](const QString& words) {
    painter.setPen(Qt::white);
    painter.drawText(QPointF(x, at.y() + metrics.ascent()), words);
    x += metrics.horizontalAdvance(words) + kGap;
  };
  const double side = metrics.ascent();
  if (item.mark == LegendItem::Mark::none || item.mark == LegendItem::Mark::valueScale) {
    write(item.words);
  }
  if (item.mark == LegendItem::Mark::none) return;
  const QRectF box(x, at.y() + (metrics.height() - side) / 2,
                   item.mark == LegendItem::Mark::valueScale ? kScaleWidth : side, side);
  painter.setPen(QPen(QColor(255, 255, 255, 120), 1));
  if (item.mark == LegendItem::Mark::valueScale) {
    QLinearGradient gradient(box.topLeft(), box.topRight());
    for (int i = 0; i <= 16; ++i) gradient.setColorAt(i / 16.0, colourAt(valueScale(), i / 16.0));
    painter.setBrush(gradient);
  } else {
    painter.setBrush(QColor::fromRgb(item.colour));
  }
  painter.drawRect(box);
  if (item.mark == LegendItem::Mark::hatched) {
    painter.fillRect(box, QBrush(QColor(32, 32, 32), Qt::BDiagPattern));
  }
  x += box.width() + kGap;
  write(item.mark == LegendItem::Mark::valueScale ? item.atEnd : item.words);
}

}  // namespace

void drawLegend(QPainter& painter, const QRectF& bounds, const std::vector<LegendItem>& items) {
  if (items.empty()) return;
  const QFontMetricsF metrics(painter.font());
  const double most = bounds.width() - 4 * kMargin, step = metrics.height() + 4;
  std::vector<QPointF> places;
  double x = 0, y = 0, widest = 0;
  for (const LegendItem& item : items) {
    const double width = widthOf(item, metrics);
    if (width > most) return;
    if (x > 0 && x + width > most) {
      x = 0;
      y += step;
    }
    places.emplace_back(x, y);
    widest = std::max(widest, x + width);
    x += width + kBetween;
  }
  const QSizeF size(widest + 2 * kMargin, y + metrics.height() + kMargin);
  if (size.height() > bounds.height() / 3) return;
  const QPointF corner(bounds.left() + kMargin, bounds.bottom() - kMargin - size.height());
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(kGround);
  painter.drawRoundedRect(QRectF(corner, size), 4, 4);
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (std::size_t i = 0; i < items.size(); ++i) {
    drawItem(painter, corner + QPointF(kMargin, kMargin / 2) + places[i], items[i], metrics);
  }
  painter.restore();
}

}  // namespace mpm::gui

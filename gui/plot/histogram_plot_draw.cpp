// SPDX-License-Identifier: Apache-2.0
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "gui/plot/colours.h"
#include "gui/plot/draw_axes.h"
#include "gui/plot/histogram_plot.h"

namespace mpm::gui {

HistogramPlot::Layout HistogramPlot::layout(QSize size, const QFontMetrics& metrics) const {
  Layout at;
  for (const monitor::LightState state : monitor::kAllLightStates)
    for (const Panel& panel : panels_)
      if (std::any_of(panel.shapes.begin(), panel.shapes.end(),
                      [state](const auto& shape) { return shape.light == state; })) {
        at.rows.push_back(state);
        break;
      }
  if (at.rows.empty()) return at;
  int names = 0;
  for (const monitor::LightState state : at.rows)
    names = std::max(names, metrics.horizontalAdvance(lightTitle(state)));
  const int above = metrics.height() + kAxisGap;
  const int below = 2 * metrics.height() + 2 * kAxisGap;  // the axis, and what is what
  const int left = names + 2 * kAxisGap;
  at.rowHeight = std::max(4, (size.height() - above - below) / static_cast<int>(at.rows.size()));
  const int height = at.rowHeight * static_cast<int>(at.rows.size());
  at.names = QRect(kAxisGap, above, names, height);
  const int gap = 4 * kAxisGap;
  const int count = static_cast<int>(panels_.size());
  const int wide = std::max(10, (size.width() - left - gap * (count - 1) - 3 * kAxisGap) / count);
  for (int i = 0; i < count; ++i)
    at.panels.emplace_back(left + i * (wide + gap), above, wide, height);
  return at;
}

void HistogramPlot::draw(QPainter& painter, QSize size) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  const Layout at = layout(size, metrics);
  if (at.rows.empty()) {
    drawSentence(painter, QRect({0, 0}, size), summary(), palette());
    return;
  }
  drawNames(painter, at);
  for (std::size_t i = 0; i < panels_.size(); ++i) drawPanel(painter, panels_[i], at.panels[i], at);
  painter.setPen(quietTextColour(palette()));
  const QRect caption(kAxisGap, size.height() - metrics.height() - 2, size.width() - 2 * kAxisGap,
                      metrics.height());
  painter.drawText(caption, Qt::AlignRight | Qt::AlignVCenter,
                   metrics.elidedText(tr("Bar: 5% to 95% of values. Mark: median."), Qt::ElideRight,
                                      caption.width()));
}

void HistogramPlot::drawNames(QPainter& painter, const Layout& at) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  if (at.rowHeight < metrics.ascent()) return;
  painter.setPen(palette().color(QPalette::Text));
  for (std::size_t row = 0; row < at.rows.size(); ++row)
    painter.drawText(QRect(at.names.left(), at.rowTop(row), at.names.width() + 1, at.rowHeight),
                     Qt::AlignRight | Qt::AlignVCenter, lightTitle(at.rows[row]));
}

void HistogramPlot::drawPanel(QPainter& painter, const Panel& panel, const QRect& place,
                              const Layout& at) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  const QString title =
      panel.unit.isEmpty() ? panel.title : tr("%1 [%2]").arg(panel.title, panel.unit);
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(place.left(), kAxisGap / 2 + metrics.ascent(),
                   metrics.elidedText(title, Qt::ElideRight, place.width()));
  double low = INFINITY, high = -INFINITY;
  for (const DistributionShape& shape : panel.shapes) {
    low =
        std::min({low, shape.low, shape.outline.empty() ? shape.low : shape.outline.front().value});
    high = std::max(
        {high, shape.high, shape.outline.empty() ? shape.high : shape.outline.back().value});
  }
  if (panel.shapes.empty()) {
    drawSentence(painter, place, tr("Nothing measured yet."), palette());
    return;
  }
  const ValueAxis axis = axisAround(low, high, ticksAlong(place.width(), metrics));
  drawValuesAlong(painter, place, axis, palette(), locale());
  for (std::size_t row = 0; row < at.rows.size(); ++row)
    for (const DistributionShape& shape : panel.shapes)
      if (shape.light == at.rows[row])
        drawShape(painter, shape, axis,
                  QRect(place.left(), at.rowTop(row), place.width(), at.rowHeight), at.rowHeight);
}

void HistogramPlot::drawShape(QPainter& painter, const DistributionShape& shape,
                              const ValueAxis& axis, const QRect& place, int height) const {
  const auto xOf = [&](double value) { return place.left() + axis.share(value) * place.width(); };
  const double middle = place.top() + height / 2.0, half = height * 0.42;
  const QColor colour = strongLightColour(shape.light, palette());
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  QPolygonF outline;
  for (const auto& point : shape.outline)
    outline.append({xOf(point.value), middle - half * point.density});
  for (auto point = shape.outline.rbegin(); point != shape.outline.rend(); ++point)
    outline.append({xOf(point->value), middle + half * point->density});
  painter.setPen(QPen(mixed(colour, palette().color(QPalette::Text), 0.4), 1));
  painter.setBrush(colour);
  if (!outline.isEmpty()) painter.drawPolygon(outline);
  const QBrush pattern = lightPattern(shape.light, palette());
  if (pattern.style() != Qt::NoBrush && !outline.isEmpty()) {
    painter.setBrush(pattern);
    painter.drawPolygon(outline);
  }
  const QColor ink = palette().color(QPalette::Text);
  painter.setPen(QPen(ink, std::clamp(height / 8.0, 2.0, 6.0), Qt::SolidLine, Qt::FlatCap));
  painter.drawLine(QPointF(xOf(shape.low), middle), QPointF(xOf(shape.high), middle));
  const double mark = std::clamp(height * 0.3, 3.0, 14.0);
  painter.setPen(QPen(palette().color(QPalette::Base), 5, Qt::SolidLine, Qt::FlatCap));
  painter.drawLine(QPointF(xOf(shape.median), middle - mark - 1),
                   QPointF(xOf(shape.median), middle + mark + 1));
  painter.setPen(QPen(ink, 3, Qt::SolidLine, Qt::FlatCap));
  painter.drawLine(QPointF(xOf(shape.median), middle - mark),
                   QPointF(xOf(shape.median), middle + mark));
  painter.restore();
}

}  // namespace mpm::gui

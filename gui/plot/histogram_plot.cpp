// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/histogram_plot.h"

#include <QLocale>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "gui/plot/colours.h"

namespace mpm::gui {
namespace {

constexpr int kShares = 200;  // quantiles that stand for all values
constexpr int kOutlinePoints = 64;

/// Applies Silverman's rule, with the smaller of two deviations' estimates that resist long tails.
double bandwidth(const std::vector<double>& quantiles, std::uint64_t count) {
  const std::size_t n = quantiles.size();
  const double middle = quantiles[n * 3 / 4] - quantiles[n / 4];
  const double wide = quantiles[n * 39 / 40] - quantiles[n / 40];
  // Half of a normal distribution lies within 1.349 deviations, 95% within 3.92.
  const double deviation = std::max(middle / 1.349, wide / 3.92 / 2);
  const double values = static_cast<double>(std::min<std::uint64_t>(count, 10000));
  return 0.9 * deviation * std::pow(values, -0.2);
}

}  // namespace

HistogramPlot::HistogramPlot(QWidget* parent) : Plot({640, 280}, {240, 140}, parent) {
  setAccessibleName(tr("Distributions by light"));
  changed();
}

void HistogramPlot::setPanels(std::vector<Panel> panels, monitor::Resolution resolution) {
  panels_ = std::move(panels);
  resolution_ = resolution;
  for (Panel& panel : panels_)
    std::sort(panel.shapes.begin(), panel.shapes.end(),
              [](const auto& one, const auto& other) { return one.light < other.light; });
  changed();
}

QString HistogramPlot::sentenceOf(const Panel& panel, const DistributionShape& shape) const {
  return tr("%1, %2: median %3, 5% to 95% of values from %4 to %5")
      .arg(panel.title, lightTitle(shape.light), valueText(shape.median, panel.unit, locale()),
           valueText(shape.low, panel.unit, locale()), valueText(shape.high, panel.unit, locale()));
}

QString HistogramPlot::summary() const {
  QStringList parts;
  for (const Panel& panel : panels_)
    for (const DistributionShape& shape : panel.shapes)
      parts.append(tr("%1, %2: %3")
                       .arg(panel.title, lightTitle(shape.light),
                            valueText(shape.median, panel.unit, locale())));
  if (parts.isEmpty()) return tr("Nothing has been measured yet in any light.");
  return tr("Medians: %1.").arg(parts.join(tr("; ")));
}

PlotTable::Contents HistogramPlot::contents() const {
  std::vector<PlotTable::Row> rows;
  for (std::size_t i = 0; i < panels_.size(); ++i)
    for (const DistributionShape& shape : panels_[i].shapes) {
      const auto number = [&](double value) {
        return PlotTable::Cell{valueText(value, panels_[i].unit, locale()), value};
      };
      const auto count = static_cast<qulonglong>(shape.count);
      rows.push_back({{static_cast<qint64>(i), static_cast<qint64>(shape.light)},
                      {{panels_[i].title, panels_[i].key},
                       {lightTitle(shape.light), QString::fromUtf8(monitor::nameOf(shape.light))},
                       {locale().toString(count), count},
                       number(shape.low),
                       number(shape.median),
                       number(shape.high)}});
    }
  return PlotTable::contentsOf({{tr("Metric"), "metric"},
                                {tr("Light"), "light"},
                                {tr("Values"), "count"},
                                {tr("5%"), "q05"},
                                {tr("Median"), "median"},
                                {tr("95%"), "q95"}},
                               std::move(rows));
}

QString HistogramPlot::hintAt(QPoint pointer) const {
  const Layout at = layout();
  for (std::size_t i = 0; i < at.panels.size(); ++i)
    for (const DistributionShape& shape : panels_[i].shapes) {
      const auto row = std::find(at.rows.begin(), at.rows.end(), shape.light) - at.rows.begin();
      const QRect place(at.panels[i].left(), at.rowTop(static_cast<std::size_t>(row)),
                        at.panels[i].width(), at.rowHeight);
      if (place.contains(pointer)) return sentenceOf(panels_[i], shape);
    }
  return {};
}

HistogramPlot::Layout HistogramPlot::layout() const {
  const QFontMetrics metrics(font(), this);
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
  const int left = names + 2 * kAxisGap;
  // The caption takes two lines if one is too short, unless the rows need them.
  const auto rowHeight = [&](int captionLines) {
    const int below = (1 + captionLines) * metrics.height() + 2 * kAxisGap;  // an axis first
    return (height() - above - below) / static_cast<int>(at.rows.size());
  };
  const bool isLong = metrics.horizontalAdvance(caption()) > width() - 2 * kAxisGap;
  at.captionLines = isLong && rowHeight(2) >= metrics.height() ? 2 : 1;
  at.rowHeight = std::max(4, rowHeight(at.captionLines));
  const int tall = at.rowHeight * static_cast<int>(at.rows.size());
  at.names = QRect(kAxisGap, above, names, tall);
  const int gap = 4 * kAxisGap;
  const int count = static_cast<int>(panels_.size());
  const int wide = std::max(10, (width() - left - gap * (count - 1) - 3 * kAxisGap) / count);
  for (int i = 0; i < count; ++i)
    at.panels.emplace_back(left + i * (wide + gap), above, wide, tall);
  return at;
}

void HistogramPlot::draw(QPainter& painter) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  const Layout at = layout();
  if (at.rows.empty()) {
    drawSentence(painter, rect(), summary(), palette());
    return;
  }
  drawNames(painter, at);
  for (std::size_t i = 0; i < panels_.size(); ++i) drawPanel(painter, panels_[i], at.panels[i], at);
  painter.setPen(quietTextColour(palette()));
  const int high = at.captionLines * metrics.height();
  const QRect place(kAxisGap, height() - high - 2, width() - 2 * kAxisGap, high);
  const QString words = at.captionLines > 1
                            ? caption()
                            : metrics.elidedText(caption(), Qt::ElideRight, place.width());
  painter.drawText(place, Qt::AlignRight | Qt::AlignBottom | Qt::TextWordWrap, words);
}

QString HistogramPlot::caption() const {
  switch (resolution_) {
    case monitor::Resolution::second:
      return tr("One-second means. Bar: 5% to 95% of them. Mark: median.");
    case monitor::Resolution::minute:
      return tr("One-minute means. Bar: 5% to 95% of them. Mark: median.");
    default:
      return tr("One-hour means. Bar: 5% to 95% of them. Mark: median.");
  }
}

void HistogramPlot::drawNames(QPainter& painter, const Layout& at) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  if (at.rowHeight < metrics.height() - 1) return;  // they would touch
  painter.setPen(palette().color(QPalette::Text));
  for (std::size_t row = 0; row < at.rows.size(); ++row)
    painter.drawText(QRect(at.names.left(), at.rowTop(row), at.names.width() + 1, at.rowHeight),
                     Qt::AlignRight | Qt::AlignVCenter, lightTitle(at.rows[row]));
}

void HistogramPlot::drawPanel(QPainter& painter, const Panel& panel, const QRect& place,
                              const Layout& at) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  const QString whole =
      panel.unit.isEmpty() ? panel.title : tr("%1 [%2]").arg(panel.title, panel.unit);
  // The unit is left out unless it fits.
  const bool fits = metrics.horizontalAdvance(whole) <= place.width();
  const QString& title = fits ? whole : panel.title;
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

std::optional<DistributionShape> shapeOf(monitor::LightState light, std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const double last = static_cast<double>(values.size() - 1);
  const auto quantile = [&](double share) {
    return values[static_cast<std::size_t>(std::lround(share * last))];
  };
  DistributionShape made{light, values.size(), quantile(0.05), quantile(0.5), quantile(0.95), {}};
  const double from = quantile(0.005), to = quantile(0.995);
  if (values.size() < kFewValues || to <= from) return made;
  std::vector<double> quantiles;
  for (int i = 0; i < kShares; ++i) quantiles.push_back(quantile((i + 0.5) / kShares));
  const double width = bandwidth(quantiles, values.size());
  if (width <= 0) return made;
  double most = 0;
  for (int i = 0; i < kOutlinePoints; ++i) {
    DistributionShape::Point point;
    point.value = from + (to - from) * i / (kOutlinePoints - 1);
    for (const double value : quantiles) {
      const double away = (point.value - value) / width;
      point.density += std::exp(-0.5 * away * away);
    }
    most = std::max(most, point.density);
    made.outline.push_back(point);
  }
  for (DistributionShape::Point& point : made.outline) point.density /= most;
  return made;
}

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/histogram_plot.h"

#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>

#include "gui/plot/colours.h"
#include "gui/plot/csv_writer.h"

namespace mpm::gui {

HistogramPlot::HistogramPlot(QWidget* parent) : Plot(parent) {
  setAccessibleName(tr("Distributions by light"));
  changed();
}

void HistogramPlot::setPanels(std::vector<Panel> panels) {
  panels_ = std::move(panels);
  for (Panel& panel : panels_)
    std::sort(panel.shapes.begin(), panel.shapes.end(),
              [](const auto& one, const auto& other) { return one.light < other.light; });
  changed();
}

QSize HistogramPlot::sizeHint() const { return {640, 280}; }
QSize HistogramPlot::minimumSizeHint() const { return {240, 140}; }

QString HistogramPlot::valueText(double value, const QString& unit) const {
  const QString number = locale().toString(value, 'f', decimalsFor(value));
  return unit.isEmpty() ? number : tr("%1 %2", "a value and its unit").arg(number, unit);
}

QString HistogramPlot::sentenceOf(const Panel& panel, const DistributionShape& shape) const {
  return tr("%1, %2: median %3, 5% to 95% of values from %4 to %5")
      .arg(panel.title, lightTitle(shape.light), valueText(shape.median, panel.unit),
           valueText(shape.low, panel.unit), valueText(shape.high, panel.unit));
}

QString HistogramPlot::summary() const {
  QStringList parts;
  for (const Panel& panel : panels_)
    for (const DistributionShape& shape : panel.shapes)
      parts.append(
          tr("%1, %2: %3")
              .arg(panel.title, lightTitle(shape.light), valueText(shape.median, panel.unit)));
  if (parts.isEmpty()) return tr("Nothing has been measured yet in any light.");
  return tr("Medians: %1.").arg(parts.join(tr("; ")));
}

PlotTable::Contents HistogramPlot::contents() const {
  PlotTable::Contents made;
  made.headers << tr("Figure") << tr("Light") << tr("Values") << tr("5%") << tr("Median")
               << tr("95%");
  std::vector<std::vector<PlotTable::Cell>> cells;
  for (std::size_t i = 0; i < panels_.size(); ++i)
    for (const DistributionShape& shape : panels_[i].shapes) {
      made.rows.emplace_back(static_cast<qint64>(i), static_cast<qint64>(shape.light));
      const auto number = [&](double value) {
        return PlotTable::Cell{valueText(value, panels_[i].unit), value};
      };
      const auto count = static_cast<qulonglong>(shape.count);
      cells.push_back({{panels_[i].title, {}},
                       {lightTitle(shape.light), {}},
                       {locale().toString(count), count},
                       number(shape.low),
                       number(shape.median),
                       number(shape.high)});
    }
  made.cell = [cells = std::move(cells)](int row, int column) {
    return cells[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  };
  return made;
}

bool HistogramPlot::exportCsv(QIODevice& device) const {
  CsvWriter csv(device);
  for (const char* header : {"metric", "light", "count", "q05", "median", "q95"})
    csv.cell(QString(header));
  csv.endLine();
  for (const Panel& panel : panels_)
    for (const DistributionShape& shape : panel.shapes) {
      const std::string_view light = monitor::nameOf(shape.light);
      csv.cell(panel.key)
          .cell(QString::fromLatin1(light.data(), static_cast<qsizetype>(light.size())))
          .cell(static_cast<std::int64_t>(shape.count))
          .cell(shape.low)
          .cell(shape.median)
          .cell(shape.high);
      csv.endLine();
    }
  return csv.finish();
}

bool HistogramPlot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Plot::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const Layout at = layout(size(), QFontMetrics(font(), this));
  for (std::size_t i = 0; i < at.panels.size(); ++i)
    for (const DistributionShape& shape : panels_[i].shapes) {
      const auto row = std::find(at.rows.begin(), at.rows.end(), shape.light) - at.rows.begin();
      const QRect place(at.panels[i].left(), at.rowTop(static_cast<std::size_t>(row)),
                        at.panels[i].width(), at.rowHeight);
      if (!place.contains(help->pos())) continue;
      QToolTip::showText(help->globalPos(), sentenceOf(panels_[i], shape), this, place);
      return true;
    }
  QToolTip::hideText();
  event->ignore();
  return true;
}

}  // namespace mpm::gui

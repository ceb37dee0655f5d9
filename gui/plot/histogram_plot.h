// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gui/plot/distribution_shape.h"
#include "gui/plot/plot.h"
#include "gui/plot/value_axis.h"

namespace mpm::gui {

/// Distributions by light state, figures side by side: a row for each state that was seen, with the
/// outline of its values, a bar from 5% to 95%, and a mark at the median.
class HistogramPlot : public Plot {
  Q_OBJECT

 public:
  struct Panel {
    QString title, unit;                    ///< "Live rows", "rows"; the unit may be empty
    QString key;                            ///< in CSV: the metric's name
    std::vector<DistributionShape> shapes;  ///< one for each light state at most
  };

  explicit HistogramPlot(QWidget* parent = nullptr);

  void setPanels(std::vector<Panel> panels);

  bool exportCsv(QIODevice& device) const override;
  QString summary() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void draw(QPainter& painter, QSize size) const override;
  PlotTable::Contents contents() const override;
  bool event(QEvent* event) override;

 private:
  struct Layout {
    QRect names;                // left of the first panel
    std::vector<QRect> panels;  // what each draws into
    std::vector<monitor::LightState> rows;
    int rowHeight = 1;
    int rowTop(std::size_t row) const { return names.top() + static_cast<int>(row) * rowHeight; }
  };
  Layout layout(QSize size, const QFontMetrics& metrics) const;
  void drawNames(QPainter& painter, const Layout& at) const;
  void drawPanel(QPainter& painter, const Panel& panel, const QRect& place, const Layout& at) const;
  void drawShape(QPainter& painter, const DistributionShape& shape, const ValueAxis& axis,
                 const QRect& place, int height) const;
  QString sentenceOf(const Panel& panel, const DistributionShape& shape) const;
  QString valueText(double value, const QString& unit) const;

  std::vector<Panel> panels_;
};

}  // namespace mpm::gui

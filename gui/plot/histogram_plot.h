// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/plot/axes.h"
#include "gui/plot/plot.h"
#include "monitor/light/light_state.h"
#include "monitor/statistics/statistics.h"

namespace mpm::gui {

/// Shape of many values in one light state. Plain data, which any thread may create.
struct DistributionShape {
  struct Point {
    double value = 0;
    double density = 0;  ///< 1 at the highest
  };
  monitor::LightState light = monitor::LightState::transition;
  std::uint64_t count = 0;
  double low = 0, median = 0, high = 0;  ///< 5%, 50% and 95% of the values do not exceed it
  /// Outline from 0.5% to 99.5% of the values, rising; empty if there are fewer than kFewValues, or
  /// all are the same.
  std::vector<Point> outline;
};

constexpr std::uint64_t kFewValues = 8;

/// Returns std::nullopt without values. Values that are not finite do not count.
std::optional<DistributionShape> shapeOf(monitor::LightState light, std::vector<double> values);

/// Shows distributions by light state, metrics side by side: a row for each state that occurred,
/// with the outline of its values, a bar from 5% to 95%, and a mark at the median.
class HistogramPlot : public Plot {
  Q_OBJECT

 public:
  struct Panel {
    QString title, unit;                    ///< "Live tokens", "tokens"; the unit may be empty
    QString key;                            ///< in CSV: the metric's name
    std::vector<DistributionShape> shapes;  ///< one for each light state at most
  };

  explicit HistogramPlot(QWidget* parent = nullptr);

  /// `resolution` is the length over which the values are means.
  void setPanels(std::vector<Panel> panels, monitor::Resolution resolution);

  QString summary() const override;

 protected:
  void draw(QPainter& painter) const override;
  PlotTable::Contents contents() const override;
  QString hintAt(QPoint pointer) const override;

 private:
  struct Layout {
    QRect names;                // left of the first panel
    std::vector<QRect> panels;  // what each draws into
    std::vector<monitor::LightState> rows;
    int rowHeight = 1, captionLines = 1;
    int rowTop(std::size_t row) const { return names.top() + static_cast<int>(row) * rowHeight; }
  };
  Layout layout() const;
  void drawNames(QPainter& painter, const Layout& at) const;
  void drawPanel(QPainter& painter, const Panel& panel, const QRect& place, const Layout& at) const;
  void drawShape(QPainter& painter, const DistributionShape& shape, const ValueAxis& axis,
                 const QRect& place, int height) const;
  QString sentenceOf(const Panel& panel, const DistributionShape& shape) const;

  QString caption() const;

  std::vector<Panel> panels_;
  monitor::Resolution resolution_ = monitor::Resolution::second;
};

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/plot/axes.h"
#include "gui/plot/plot.h"

namespace mpm::gui {

struct ParetoPoint {
  QString label;         ///< the schedule: "3,7"; unique
  double ms = 0;         ///< of a frame
  double agreement = 0;  ///< percent of pixels that are labelled as unmerged
  bool onFront = false;
  bool pick = false;
  bool full = false;  ///< unmerged
};

/// Shows the cost and the agreement of schedules. The pointer, or arrow keys, name one; a click, or
/// Enter, chooses it.
class ParetoPlot : public Plot {
  Q_OBJECT

 public:
  explicit ParetoPlot(QWidget* parent = nullptr);

  /// Sets the points; those that are not finite are left out.
  void setPoints(std::vector<ParetoPoint> points);
  void setRunning(
      const QString& label);  ///< which schedule is set: it is marked, where it is shown

  QString summary() const override;

 signals:
  void scheduleChosen(const QString& label);

 protected:
  void draw(QPainter& painter) const override;
  void drawOver(QPainter& painter) const override;
  PlotTable::Contents contents() const override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Layout {
    QRect plot;
    ValueAxis ms, agreement;
    QPointF at(const ParetoPoint& point) const;
  };
  Layout layout() const;
  void drawFront(QPainter& painter, const Layout& at) const;
  void drawPoints(QPainter& painter, const Layout& at) const;
  void drawNames(QPainter& painter, const Layout& at) const;
  std::optional<std::size_t> pointAt(QPoint place) const;
  void name(std::optional<std::size_t> point);
  QString nameOf(const ParetoPoint& point) const;
  QString sentenceOf(const ParetoPoint& point) const;

  std::vector<ParetoPoint> points_;  // the fastest first
  QString running_;
  std::optional<std::size_t> named_;
};

}  // namespace mpm::gui

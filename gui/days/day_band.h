// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "gui/days/day_grid.h"
#include "gui/plot/plot.h"

namespace mpm::gui {

/// Days above each other, the newest on top, each a band of 24 hours whose colour is a metric.
///
/// The pointer tells what lies under it, a click chooses it. Keys: arrows move from part to part
/// and from day to day, Home and End to the first and last part of a day; Enter and Space choose.
class DayBand : public Plot {
  Q_OBJECT

 public:
  /// Where something is shown already: a frame around its part of the day.
  struct Mark {
    std::optional<std::int64_t> utcMs;
    QString letter;
  };

  explicit DayBand(QWidget* parent = nullptr);

  /// `metric`: its title; `unit` may be empty. It is as high as its days need from then on.
  void setGrid(DayGrid grid, const QString& metric, const QString& unit);
  const DayGrid& grid() const { return grid_; }
  void setMarks(std::array<Mark, 2> marks);
  /// What is told of the part that the cursor or the pointer is at; empty: nothing.
  QString told() const { return told_; }
  QPoint pointOf(int day, int part) const;  ///< the middle of a part, in this widget

  QString summary() const override;

 signals:
  void pointed(const QString& words);
  void chosen(std::int64_t utcMs);  ///< the middle of a part

 protected:
  void draw(QPainter& painter, QSize size) const override;
  void drawOver(QPainter& painter) const override;
  Contents contents() const override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  using Place = QPoint;  // part, day
  QRectF bandIn(QSize size) const;
  QRectF cellIn(const QRectF& band, Place place) const;
  std::optional<Place> placeAt(QPointF point) const;
  QString words(Place place) const;
  QString valueText(double value) const;
  void point(std::optional<Place> place);
  void choose(Place place);
  double shareOf(double value) const;  // of the colour scale
  void drawAxes(QPainter& painter, const QRectF& band) const;
  std::optional<Place> placeOf(const Mark& mark) const;
  void drawFrame(QPainter& painter, Place place, const QColor& colour) const;
  void drawMark(QPainter& painter, Place place, const QString& letters) const;

  DayGrid grid_;
  QString metric_, unit_, told_;
  double least_ = 0, most_ = 1;
  std::array<Mark, 2> marks_;
  std::optional<Place> cursor_;
};

}  // namespace mpm::gui

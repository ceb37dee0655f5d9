// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDate>
#include <QString>
#include <QStringList>
#include <QTime>
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/plot/plot.h"
#include "monitor/light/light_state.h"

namespace mpm::gui {

/// A metric over days: a row for each day, from midnight to midnight in local time, in parts of
/// equal length. A skipped hour has no values, a repeated one holds both.
struct DayGrid {
  struct Cell {
    double value = 0;
    std::uint64_t frames = 0;                                     ///< 0: nothing is known
    monitor::LightState light = monitor::LightState::transition;  ///< that most of them had
  };

  std::vector<QDate> days;  ///< the newest first, without a gap
  int parts = 0;            ///< of a day
  std::vector<Cell> cells;  ///< days x parts

  int minutes() const { return 24 * 60 / std::max(1, parts); }  ///< of a part
  const Cell& at(int day, int part) const {
    return cells[static_cast<std::size_t>(day * parts + part)];
  }
  std::int64_t utcMsOf(int day, int part) const;  ///< when it begins
  QTime timeOf(int part) const;                   ///< the same by the clock on the wall
};

/// Returns the metrics of a source's newest run that say something over a day. Merging appears as a
/// share, since the meaning of a count depends on the model.
QStringList dayMetrics(const std::string& record, const std::string& source);

/// Reads a source's last `days` days, up to that of `nowUtcMs`, for any model and schedule, without
/// simulated nights. The last day is read to its end: after the clock was set back a part of it is
/// in the future. Shares are in percent. Throws std::runtime_error, one sentence.
DayGrid readDays(const std::string& record, const std::string& source, const QString& metric,
                 int days, std::int64_t nowUtcMs);

/// Shows days above each other, the newest on top, as bands of 24 hours in a metric's colours.
///
/// The pointer shows what is under it, a click chooses it. Keys: arrows move from part to part and
/// from day to day, Home and End to the first and last part of a day; Enter and Space choose.
class DayBand : public Plot {
  Q_OBJECT

 public:
  /// Marks a moment that is shown already: a frame around its part of the day.
  struct Mark {
    std::optional<std::int64_t> utcMs;
    QString letter;
  };

  explicit DayBand(QWidget* parent = nullptr);

  /// `metric`: its title; `unit` may be empty. The widget's height then follows from the days.
  void setGrid(DayGrid grid, const QString& metric, const QString& unit);
  const DayGrid& grid() const { return grid_; }
  void setMarks(std::array<Mark, 2> marks);
  /// Returns what is shown about the part under the cursor or pointer; empty if nothing.
  QString told() const { return told_; }
  QPoint pointOf(int day, int part) const;  ///< the middle of a part, in this widget

  QString summary() const override;

 signals:
  void pointed(const QString& words);
  void chosen(std::int64_t utcMs);  ///< the middle of a part

 protected:
  void draw(QPainter& painter) const override;
  void drawOver(QPainter& painter) const override;
  Contents contents() const override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  using Place = QPoint;  // part, day
  QRectF bandIn() const;
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

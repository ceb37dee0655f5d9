// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointer>
#include <QTimeZone>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gui/plot/axes.h"
#include "gui/plot/plot.h"
#include "gui/plot/series.h"

class QToolButton;

namespace mpm::gui {

/// The visible stretch of time: live (its end is the moving present) or held. It knows the limits.
class TimeWindow {
 public:
  static constexpr std::int64_t kShortestMs = 10'000;
  static constexpr std::int64_t kLongestMs = 2 * 366 * std::int64_t{86'400'000};

  std::int64_t from() const { return to_ - span_; }
  std::int64_t to() const { return to_; }
  std::int64_t span() const { return span_; }
  bool live() const { return live_; }

  /// Sets the time and the data's beginning. A live window moves along; returns whether it moved.
  bool follow(std::int64_t nowUtcMs, std::int64_t oldestUtcMs) {
    now_ = nowUtcMs;
    oldest_ = std::min(oldestUtcMs, nowUtcMs);
    if (!live_ || to_ == now_) return false;
    to_ = now_;
    return true;
  }

  /// Keeps the end.
  void setSpan(std::int64_t spanMs) { span_ = std::clamp(spanMs, kShortestMs, kLongestMs); }
  /// Holds the window.
  void setRange(std::int64_t fromUtcMs, std::int64_t toUtcMs) {
    live_ = false;
    setSpan(toUtcMs - fromUtcMs);
    to_ = toUtcMs;
  }

  void goLive() {
    live_ = true;
    to_ = now_;
  }

  void goToOldest() {
    to_ = oldest_ + span_;
    live_ = to_ >= now_;
    keepWithin();
  }

  /// Scales the span by `factor`; `anchorUtcMs` keeps its place in the window.
  void zoom(double factor, std::int64_t anchorUtcMs) {
    if (!std::isfinite(factor) || factor <= 0) return;
    const std::int64_t before = span_;
    const std::int64_t behind = to_ - anchorUtcMs;
    setSpan(static_cast<std::int64_t>(
        std::min(static_cast<double>(span_) * factor, static_cast<double>(kLongestMs))));
    if (span_ == before) return;
    // Uses distances as shares of the span, so that zooming in and out does not drift.
    to_ = anchorUtcMs + static_cast<std::int64_t>(
                            std::llround(static_cast<double>(behind) * static_cast<double>(span_) /
                                         static_cast<double>(before)));
    live_ = to_ >= now_;
    keepWithin();
  }

  /// Moves to later (positive) or earlier. Reaching the present makes it live.
  void pan(std::int64_t byMs) {
    const std::int64_t before = to_;
    to_ += byMs;
    if (to_ != before) live_ = to_ >= now_;
    keepWithin();
  }

 private:
  /// A tenth of the window always shows a time that may have data.
  void keepWithin() {
    if (live_) to_ = now_;
    if (!live_) to_ = std::max(to_, std::min(oldest_ + span_ / 10, now_));
  }

  std::int64_t now_ = 0, oldest_ = 0;
  std::int64_t span_ = 3'600'000, to_ = 0;
  bool live_ = true;
};

/// Plots metrics of one unit over time, on the light of that time: means as lines, in a band from
/// smallest to largest. Missing data stays open; clock adjustments are marked.
///
/// Wheel: zoom around the pointer. Drag: to earlier and later. Double click: back to live. + and -:
/// zoom; Left, Right, Page Up, Page Down: move; Home: the oldest; End: live.
class TimePlot : public Plot {
  Q_OBJECT

 public:
  struct Line {
    QString metric;   ///< as the source knows it
    QString title;    ///< for people
    QColor colour{};  ///< made readable; invalid: one of seriesColour
    bool operator==(const Line&) const = default;
  };
  struct Mark {
    std::int64_t utcMs = 0;
    QString words;  ///< what is other from here on
  };

  explicit TimePlot(QWidget* parent = nullptr);

  /// Not owned; may be null or deleted.
  void setSource(SeriesSource* source);
  /// `unit` appears above the axis and after values: "rows", "ms"; may be empty.
  void setLines(std::vector<Line> lines, const QString& unit);

  void setMarks(std::vector<Mark> marks);  ///< by time
  /// Sets whether data arrives: only then the window's end is called live.
  void setComing(bool coming);
  /// Sets the clock in ms since 1970; initially the system's.
  void setClock(std::function<std::int64_t()> nowUtcMs);

  void setSpan(std::int64_t spanMs);  ///< 10 s to 2 years; keeps live or the window's end
  void goLive();
  /// Centres that moment as far as the time allows, with `words` at it until the plot is live
  /// again.
  void lookAt(std::int64_t utcMs, const QString& words);

  const TimeWindow& timeWindow() const { return window_; }

  QString summary() const override;

 signals:
  void spanChanged(qint64 spanMs);  ///< by whatever

 protected:
  void draw(QPainter& painter) const override;
  void drawOver(QPainter& painter) const override;
  PlotTable::Contents contents() const override;

  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Layout {
    QRect plot;
    ValueAxis axis;
    double ratio = 1;  // columns in a pixel
    TimeScale scale;
  };

  void step();  // time goes by
  void follow();
  void onSourceChanged(qint64 fromUtcMs, qint64 toUtcMs);
  void windowMoved();
  void keepTime();
  std::int64_t stepMs() const;

  QColor colourOf(std::size_t line) const;
  const FetchedSeries* fetched() const;
  Layout layout() const;
  ValueAxis valueAxis(int height, const QFontMetrics& metrics) const;
  Legend legend() const;
  void drawLines(QPainter& painter, const FetchedSeries& series, const Layout& at) const;
  static QString liveWords();
  void drawLive(QPainter& painter, const QRect& plot) const;
  std::vector<Mark> shownMarks(const FetchedSeries& series, const Layout& at) const;
  void drawMarks(QPainter& painter, const std::vector<Mark>& marks, const Layout& at) const;
  std::vector<ReadoutLine> readout(const FetchedSeries& series, const Layout& at, int x) const;
  bool hasPoints(const FetchedSeries& series) const;
  QString emptySentence() const;

  QPointer<SeriesSource> source_;
  std::vector<Line> lines_;
  std::vector<Mark> marks_;
  std::optional<Mark> lookedAt_;
  QString unit_;
  bool coming_ = true;
  QTimeZone zone_ = QTimeZone::systemTimeZone();
  std::function<std::int64_t()> clock_;
  TimeWindow window_;
  QToolButton* back_;  // to live, where the window was moved away from it

  QTimer live_{this}, refetch_{this};
  std::int64_t toldSpanMs_ = 0;
  mutable std::shared_ptr<const FetchedSeries> fetched_;
  mutable bool stale_ = false;
  std::optional<int> pointer_;  // x of the crosshair
  std::optional<int> dragged_;  // x where the window hangs on the pointer
};

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "gui/plot/axes.h"
#include "gui/plot/plot.h"

namespace mpm::gui {

/// One figure readable across a room, with its name above and a note below. Digits are as large as
/// fit, and keep their size while the figure changes. A click, Space or Enter shows its
/// explanation, if any.
class FigureTile : public QWidget {
  Q_OBJECT

 public:
  /// A warning has a sign and a colour; old figures are grey.
  enum class State { plain, old, warning };

  explicit FigureTile(const QString& title, QWidget* parent = nullptr);

  /// `value` has so many decimals; not finite: "–". `unit` may be empty.
  void setValue(double value, int decimals, const QString& unit = {});

  /// Sets the text below: "of 1,025", "since 14:05".
  void setNote(const QString& note);
  State state() const { return state_; }
  void setState(State state);

  /// Sets recent values, drawn next to the figure if there is room, without a scale. They use the
  /// full height only if they span at least `range`.
  void setTrend(std::vector<double> values, double range = 0);
  const std::vector<double>& trend() const { return trend_; }

  /// Sets the rich text that a click shows; a clicked link emits `followed`.
  void setExplanation(const QString& text);

  /// Limits the digits' height in pixels, which neighbours may share; 0: as large as fit.
  void setMostPixels(int pixels);
  /// Reserves lines for a note, which neighbours may share, so that their figures are aligned.
  void setLeastLines(int lines);
  /// Returns the lines that its note needs.
  int noteLines() const { return roomsOf(QFontMetrics(font(), this)).isTwo ? 2 : 1; }
  /// Returns the digits' height that its room allows; 0 without a value.
  int fittingPixels() const;

  /// Returns the figure as shown, with its unit.
  QString figure() const { return value_ ? withUnit(number(), unit_) : number(); }

  const QString& note() const { return note_; }

  QSize sizeHint() const override { return {180, 120}; }
  QSize minimumSizeHint() const override { return {96, 72}; }

 signals:
  void followed(const QString& link);

 protected:
  void paintEvent(QPaintEvent*) override;
  bool event(QEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  static constexpr int kMargin = 8, kLeastForTrend = 110;
  static constexpr double kUnitSize = 0.45;  // of the figure's
  static constexpr double kNarrowest = 0.8;  // of the other words

  void explain();

  struct Rooms {
    QRect inside, figure;
    bool isTwo;  // lines of the note: where one is too short and two are enough
  };

  Rooms roomsOf(const QFontMetrics& metrics) const;

  // Condenses the title a little before cutting it.
  void drawTitle(QPainter& painter, const QRect& inside, const QString& title) const;
  bool hasTrend() const { return trend_.size() > 1 && width() >= kLeastForTrend; }

  // Returns the number with as many digits as it ever had.
  QString widest() const;

  // Draws values from the smallest to the largest; constant ones lie in the middle.
  void drawTrend(QPainter& painter, const QRectF& room) const;

  /// Makes each digit as wide as the widest, so that a figure does not tremble.
  static QString asWide(const QString& text);
  void tell();
  QString number() const;

  // Returns the unit, spaced from the number as the language requires.
  QString behind(const QString& number) const { return withUnit(number, unit_).mid(number.size()); }

  QColor ink() const;
  QFont figureFont(int pixels) const;

  // Returns the height of digits at which `widest` with its unit fits.
  int pixelsOf(const QSizeF& room, const QString& widest) const;

  QString title_, unit_, note_;
  std::vector<double> trend_;
  double trendRange_ = 0;
  std::optional<double> value_;
  int decimals_ = 0;
  qsizetype mostDigits_ = 0;  // of what was shown so far
  int mostPixels_ = 0, leastLines_ = 1;
  State state_ = State::plain;
  Description description_;
};

}  // namespace mpm::gui

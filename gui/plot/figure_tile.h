// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "gui/plot/axes.h"
#include "gui/plot/plot.h"

namespace mpm::gui {

/// One figure that can be read across a room, with its name above and a word on it below. Digits
/// are as large as fit, and do not change their size while the figure changes. Where it has an
/// explanation, a click, Space or Enter shows that.
class FigureTile : public QWidget {
  Q_OBJECT

 public:
  /// A warning is told by a sign and by colour; what is old is grey.
  enum class State { plain, old, warning };

  explicit FigureTile(const QString& title, QWidget* parent = nullptr);

  /// With so many decimals; not finite: "–". `unit` may be empty.
  void setValue(double value, int decimals, const QString& unit = {});

  /// Below: "of 1,025", "since 14:05".
  void setNote(const QString& note);
  State state() const { return state_; }
  void setState(State state);

  /// How it went lately, drawn beside the figure where there is room; without a scale, but as high
  /// as it is only where it goes over `range` at least.
  void setTrend(std::vector<double> values, double range = 0);
  const std::vector<double>& trend() const { return trend_; }

  /// What a click tells, as rich text; a link in it is `followed` when clicked.
  void setExplanation(const QString& text);

  /// How high digits may be, in pixels, which tiles beside it may share; 0: as large as fit.
  void setMostPixels(int pixels);
  /// Room for so many lines of a note, which tiles beside it may share, so that their figures are
  /// in one line.
  void setLeastLines(int lines);
  /// Of its own note.
  int noteLines() const { return roomsOf(QFontMetrics(font(), this)).isTwo ? 2 : 1; }
  /// How high they would be by its own room; 0 while there is no value.
  int fittingPixels() const;

  /// As shown, with its unit.
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

  // A little narrower before it is cut.
  void drawTitle(QPainter& painter, const QRect& inside, const QString& title) const;
  bool hasTrend() const { return trend_.size() > 1 && width() >= kLeastForTrend; }

  // The number, with as many digits as it had at most.
  QString widest() const;

  // From its least to its most; one that stays the same lies in the middle.
  void drawTrend(QPainter& painter, const QRectF& room) const;

  /// Any digit as wide as the widest, so that a figure does not tremble.
  static QString asWide(const QString& text);
  void tell();
  QString number() const;

  // The unit, as far from the number as the language has it.
  QString behind(const QString& number) const { return withUnit(number, unit_).mid(number.size()); }

  QColor ink() const;
  QFont figureFont(int pixels) const;

  // How high digits are so that `widest` with its unit fits.
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

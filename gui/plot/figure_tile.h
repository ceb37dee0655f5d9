// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "gui/plot/axes.h"
#include "gui/plot/colours.h"
#include "gui/plot/description.h"
#include "gui/unbroken.h"

namespace mpm::gui {

/// One figure that can be read across a room, with its name above and a word on it below. Digits
/// are as large as fit, and do not change their size while the figure changes. Where it has an
/// explanation, a click, Space or Enter shows that.
class FigureTile : public QWidget {
  Q_OBJECT

 public:
  /// A warning is told by a sign and by colour; what is old is grey.
  enum class State { plain, old, warning };

  explicit FigureTile(const QString& title, QWidget* parent = nullptr)
      : QWidget(parent), title_(title), description_(this) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(title);
    setToolTip(title);
    tell();
  }

  /// With so many decimals; not finite: "–". `unit` may be empty.
  void setValue(double value, int decimals, const QString& unit = {}) {
    if (unit != unit_ || decimals != decimals_) mostDigits_ = 0;
    decimals_ = std::clamp(decimals, 0, 9);
    if (std::abs(value) < 0.5 * std::pow(10.0, -decimals_)) value = 0;  // or it were "-0"
    value_ = std::isfinite(value) ? std::optional(value) : std::nullopt;
    unit_ = unit;
    mostDigits_ = std::max(mostDigits_, number().size());
    tell();
  }

  /// Below: "of 1,025", "since 14:05".
  void setNote(const QString& note) {
    note_ = note;
    tell();
  }

  State state() const { return state_; }
  void setState(State state) {
    if (state == state_) return;
    state_ = state;
    tell();
  }

  /// How it went lately, drawn beside the figure where there is room; without a scale, but as high
  /// as it is only where it goes over `range` at least.
  void setTrend(std::vector<double> values, double range = 0) {
    trend_ = std::move(values);
    trendRange_ = range;
    update();
  }

  const std::vector<double>& trend() const { return trend_; }

  /// What a click tells, as rich text; a link in it is `followed` when clicked.
  void setExplanation(const QString& text) {
    setWhatsThis(text);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
  }

  /// How high digits may be, in pixels, which tiles beside it may share; 0: as large as fit.
  void setMostPixels(int pixels) {
    if (pixels == mostPixels_) return;
    mostPixels_ = pixels;
    update();
  }
  /// Room for so many lines of a note, which tiles beside it may share, so that their figures are
  /// in one line.
  void setLeastLines(int lines) {
    if (lines == leastLines_) return;
    leastLines_ = lines;
    update();
  }
  /// Of its own note.
  int noteLines() const { return roomsOf(QFontMetrics(font(), this)).isTwo ? 2 : 1; }
  /// How high they would be by its own room; 0 while there is no value.
  int fittingPixels() const {
    if (!value_) return 0;
    const Rooms rooms = roomsOf(QFontMetrics(font(), this));
    return pixelsOf(rooms.figure.size(), widest());
  }

  /// As shown, with its unit.
  QString figure() const { return value_ ? withUnit(number(), unit_) : number(); }

  const QString& note() const { return note_; }

  QSize sizeHint() const override { return {180, 120}; }
  QSize minimumSizeHint() const override { return {96, 72}; }

 signals:
  void followed(const QString& link);

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor base = palette().color(QPalette::Base);
    const bool warns = state_ == State::warning;
    painter.setPen(QPen(warns ? ink() : gridColour(palette()), warns ? 2 : 1));
    painter.setBrush(mixed(base, ink(), warns ? 0.1 : 0.0));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);

    const QFontMetrics small(font(), this);
    if (hasFocus()) {
      painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
      painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
    }
    const auto [inside, room, isTwo] = roomsOf(small);
    const QString sign = warns ? QStringLiteral("⚠") : QString();
    painter.setPen(warns ? ink() : quietTextColour(palette()));
    drawTitle(painter, inside, title_);
    painter.drawText(inside, Qt::AlignRight | Qt::AlignBottom, sign);
    const int noteWidth = inside.width() - small.horizontalAdvance(sign);
    painter.drawText(inside, Qt::AlignLeft | Qt::AlignBottom | (isTwo ? Qt::TextWordWrap : 0),
                     isTwo ? unbroken(note_) : small.elidedText(note_, Qt::ElideRight, noteWidth));
    if (hasTrend()) {
      const bool isBeside = small.horizontalAdvance(title_) <= room.width();  // the title
      const double left = inside.left() + room.width() + kMargin;
      const double top = inside.top() + small.height() * (isBeside ? 0.5 : 1.0);
      drawTrend(painter, {QPointF(left, top),
                          QPointF(inside.left() + inside.width(), room.bottom() - kMargin / 2.0)});
    }
    const QString text = number();
    int pixels = pixelsOf(room.size(), value_ ? widest() : QStringLiteral("0000"));
    if (mostPixels_ > 0) pixels = std::min(pixels, mostPixels_);
    QFont big = figureFont(pixels);
    painter.setPen(value_ ? ink() : quietTextColour(palette()));
    painter.setFont(big);
    const QFontMetricsF metrics(big);
    const double baseline = room.center().y() + (metrics.ascent() - metrics.descent()) / 2;
    painter.drawText(QPointF(room.left(), baseline), text);
    if (unit_.isEmpty() || !value_) return;
    const double x = room.left() + metrics.horizontalAdvance(text);
    big.setPixelSize(std::max(7, static_cast<int>(big.pixelSize() * kUnitSize)));
    big.setBold(false);
    painter.setFont(big);
    painter.drawText(QPointF(x, baseline), behind(text));
  }

  bool event(QEvent* event) override {
    if (event->type() == QEvent::WhatsThisClicked)
      emit followed(static_cast<QWhatsThisClickedEvent*>(event)->href());
    return QWidget::event(event);
  }

  void mouseReleaseEvent(QMouseEvent* event) override {
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint()))
      explain();
  }

  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() != Qt::Key_Space && event->key() != Qt::Key_Return)
      return QWidget::keyPressEvent(event);
    explain();
  }

  void changeEvent(QEvent* event) override {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LocaleChange) tell();
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) update();
  }

 private:
  static constexpr int kMargin = 8, kLeastForTrend = 110;
  static constexpr double kUnitSize = 0.45;  // of the figure's
  static constexpr double kNarrowest = 0.8;  // of the other words

  void explain() {
    if (!whatsThis().isEmpty())
      QWhatsThis::showText(mapToGlobal(rect().bottomLeft()), whatsThis(), this);
  }

  struct Rooms {
    QRect inside, figure;
    bool isTwo;  // lines of the note: where one is too short and two are enough
  };

  Rooms roomsOf(const QFontMetrics& metrics) const {
    const QRect inside = rect().adjusted(kMargin, kMargin / 2, -kMargin, -kMargin / 2);
    const int line = metrics.height();
    const QRect wrapped = metrics.boundingRect(inside, Qt::TextWordWrap, unbroken(note_));
    const bool isTwo = metrics.horizontalAdvance(note_) > inside.width() &&
                       wrapped.height() <= 2 * line && wrapped.width() <= inside.width();
    QRect figure = inside.adjusted(0, line, 0, -line * std::max(isTwo ? 2 : 1, leastLines_));
    if (hasTrend()) figure.setWidth(inside.width() * 3 / 5);
    return {inside, figure, isTwo};
  }

  // A little narrower before it is cut.
  void drawTitle(QPainter& painter, const QRect& inside, const QString& title) const {
    const int wide = QFontMetrics(font(), this).horizontalAdvance(title);
    QFont narrow = font();
    if (wide > inside.width())
      narrow.setPointSizeF(narrow.pointSizeF() * std::max(kNarrowest, 1.0 * inside.width() / wide));
    painter.setFont(narrow);
    const QFontMetrics metrics(narrow, this);
    painter.drawText(inside, Qt::AlignLeft | Qt::AlignTop,
                     metrics.elidedText(title, Qt::ElideRight, inside.width()));
    painter.setFont(font());
  }

  bool hasTrend() const { return trend_.size() > 1 && width() >= kLeastForTrend; }

  // The number, with as many digits as it had at most.
  QString widest() const {
    const QString text = number();
    return asWide(text) + QString(std::max<qsizetype>(0, mostDigits_ - text.size()), '0');
  }

  // From its least to its most; one that stays the same lies in the middle.
  void drawTrend(QPainter& painter, const QRectF& room) const {
    const auto [least, most] = std::minmax_element(trend_.begin(), trend_.end());
    const double range = std::max(*most - *least, trendRange_);
    const double bottom = (*most + *least - range) / 2;
    const double across = room.width() / static_cast<double>(trend_.size() - 1);
    QPolygonF line;
    for (std::size_t i = 0; i < trend_.size(); ++i) {
      const double share = range > 0 ? (trend_[i] - bottom) / range : 0.5;
      line << QPointF(room.left() + across * static_cast<double>(i),
                      room.bottom() - share * room.height());
    }
    const QColor colour = state_ == State::old ? ink() : seriesColour(0, palette());
    painter.setPen(QPen(colour, 1.5));
    painter.drawPolyline(line);
    painter.setBrush(colour);
    painter.drawEllipse(line.back(), 2, 2);
  }

  /// Any digit as wide as the widest, so that a figure does not tremble.
  static QString asWide(const QString& text) {
    QString wide = text;
    for (QChar& letter : wide)
      if (letter.isDigit()) letter = QLatin1Char('0');
    return wide;
  }

  void tell() {
    QString sentence =
        value_ ? tr("%1: %2").arg(title_, figure()) : tr("%1: not known").arg(title_);
    if (!note_.isEmpty()) sentence = tr("%1, %2").arg(sentence, note_);
    if (state_ == State::warning) sentence = tr("%1; warning").arg(sentence);
    if (state_ == State::old) sentence = tr("%1; no longer live").arg(sentence);
    description_.tell(tr("%1.").arg(sentence));
    update();
  }

  QString number() const {
    return value_ ? locale().toString(*value_, 'f', decimals_) : tr("–", "not known");
  }

  // The unit, as far from the number as the language has it.
  QString behind(const QString& number) const { return withUnit(number, unit_).mid(number.size()); }

  QColor ink() const {
    if (state_ == State::plain) return palette().color(QPalette::Text);
    if (state_ == State::old) return quietTextColour(palette());
    return isDark(palette()) ? QColor(255, 190, 70) : QColor(140, 80, 0);
  }

  QFont figureFont(int pixels) const {
    QFont big = font();
    big.setBold(true);
    big.setPixelSize(pixels);
    return big;
  }

  // How high digits are so that `widest` with its unit fits.
  int pixelsOf(const QSizeF& room, const QString& widest) const {
    const QFontMetricsF metrics(figureFont(100));
    double wide = metrics.horizontalAdvance(widest);
    if (value_) wide += kUnitSize * metrics.horizontalAdvance(behind(widest));
    const double share =
        std::min(room.width() / std::max(wide, 1.0), room.height() / metrics.height());
    return std::max(8, static_cast<int>(100 * share));
  }

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

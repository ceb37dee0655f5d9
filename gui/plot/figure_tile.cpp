// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/figure_tile.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPolygonF>
#include <QWhatsThis>
#include <QWhatsThisClickedEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/plot/colours.h"
#include "gui/unbroken.h"

namespace mpm::gui {

FigureTile::FigureTile(const QString& title, QWidget* parent)
    : QWidget(parent), title_(title), description_(this) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(title);
  setToolTip(title);
  tell();
}

void FigureTile::setValue(double value, int decimals, const QString& unit) {
  if (unit != unit_ || decimals != decimals_) mostDigits_ = 0;
  decimals_ = std::clamp(decimals, 0, 9);
  if (std::abs(value) < 0.5 * std::pow(10.0, -decimals_)) value = 0;  // or it were "-0"
  value_ = std::isfinite(value) ? std::optional(value) : std::nullopt;
  unit_ = unit;
  mostDigits_ = std::max(mostDigits_, number().size());
  tell();
}

void FigureTile::setNote(const QString& note) {
  note_ = note;
  tell();
}

void FigureTile::setState(State state) {
  if (state == state_) return;
  state_ = state;
  tell();
}

void FigureTile::setTrend(std::vector<double> values, double range) {
  trend_ = std::move(values);
  trendRange_ = range;
  update();
}

void FigureTile::setExplanation(const QString& text) {
  setWhatsThis(text);
  setCursor(Qt::PointingHandCursor);
  setFocusPolicy(Qt::TabFocus);
}

void FigureTile::setMostPixels(int pixels) {
  if (pixels == mostPixels_) return;
  mostPixels_ = pixels;
  update();
}

void FigureTile::setLeastLines(int lines) {
  if (lines == leastLines_) return;
  leastLines_ = lines;
  update();
}

int FigureTile::fittingPixels() const {
  if (!value_) return 0;
  const Rooms rooms = roomsOf(QFontMetrics(font(), this));
  return pixelsOf(rooms.figure.size(), widest());
}

void FigureTile::paintEvent(QPaintEvent*) {
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

bool FigureTile::event(QEvent* event) {
  if (event->type() == QEvent::WhatsThisClicked)
    emit followed(static_cast<QWhatsThisClickedEvent*>(event)->href());
  return QWidget::event(event);
}

void FigureTile::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())) explain();
}

void FigureTile::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space && event->key() != Qt::Key_Return)
    return QWidget::keyPressEvent(event);
  explain();
}

void FigureTile::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::LocaleChange) tell();
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) update();
}

void FigureTile::explain() {
  if (!whatsThis().isEmpty())
    QWhatsThis::showText(mapToGlobal(rect().bottomLeft()), whatsThis(), this);
}

FigureTile::Rooms FigureTile::roomsOf(const QFontMetrics& metrics) const {
  const QRect inside = rect().adjusted(kMargin, kMargin / 2, -kMargin, -kMargin / 2);
  const int line = metrics.height();
  const QRect wrapped = metrics.boundingRect(inside, Qt::TextWordWrap, unbroken(note_));
  const bool isTwo = metrics.horizontalAdvance(note_) > inside.width() &&
                     wrapped.height() <= 2 * line && wrapped.width() <= inside.width();
  QRect figure = inside.adjusted(0, line, 0, -line * std::max(isTwo ? 2 : 1, leastLines_));
  if (hasTrend()) figure.setWidth(inside.width() * 3 / 5);
  return {inside, figure, isTwo};
}

void FigureTile::drawTitle(QPainter& painter, const QRect& inside, const QString& title) const {
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

QString FigureTile::widest() const {
  const QString text = number();
  return asWide(text) + QString(std::max<qsizetype>(0, mostDigits_ - text.size()), '0');
}

void FigureTile::drawTrend(QPainter& painter, const QRectF& room) const {
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

QString FigureTile::asWide(const QString& text) {
  QString wide = text;
  for (QChar& letter : wide)
    if (letter.isDigit()) letter = QLatin1Char('0');
  return wide;
}

void FigureTile::tell() {
  QString sentence = value_ ? tr("%1: %2").arg(title_, figure()) : tr("%1: not known").arg(title_);
  if (!note_.isEmpty()) sentence = tr("%1, %2").arg(sentence, note_);
  if (state_ == State::warning) sentence = tr("%1; warning").arg(sentence);
  if (state_ == State::old) sentence = tr("%1; no longer live").arg(sentence);
  description_.tell(tr("%1.").arg(sentence));
  update();
}

QString FigureTile::number() const {
  return value_ ? locale().toString(*value_, 'f', decimals_) : tr("–", "not known");
}

QColor FigureTile::ink() const {
  if (state_ == State::plain) return palette().color(QPalette::Text);
  if (state_ == State::old) return quietTextColour(palette());
  return isDark(palette()) ? QColor(255, 190, 70) : QColor(140, 80, 0);
}

QFont FigureTile::figureFont(int pixels) const {
  QFont big = font();
  big.setBold(true);
  big.setPixelSize(pixels);
  return big;
}

int FigureTile::pixelsOf(const QSizeF& room, const QString& widest) const {
  const QFontMetricsF metrics(figureFont(100));
  double wide = metrics.horizontalAdvance(widest);
  if (value_) wide += kUnitSize * metrics.horizontalAdvance(behind(widest));
  const double share =
      std::min(room.width() / std::max(wide, 1.0), room.height() / metrics.height());
  return std::max(8, static_cast<int>(100 * share));
}

}  // namespace mpm::gui

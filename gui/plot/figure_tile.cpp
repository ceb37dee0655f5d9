// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/figure_tile.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/plot/colours.h"

namespace mpm::gui {
namespace {

constexpr int kMargin = 8;
constexpr double kUnitSize = 0.45;  // of the figure's

/// Any digit as wide as the widest, so that a figure does not tremble.
QString asWide(const QString& text) {
  QString wide = text;
  for (QChar& letter : wide)
    if (letter.isDigit()) letter = QLatin1Char('0');
  return wide;
}

}  // namespace

FigureTile::FigureTile(const QString& title, QWidget* parent)
    : QWidget(parent), title_(title), description_(this) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(title);
  setToolTip(title);
  tell();
}

void FigureTile::setValue(double value, int decimals, const QString& unit) {
  if (unit != unit_ || decimals != decimals_) mostDigits_ = 0;
  value_ = std::isfinite(value) ? std::optional(value) : std::nullopt;
  decimals_ = std::clamp(decimals, 0, 9);
  unit_ = unit;
  mostDigits_ = std::max(mostDigits_, number().size());
  tell();
}

void FigureTile::setNote(const QString& note) {
  note_ = note;
  tell();
}

void FigureTile::setState(State state) {
  state_ = state;
  tell();
}

QString FigureTile::number() const {
  return value_ ? locale().toString(*value_, 'f', decimals_) : tr("–", "not known");
}

QString FigureTile::figure() const {
  return !value_ || unit_.isEmpty() ? number()
                                    : tr("%1 %2", "a value and its unit").arg(number(), unit_);
}

void FigureTile::tell() {
  QString sentence = value_ ? tr("%1: %2").arg(title_, figure()) : tr("%1: not known").arg(title_);
  if (!note_.isEmpty()) sentence = tr("%1, %2").arg(sentence, note_);
  if (state_ == State::warning) sentence = tr("%1; warning").arg(sentence);
  description_.tell(tr("%1.").arg(sentence));
  update();
}

QSize FigureTile::sizeHint() const { return {180, 120}; }
QSize FigureTile::minimumSizeHint() const { return {96, 72}; }

QColor FigureTile::ink() const {
  if (state_ == State::plain) return palette().color(QPalette::Text);
  return isDark(palette()) ? QColor(255, 190, 70) : QColor(140, 80, 0);
}

QFont FigureTile::figureFont(const QSizeF& room, const QString& widest) const {
  QFont big = font();
  big.setBold(true);
  big.setPixelSize(100);
  const QFontMetricsF metrics(big);
  double wide = metrics.horizontalAdvance(widest);
  if (!unit_.isEmpty() && value_) wide += kUnitSize * metrics.horizontalAdvance(' ' + unit_);
  const double share =
      std::min(room.width() / std::max(wide, 1.0), room.height() / metrics.height());
  big.setPixelSize(std::max(8, static_cast<int>(100 * share)));
  return big;
}

void FigureTile::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor base = palette().color(QPalette::Base);
  painter.setPen(
      QPen(state_ == State::plain ? gridColour(palette()) : ink(), state_ == State::plain ? 1 : 2));
  painter.setBrush(mixed(base, ink(), state_ == State::plain ? 0.0 : 0.1));
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);

  const QFontMetrics small(font(), this);
  const QRect inside = rect().adjusted(kMargin, kMargin / 2, -kMargin, -kMargin / 2);
  const QString sign = state_ == State::plain ? QString() : QStringLiteral("⚠ ");
  painter.setPen(state_ == State::plain ? quietTextColour(palette()) : ink());
  painter.drawText(inside, Qt::AlignLeft | Qt::AlignTop,
                   small.elidedText(sign + title_, Qt::ElideRight, inside.width()));
  painter.drawText(inside, Qt::AlignLeft | Qt::AlignBottom,
                   small.elidedText(note_, Qt::ElideRight, inside.width()));

  const int line = small.height();
  const QRect room = inside.adjusted(0, line, 0, -line);
  const QString text = number();
  const QString widest =
      asWide(text) + QString(std::max<qsizetype>(0, mostDigits_ - text.size()), '0');
  QFont big = figureFont(room.size(), value_ ? widest : QStringLiteral("0000"));
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
  painter.drawText(QPointF(x, baseline), ' ' + unit_);
}

void FigureTile::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::LocaleChange) tell();
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) update();
}

}  // namespace mpm::gui

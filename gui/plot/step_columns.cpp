// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/step_columns.h"

#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/plot/colours.h"
#include "gui/plot/csv_writer.h"
#include "gui/plot/value_axis.h"

namespace mpm::gui {
namespace {

constexpr int kMargin = 6, kSwatch = 10;
constexpr int kApartColour = 1;  // of seriesColour; the others have 0

bool known(const StepColumns::Column& column) { return std::isfinite(column.ms) && column.ms >= 0; }

// A quarter larger than the panel's words: it is read from afar.
QFont headFont(QFont font) {
  font.setPointSizeF(font.pointSizeF() > 0 ? font.pointSizeF() * 1.25 : 12);
  font.setBold(true);
  return font;
}

}  // namespace

StepColumns::StepColumns(QWidget* parent)
    : Plot(parent), all_(tr("Network")), apart_(tr("Merges")) {
  setAccessibleName(tr("Time by layer"));
  changed();
}

void StepColumns::setColumns(std::vector<Column> columns) {
  columns_ = std::move(columns);
  changed();
}

void StepColumns::setWords(const QString& all, const QString& apart) {
  all_ = all;
  apart_ = apart;
  changed();
}

double StepColumns::totalMs() const {
  double total = 0;
  for (const Column& column : columns_)
    if (known(column)) total += column.ms;
  return total;
}

double StepColumns::apartMs() const {
  double total = 0;
  for (const Column& column : columns_)
    if (column.apart && known(column)) total += column.ms;
  return total;
}

QString StepColumns::msText(double ms) const {
  return tr("%1 ms").arg(locale().toString(ms, 'f', ms < 99.95 ? 1 : 0));
}

QString StepColumns::shareText(double ms) const {
  const double total = totalMs();
  if (total <= 0) return {};
  return percentText(100 * ms / total, 0, locale());
}

QString StepColumns::summary() const {
  const Column* longest = nullptr;
  for (const Column& column : columns_)
    if (known(column) && (longest == nullptr || column.ms > longest->ms)) longest = &column;
  if (longest == nullptr) return tr("Nothing is known of the network's layers.");
  return tr("%1: %2, of it %3 for %4; the longest step is %5 with %6.")
      .arg(all_, msText(totalMs()), msText(apartMs()), apart_, longest->title, msText(longest->ms));
}

PlotTable::Contents StepColumns::contents() const {
  PlotTable::Contents made;
  made.headers << tr("Step") << tr("Milliseconds") << tr("Share");
  std::vector<std::vector<PlotTable::Cell>> cells;
  const double total = totalMs();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    made.rows.emplace_back(static_cast<qint64>(i), column.apart ? 1 : 0);
    const bool shared = known(column) && total > 0;
    cells.push_back({{column.title, {}},
                     {known(column) ? msText(column.ms) : tr("–", "not known"),
                      known(column) ? QVariant(column.ms) : QVariant()},
                     {shared ? shareText(column.ms) : QString(),
                      shared ? QVariant(column.ms / total) : QVariant()}});
  }
  made.cell = [cells = std::move(cells)](int row, int column) {
    return cells[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  };
  return made;
}

bool StepColumns::exportCsv(QIODevice& device) const {
  CsvWriter csv(device);
  for (const char* header : {"step", "apart", "ms"}) csv.cell(QString(header));
  csv.endLine();
  for (const Column& column : columns_) {
    csv.cell(column.title).cell(std::int64_t{column.apart}).cell(known(column) ? column.ms : NAN);
    csv.endLine();
  }
  return csv.finish();
}

QSize StepColumns::sizeHint() const { return {520, 150}; }
QSize StepColumns::minimumSizeHint() const { return {240, 90}; }

// Marks stand upright below, where a column is too narrow for them.
QRect StepColumns::plotArea(QSize size, const QFontMetrics& metrics) const {
  const int head = QFontMetrics(headFont(font()), this).height() + 2;
  const int slot =
      (size.width() - 2 * kMargin) / std::max<int>(1, static_cast<int>(columns_.size()));
  int marks = metrics.height();
  for (const Column& column : columns_) {
    const int width = metrics.horizontalAdvance(column.mark);
    if (width > slot) marks = std::max(marks, std::min(width + 2, size.height() / 3));
  }
  const QRect area(kMargin, kMargin + head + metrics.height(), size.width() - 2 * kMargin,
                   size.height() - 2 * kMargin - head - metrics.height() - marks - 2);
  return area;
}

QRect StepColumns::slotOf(std::size_t column, const QRect& area) const {
  const auto count = static_cast<int>(columns_.size()), at = static_cast<int>(column);
  const int left = area.left() + area.width() * at / count;
  return {left, area.top(), area.left() + area.width() * (at + 1) / count - left, area.height()};
}

void StepColumns::draw(QPainter& painter, QSize size) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  const QRect area = plotArea(size, metrics);
  if (std::none_of(columns_.begin(), columns_.end(), known) || area.height() < 8) {
    drawSentence(painter, QRect({0, 0}, size), summary(), palette());
    return;
  }
  drawHead(painter, size);
  double longest = 0;
  for (const Column& column : columns_)
    if (known(column)) longest = std::max(longest, column.ms);
  painter.setPen(gridColour(palette()));
  painter.drawLine(area.bottomLeft() + QPoint(0, 1), area.bottomRight() + QPoint(0, 1));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    drawColumn(painter, columns_[i], slotOf(i, area), longest);
    QRect below = slotOf(i, area);
    below.setTop(area.bottom() + 2);
    below.setBottom(size.height() - kMargin);
    drawMark(painter, columns_[i], below);
  }
}

void StepColumns::drawHead(QPainter& painter, QSize size) const {
  const QFont usual = painter.font();
  painter.setFont(headFont(usual));
  const QFontMetrics metrics(painter.font(), painter.device());
  QRect row(kMargin, kMargin, size.width() - 2 * kMargin, metrics.height());
  const auto entry = [&](int colour, const QString& words) {
    if (row.width() < 3 * kSwatch) return;
    painter.fillRect(QRect(row.left(), row.center().y() - kSwatch / 2, kSwatch, kSwatch),
                     seriesColour(colour, palette()));
    row.setLeft(row.left() + kSwatch + kMargin);
    const QString shown = metrics.elidedText(words, Qt::ElideRight, row.width());
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, shown);
    row.setLeft(row.left() + metrics.horizontalAdvance(shown) + 3 * kMargin);
  };
  entry(0, tr("%1 %2", "a step, its time").arg(all_, msText(totalMs())));
  entry(kApartColour, tr("%1 %2, %3", "a step, its time and share of the network")
                          .arg(apart_, msText(apartMs()), shareText(apartMs())));
  painter.setFont(usual);
}

void StepColumns::drawColumn(QPainter& painter, const Column& column, const QRect& slot,
                             double longest) const {
  if (!known(column)) return;
  const QFontMetrics metrics(painter.font(), painter.device());
  const int gap = std::max(1, slot.width() / 8);
  const double height = longest > 0 ? std::max(1.0, slot.height() * column.ms / longest) : 1.0;
  const QRectF bar(slot.left() + gap, slot.bottom() + 1 - height, slot.width() - 2 * gap, height);
  painter.fillRect(bar, seriesColour(column.apart ? kApartColour : 0, palette()));
  const QString figure = locale().toString(column.ms, 'f', column.ms < 9.95 ? 1 : 0);
  if (metrics.horizontalAdvance(figure) > slot.width() - 2) return;
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(
      QRectF(slot.left(), bar.top() - metrics.height(), slot.width(), metrics.height()),
      Qt::AlignHCenter | Qt::AlignBottom, figure);
}

void StepColumns::drawMark(QPainter& painter, const Column& column, const QRect& slot) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  painter.setPen(quietTextColour(palette()));
  if (metrics.horizontalAdvance(column.mark) <= slot.width()) {
    painter.drawText(slot, Qt::AlignHCenter | Qt::AlignTop, column.mark);
    return;
  }
  if (slot.width() < metrics.height() - 4) return;  // upright it would touch its neighbours
  painter.save();
  painter.translate(slot.center().x(), slot.top());
  painter.rotate(90);
  painter.drawText(QRect(0, -metrics.height() / 2, slot.height(), metrics.height()),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(column.mark, Qt::ElideRight, slot.height()));
  painter.restore();
}

bool StepColumns::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Plot::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QRect area = plotArea(size(), QFontMetrics(font(), this));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const QRect slot = slotOf(i, area);
    if (help->pos().x() < slot.left() || help->pos().x() > slot.right()) continue;
    const Column& column = columns_[i];
    if (!known(column)) break;
    QToolTip::showText(help->globalPos(),
                       tr("%1: %2, %3").arg(column.title, msText(column.ms), shareText(column.ms)),
                       this);
    return true;
  }
  QToolTip::hideText();
  event->ignore();
  return true;
}

}  // namespace mpm::gui

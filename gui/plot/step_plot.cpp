// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/step_plot.h"

#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "gui/plot/axes.h"
#include "gui/plot/colours.h"

namespace mpm::gui {
namespace {

constexpr int kMargin = 6;
constexpr int kBetween = 3;  // two marks

}  // namespace

StepPlot::StepPlot(Names names, QWidget* parent)
    : Plot({520, 150}, {240, 90}, parent), names_(std::move(names)) {
  setAccessibleName(tr("Time by step"));
  changed();
}

void StepPlot::setSteps(std::vector<Step> steps) {
  steps_ = std::move(steps);
  changed();
}

double StepPlot::totalMs() const {
  double total = 0;
  for (const Step& step : steps_)
    if (known(step) && counts(step)) total += step.ms;
  return total;
}

double StepPlot::apartMs() const {
  double total = 0;
  for (const Step& step : steps_)
    if (step.apart && known(step)) total += step.ms;
  return total;
}

QString StepPlot::summary() const {
  const Step* longest = nullptr;
  for (const Step& step : steps_)
    if (known(step) && counts(step) && (longest == nullptr || step.ms > longest->ms))
      longest = &step;
  if (longest == nullptr) return names_.none;
  const QString whole = tr("%1: %2; the longest step is %3 with %4, %5.")
                            .arg(names_.whole, msText(totalMs()), longest->title,
                                 msText(longest->ms), shareText(*longest));
  if (names_.apart.isEmpty()) return whole;
  if (!names_.apartCounts)
    return tr("%1 Next to it, %2: %3.").arg(whole, names_.apart, msText(apartMs()));
  return tr("%1: %2, of which %3 for %4; the longest step is %5 with %6.")
      .arg(names_.whole, msText(totalMs()), msText(apartMs()), names_.apart, longest->title,
           msText(longest->ms));
}

void StepPlot::draw(QPainter& painter) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  const QRect area = plotArea();
  if (std::none_of(steps_.begin(), steps_.end(), known) || area.height() < 8) {
    drawSentence(painter, rect(), summary(), palette());
    return;
  }
  const QFont usual = painter.font();
  painter.setFont(headFont());
  Legend(head(), width() - 2 * kMargin, 1, QFontMetrics(headFont(), this))
      .draw(painter, {kMargin, kMargin}, palette());
  painter.setFont(usual);
  double longest = 0;
  for (const Step& step : steps_)
    if (known(step)) longest = std::max(longest, step.ms);
  painter.setPen(gridColour(palette()));
  painter.drawLine(area.bottomLeft() + QPoint(0, 1), area.bottomRight() + QPoint(0, 1));
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    drawColumn(painter, steps_[i], slotOf(i, area), longest);
    QRect below = slotOf(i, area);
    below.setTop(area.bottom() + 2);
    below.setBottom(height() - kMargin);
    drawMark(painter, steps_[i], below);
  }
}

PlotTable::Contents StepPlot::contents() const {
  std::vector<PlotTable::Row> rows;
  const double total = totalMs();
  for (const Step& step : steps_) {
    PlotTable::Cell ms{tr("–", "not known"), std::nan("")}, share;
    if (known(step)) ms = {msText(step.ms), step.ms};
    if (known(step) && counts(step) && total > 0) share = {shareText(step), step.ms / total};
    rows.push_back({{static_cast<qint64>(rows.size()), step.apart ? 1 : 0},
                    {{step.title}, {{}, step.apart}, ms, share}});
  }
  return PlotTable::contentsOf(
      {{tr("Step"), "step"}, {{}, "apart"}, {tr("Milliseconds"), "ms"}, {tr("Share"), {}}},
      std::move(rows));
}

QString StepPlot::hintAt(QPoint place) const {
  const QRect area = plotArea();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const QRect slot = slotOf(i, area);
    const Step& step = steps_[i];
    if (place.x() < slot.left() || place.x() > slot.right() || !known(step)) continue;
    if (!counts(step)) return tr("%1: %2").arg(step.title, msText(step.ms));
    return tr("%1: %2, %3").arg(step.title, msText(step.ms), shareText(step));
  }
  return {};
}

QFont StepPlot::headFont() const {
  QFont head = font();
  head.setPointSizeF(head.pointSizeF() > 0 ? head.pointSizeF() * 1.15 : 11);
  head.setBold(true);
  return head;
}

QRect StepPlot::plotArea() const {
  const QFontMetrics metrics(font(), this);
  const int head = QFontMetrics(headFont(), this).height() + 2;
  const int slot = (width() - 2 * kMargin) / std::max<int>(1, static_cast<int>(steps_.size()));
  int marks = metrics.height();
  for (const Step& step : steps_) {
    const int width = metrics.horizontalAdvance(step.mark);
    if (width > slot - kBetween) marks = std::max(marks, std::min(width + 2, height() / 3));
  }
  const QRect area(kMargin, kMargin + head + metrics.height(), width() - 2 * kMargin,
                   height() - 2 * kMargin - head - metrics.height() - marks - 2);
  return area;
}

QRect StepPlot::slotOf(std::size_t step, const QRect& area) const {
  const auto count = static_cast<int>(steps_.size()), at = static_cast<int>(step);
  const int left = area.left() + area.width() * at / count;
  return {left, area.top(), area.left() + area.width() * (at + 1) / count - left, area.height()};
}

QColor StepPlot::colourOf(bool apart) const { return seriesColour(apart ? 1 : 0, palette()); }

std::vector<Legend::Entry> StepPlot::head() const {
  const auto entry = [&](bool apart, const QString& words) {
    return Legend::Entry{words, colourOf(apart), Legend::Sample::patch};
  };
  std::vector<Legend::Entry> entries{
      entry(false, tr("%1 %2", "a step, its time").arg(names_.whole, msText(totalMs())))};
  if (!names_.apart.isEmpty() && names_.apartCounts)
    entries.push_back(entry(true, tr("%1 %2, %3", "a step, its time and share of the network")
                                      .arg(names_.apart, msText(apartMs()), shareText(apartMs()))));
  else if (!names_.apart.isEmpty())
    entries.push_back(
        entry(true, tr("%1 %2", "a step, its time").arg(names_.apart, msText(apartMs()))));
  return entries;
}

void StepPlot::drawColumn(QPainter& painter, const Step& step, const QRect& slot,
                          double longest) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  const auto write = [&](double bottom, const QString& words) {
    if (metrics.horizontalAdvance(words) > slot.width() - 2) return false;
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QRectF(slot.left(), bottom - metrics.height(), slot.width(), metrics.height()),
                     Qt::AlignHCenter | Qt::AlignBottom, words);
    return true;
  };
  if (!known(step)) {
    write(slot.bottom(), tr("–", "not known"));
    return;
  }
  const int gap = std::max(1, slot.width() / 8);
  const double height = longest > 0 ? std::max(1.0, slot.height() * step.ms / longest) : 1.0;
  const QRectF bar(slot.left() + gap, slot.bottom() + 1 - height, slot.width() - 2 * gap, height);
  painter.fillRect(bar, colourOf(step.apart));
  const QString share = shareText(step), ms = msText(step.ms);
  if (write(bar.top(), share.isEmpty() ? ms : tr("%1, %2").arg(ms, share))) return;
  write(bar.top(), locale().toString(step.ms, 'f', step.ms < 9.95 ? 1 : 0));
}

void StepPlot::drawMark(QPainter& painter, const Step& step, const QRect& slot) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  painter.setPen(quietTextColour(palette()));
  if (metrics.horizontalAdvance(step.mark) <= slot.width() - kBetween) {
    painter.drawText(slot, Qt::AlignHCenter | Qt::AlignTop, step.mark);
    return;
  }
  if (slot.width() < metrics.height() - 4) return;  // upright it would touch its neighbours
  painter.save();
  painter.translate(slot.center().x(), slot.top());
  painter.rotate(90);
  painter.drawText(QRect(0, -metrics.height() / 2, slot.height(), metrics.height()),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(step.mark, Qt::ElideRight, slot.height()));
  painter.restore();
}

QString StepPlot::msText(double ms) const {
  return tr("%1 ms").arg(locale().toString(ms, 'f', ms < 99.95 ? 1 : 0));
}

QString StepPlot::shareText(const Step& step) const {
  return counts(step) ? shareText(step.ms) : QString();
}

QString StepPlot::shareText(double ms) const {
  const double total = totalMs();
  if (total <= 0) return {};
  return percentText(100 * ms / total, 0, locale());
}

}  // namespace mpm::gui

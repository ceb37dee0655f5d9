// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/step_bars.h"

#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/plot/colours.h"
#include "gui/plot/csv_writer.h"
#include "gui/plot/value_axis.h"

namespace mpm::gui {
namespace {

constexpr int kMargin = 6;

bool known(const StepBars::Step& step) { return std::isfinite(step.ms) && step.ms >= 0; }

}  // namespace

StepBars::StepBars(QWidget* parent) : Plot(parent) {
  setAccessibleName(tr("Time by step"));
  changed();
}

void StepBars::setSteps(std::vector<Step> steps) {
  const bool other = steps.size() != steps_.size();
  steps_ = std::move(steps);
  if (other) updateGeometry();
  changed();
}

double StepBars::totalMs() const {
  double total = 0;
  for (const Step& step : steps_)
    if (step.depth == 0 && known(step)) total += step.ms;
  return total;
}

QString StepBars::msText(const Step& step) const {
  return known(step) ? tr("%1 ms").arg(locale().toString(step.ms, 'f', step.ms < 99.95 ? 1 : 0))
                     : tr("–", "not known");
}

QString StepBars::shareText(const Step& step) const {
  const double total = totalMs();
  if (!known(step) || total <= 0) return {};
  return percentText(100 * step.ms / total, 0, locale());
}

QString StepBars::summary() const {
  const Step* longest = nullptr;
  for (const Step& step : steps_)
    if (step.depth == 0 && known(step) && (longest == nullptr || step.ms > longest->ms))
      longest = &step;
  if (longest == nullptr) return tr("No frame has been timed yet.");
  return tr("%1 for a frame, most of it for %2: %3, %4.")
      .arg(msText({{}, totalMs(), 0}), longest->title, msText(*longest), shareText(*longest));
}

PlotTable::Contents StepBars::contents() const {
  PlotTable::Contents made;
  made.headers << tr("Step") << tr("Milliseconds") << tr("Share");
  std::vector<std::vector<PlotTable::Cell>> cells;
  const double total = totalMs();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    made.rows.emplace_back(static_cast<qint64>(i), step.depth);
    const bool shared = known(step) && total > 0;
    cells.push_back({{step.title, {}},
                     {msText(step), known(step) ? QVariant(step.ms) : QVariant()},
                     {shareText(step), shared ? QVariant(step.ms / total) : QVariant()}});
  }
  made.cell = [cells = std::move(cells)](int row, int column) {
    return cells[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  };
  return made;
}

bool StepBars::exportCsv(QIODevice& device) const {
  CsvWriter csv(device);
  for (const char* header : {"step", "depth", "ms"}) csv.cell(QString(header));
  csv.endLine();
  for (const Step& step : steps_) {
    csv.cell(step.title).cell(std::int64_t{step.depth}).cell(known(step) ? step.ms : NAN);
    csv.endLine();
  }
  return csv.finish();
}

int StepBars::rowHeight(const QFontMetrics& metrics) const { return metrics.height() + 6; }

QSize StepBars::sizeHint() const {
  const QFontMetrics metrics(font(), this);
  const int rows = std::max(3, static_cast<int>(steps_.size()) + 1);
  return {420, 2 * kMargin + rows * rowHeight(metrics)};
}

QSize StepBars::minimumSizeHint() const {
  const auto rows =
      std::count_if(steps_.begin(), steps_.end(), [](const Step& step) { return step.depth == 0; });
  const int most = std::clamp(static_cast<int>(rows) + 1, 3, 8);
  return {220, 2 * kMargin + most * rowHeight(QFontMetrics(font(), this))};
}

std::vector<const StepBars::Step*> StepBars::shown(int height, const QFontMetrics& metrics) const {
  const auto room =
      static_cast<std::size_t>(std::max(1, (height - 2 * kMargin) / rowHeight(metrics) - 1));
  std::vector<const Step*> all;
  for (const Step& step : steps_) all.push_back(&step);
  // The deepest go first.
  for (int depth = 4; depth > 0 && all.size() > room; --depth)
    std::erase_if(all, [depth](const Step* step) { return step->depth >= depth; });
  if (all.size() > room) all.resize(room);
  return all;
}

void StepBars::draw(QPainter& painter, QSize size) const {
  if (std::none_of(steps_.begin(), steps_.end(), known)) {
    drawSentence(painter, QRect({0, 0}, size), summary(), palette());
    return;
  }
  const QFontMetrics metrics(painter.font(), painter.device());
  const auto steps = shown(size.height(), metrics);
  int names = 0, figures = 0;
  double longest = 0;
  for (const Step* step : steps) {
    names = std::max(names, metrics.horizontalAdvance(step->title) + 2 + step->depth * kMargin * 2);
    figures = std::max(figures, metrics.horizontalAdvance(msText(*step)));
    if (known(*step)) longest = std::max(longest, step->ms);
  }
  names = std::min(names, size.width() * 2 / 5);
  const int height = rowHeight(metrics);
  const QRect head(kMargin, kMargin, size.width() - 2 * kMargin, height);
  QString words = tr("%1 for a frame").arg(msText({{}, totalMs(), 0}));
  if (steps.size() < steps_.size())
    words = tr("%1; no room for %2 of the parts")
                .arg(words, locale().toString(static_cast<int>(steps_.size() - steps.size())));
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(words, Qt::ElideRight, head.width()));
  for (std::size_t i = 0; i < steps.size(); ++i)
    drawStep(painter, *steps[i], head.translated(0, height * static_cast<int>(i + 1)), names,
             figures, longest);
}

void StepBars::drawStep(QPainter& painter, const Step& step, const QRect& row, int names,
                        int figures, double longest) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  const int indent = step.depth * kMargin * 2;
  painter.setPen(step.depth == 0 ? palette().color(QPalette::Text) : quietTextColour(palette()));
  painter.drawText(QRect(row.left() + indent, row.top(), names - indent, row.height()),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(step.title, Qt::ElideRight, names - indent));
  const int share = metrics.horizontalAdvance(percentText(100, 0, locale()));
  const int right = row.right() - share - kMargin;
  painter.drawText(QRect(right - figures, row.top(), figures + 1, row.height()),
                   Qt::AlignRight | Qt::AlignVCenter, msText(step));
  painter.drawText(QRect(right + kMargin, row.top(), share, row.height()),
                   Qt::AlignRight | Qt::AlignVCenter, shareText(step));
  const int left = row.left() + names + kMargin;
  const int room = right - figures - kMargin - left;
  if (room < 4) return;
  const QRectF track(left, row.top() + 3, room, row.height() - 6);
  const QColor base = palette().color(QPalette::Base);
  painter.fillRect(track, mixed(base, palette().color(QPalette::Text), 0.06));
  if (!known(step) || longest <= 0) return;
  QRectF bar = track;
  bar.setWidth(std::max(1.0, track.width() * step.ms / longest));
  painter.fillRect(bar, mixed(base, seriesColour(0, palette()), step.depth == 0 ? 1.0 : 0.55));
}

bool StepBars::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Plot::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QFontMetrics metrics(font(), this);
  const auto steps = shown(height(), metrics);
  const int row = (help->pos().y() - kMargin) / rowHeight(metrics) - 1;
  if (row < 0 || row >= static_cast<int>(steps.size())) {
    QToolTip::hideText();
    event->ignore();
    return true;
  }
  const Step& step = *steps[static_cast<std::size_t>(row)];
  QToolTip::showText(help->globalPos(),
                     tr("%1: %2, %3").arg(step.title, msText(step), shareText(step)), this);
  return true;
}

}  // namespace mpm::gui

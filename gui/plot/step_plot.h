// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gui/plot/axes.h"
#include "gui/plot/colours.h"
#include "gui/plot/csv_writer.h"
#include "gui/plot/plot.h"

namespace mpm::gui {

/// Time by step, for steps that follow each other: what a frame goes through, or a network's
/// layers. A column for each, in their order, with its milliseconds and its share of the whole
/// where there is room. Some may stand apart, in a colour of their own; the headline tells what all
/// take together, and those. What stands apart is of the whole, or beside it.
class StepPlot : public Plot {
  Q_OBJECT

 public:
  struct Step {
    QString title;       ///< "Block 3": for the table and the tool tip
    QString mark;        ///< "3": below the column
    double ms = 0;       ///< not finite or negative: not known
    bool apart = false;  ///< in the other colour
  };

  struct Names {
    QString whole;            ///< "Network": what all steps are together
    QString apart;            ///< "Merges": those that stand apart; empty where none do
    QString none;             ///< a sentence while nothing is known
    bool apartCounts = true;  ///< to the whole
  };

  explicit StepPlot(Names names, QWidget* parent = nullptr)
      : Plot({520, 150}, {240, 90}, parent), names_(std::move(names)) {
    setAccessibleName(tr("Time by step"));
    changed();
  }

  void setSteps(std::vector<Step> steps) {
    steps_ = std::move(steps);
    changed();
  }

  /// The whole: of all that are known and count.
  double totalMs() const {
    double total = 0;
    for (const Step& step : steps_)
      if (known(step) && counts(step)) total += step.ms;
    return total;
  }

  double apartMs() const {
    double total = 0;
    for (const Step& step : steps_)
      if (step.apart && known(step)) total += step.ms;
    return total;
  }

  bool exportCsv(QIODevice& device) const override {
    CsvWriter csv(device, {"step", "apart", "ms"});
    for (const Step& step : steps_) {
      csv.cell(step.title).cell(std::int64_t{step.apart}).cell(known(step) ? step.ms : NAN);
      csv.endLine();
    }
    return csv.finish();
  }

  QString summary() const override {
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
      return tr("%1 Beside it, %2: %3.").arg(whole, names_.apart, msText(apartMs()));
    return tr("%1: %2, of it %3 for %4; the longest step is %5 with %6.")
        .arg(names_.whole, msText(totalMs()), msText(apartMs()), names_.apart, longest->title,
             msText(longest->ms));
  }

 protected:
  void draw(QPainter& painter, QSize size) const override {
    const QFontMetrics metrics(painter.font(), painter.device());
    const QRect area = plotArea(size, metrics);
    if (std::none_of(steps_.begin(), steps_.end(), known) || area.height() < 8) {
      drawSentence(painter, QRect({0, 0}, size), summary(), palette());
      return;
    }
    drawHead(painter, size);
    double longest = 0;
    for (const Step& step : steps_)
      if (known(step)) longest = std::max(longest, step.ms);
    painter.setPen(gridColour(palette()));
    painter.drawLine(area.bottomLeft() + QPoint(0, 1), area.bottomRight() + QPoint(0, 1));
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      drawColumn(painter, steps_[i], slotOf(i, area), longest);
      QRect below = slotOf(i, area);
      below.setTop(area.bottom() + 2);
      below.setBottom(size.height() - kMargin);
      drawMark(painter, steps_[i], below);
    }
  }

  Contents contents() const override {
    std::vector<PlotTable::Row> rows;
    const double total = totalMs();
    for (const Step& step : steps_) {
      const PlotTable::Key key{static_cast<qint64>(rows.size()), step.apart ? 1 : 0};
      if (!known(step)) {
        rows.push_back({key, {{step.title, {}}, {tr("–", "not known"), {}}, {}}});
        continue;
      }
      PlotTable::Cell share;
      if (total > 0 && counts(step)) share = {shareText(step), step.ms / total};
      rows.push_back({key, {{step.title, {}}, {msText(step.ms), step.ms}, share}});
    }
    return PlotTable::contentsOf({tr("Step"), tr("Milliseconds"), tr("Share")}, std::move(rows));
  }

  std::optional<Hint> hintAt(QPoint place) const override {
    const QRect area = plotArea(size(), QFontMetrics(font(), this));
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const QRect slot = slotOf(i, area);
      const Step& step = steps_[i];
      if (place.x() < slot.left() || place.x() > slot.right() || !known(step)) continue;
      if (!counts(step)) return Hint{tr("%1: %2").arg(step.title, msText(step.ms)), {}};
      return Hint{tr("%1: %2, %3").arg(step.title, msText(step.ms), shareText(step)), {}};
    }
    return std::nullopt;
  }

 private:
  static constexpr int kMargin = 6, kSwatch = 10;
  static constexpr int kBetween = 3;      // two marks
  static constexpr int kApartColour = 1;  // of seriesColour; the others have 0
  static bool known(const Step& step) { return std::isfinite(step.ms) && step.ms >= 0; }
  bool counts(const Step& step) const { return names_.apartCounts || !step.apart; }

  // A quarter larger than the panel's words: it is read from afar.
  static QFont headFont(QFont font) {
    font.setPointSizeF(font.pointSizeF() > 0 ? font.pointSizeF() * 1.25 : 12);
    font.setBold(true);
    return font;
  }

  // Marks stand upright below, where a column is too narrow for them.
  QRect plotArea(QSize size, const QFontMetrics& metrics) const {
    const int head = QFontMetrics(headFont(font()), this).height() + 2;
    const int slot =
        (size.width() - 2 * kMargin) / std::max<int>(1, static_cast<int>(steps_.size()));
    int marks = metrics.height();
    for (const Step& step : steps_) {
      const int width = metrics.horizontalAdvance(step.mark);
      if (width > slot - kBetween) marks = std::max(marks, std::min(width + 2, size.height() / 3));
    }
    const QRect area(kMargin, kMargin + head + metrics.height(), size.width() - 2 * kMargin,
                     size.height() - 2 * kMargin - head - metrics.height() - marks - 2);
    return area;
  }

  QRect slotOf(std::size_t step, const QRect& area) const {
    const auto count = static_cast<int>(steps_.size()), at = static_cast<int>(step);
    const int left = area.left() + area.width() * at / count;
    return {left, area.top(), area.left() + area.width() * (at + 1) / count - left, area.height()};
  }

  void drawHead(QPainter& painter, QSize size) const {
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
    entry(0, tr("%1 %2", "a step, its time").arg(names_.whole, msText(totalMs())));
    if (names_.apart.isEmpty()) return painter.setFont(usual);
    if (names_.apartCounts) {
      entry(kApartColour, tr("%1 %2, %3", "a step, its time and share of the network")
                              .arg(names_.apart, msText(apartMs()), shareText(apartMs())));
    } else {
      entry(kApartColour, tr("%1 %2", "a step, its time").arg(names_.apart, msText(apartMs())));
    }
    painter.setFont(usual);
  }

  void drawColumn(QPainter& painter, const Step& step, const QRect& slot, double longest) const {
    const QFontMetrics metrics(painter.font(), painter.device());
    const auto write = [&](double bottom, const QString& words) {
      if (metrics.horizontalAdvance(words) > slot.width() - 2) return false;
      painter.setPen(palette().color(QPalette::Text));
      painter.drawText(
          QRectF(slot.left(), bottom - metrics.height(), slot.width(), metrics.height()),
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
    painter.fillRect(bar, seriesColour(step.apart ? kApartColour : 0, palette()));
    const QString share = shareText(step), ms = msText(step.ms);
    if (write(bar.top(), share.isEmpty() ? ms : tr("%1, %2").arg(ms, share))) return;
    write(bar.top(), locale().toString(step.ms, 'f', step.ms < 9.95 ? 1 : 0));
  }

  void drawMark(QPainter& painter, const Step& step, const QRect& slot) const {
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

  QString msText(double ms) const {
    return tr("%1 ms").arg(locale().toString(ms, 'f', ms < 99.95 ? 1 : 0));
  }

  // Empty for what stands beside the whole.
  QString shareText(const Step& step) const {
    return counts(step) ? shareText(step.ms) : QString();
  }

  QString shareText(double ms) const {
    const double total = totalMs();
    if (total <= 0) return {};
    return percentText(100 * ms / total, 0, locale());
  }

  Names names_;
  std::vector<Step> steps_;
};

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <vector>

#include "gui/plot/colours.h"

namespace mpm::gui {

struct LegendEntry {
  enum class Sample { line, patch, none };
  QString text;
  QColor colour;
  Sample sample = Sample::line;
  QBrush pattern = Qt::NoBrush;
};

/// Names and colours in as many lines as there is room for; the last ones give way to "…".
class Legend {
 public:
  Legend(std::vector<LegendEntry> entries, int width, int mostLines, const QFontMetrics& metrics)
      : lineHeight_(metrics.height() + 2),
        sample_(metrics.height()),
        gap_(metrics.horizontalAdvance('x')) {
    if (entries.empty() || width < 3 * sample_) return;
    const QString more = QStringLiteral("…");
    const int dots = metrics.horizontalAdvance(more);
    int x = 0, line = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      LegendEntry& entry = entries[i];
      const int before = sampleWidth(entry);
      entry.text = metrics.elidedText(entry.text, Qt::ElideRight, width - before - 2 * gap_ - dots);
      const int wide = before + metrics.horizontalAdvance(entry.text);
      const bool lastLine = line + 1 == mostLines;
      const int room = width - (lastLine && i + 1 < entries.size() ? dots + 2 * gap_ : 0);
      if (x > 0 && x + wide > room) {
        if (lastLine) {
          placed_.push_back(
              {{more, {}, Sample::none, Qt::NoBrush}, {x, line * lineHeight_, dots, lineHeight_}});
          break;
        }
        ++line;
        x = 0;
      }
      placed_.push_back({entry, {x, line * lineHeight_, wide, lineHeight_}});
      x += wide + 2 * gap_;
    }
    lines_ = line + 1;
  }

  /// 0 without entries.
  int height() const { return lines_ * lineHeight_; }

  void draw(QPainter& painter, QPoint topLeft, const QPalette& palette) const {
    painter.save();
    painter.translate(topLeft);
    for (const auto& [entry, place] : placed_) {
      const QRect sample(place.left(), place.top() + lineHeight_ / 4, sample_, lineHeight_ / 2);
      if (entry.sample == Sample::line) {
        painter.setPen(QPen(entry.colour, 3, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(sample.left(), sample.center().y(), sample.right(), sample.center().y());
      } else if (entry.sample == Sample::patch) {
        painter.fillRect(sample, entry.colour);
        painter.fillRect(sample, entry.pattern);
        painter.setPen(mixed(gridColour(palette), palette.color(QPalette::Text), 0.25));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(sample);
      }
      painter.setPen(palette.color(QPalette::Text));
      painter.drawText(place.adjusted(sampleWidth(entry), 0, 1, 0),
                       Qt::AlignLeft | Qt::AlignVCenter, entry.text);
    }
    painter.restore();
  }

 private:
  using Sample = LegendEntry::Sample;

  struct Placed {
    LegendEntry entry;
    QRect place;
  };

  int sampleWidth(const LegendEntry& entry) const {
    return entry.sample == Sample::none ? 0 : sample_ + gap_;
  }

  std::vector<Placed> placed_;
  int lines_ = 0, lineHeight_, sample_, gap_;
};

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QBrush>
#include <QColor>
#include <QFontMetrics>
#include <QPainter>
#include <QString>
#include <vector>

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
  Legend(std::vector<LegendEntry> entries, int width, int mostLines, const QFontMetrics& metrics);

  int height() const;  ///< 0 without entries
  void draw(QPainter& painter, QPoint topLeft, const QPalette& palette) const;

 private:
  struct Placed {
    LegendEntry entry;
    QRect place;
  };
  int sampleWidth(const LegendEntry& entry) const;

  std::vector<Placed> placed_;
  int lines_ = 0, lineHeight_, sample_, gap_;
};

}  // namespace mpm::gui

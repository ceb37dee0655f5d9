// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QString>
#include <QStringList>
#include <vector>

#include "gui/canvas/painting.h"

namespace mpm::gui {

/// A title in the upper left corner of `bounds`, shortened where it is too long. Where it stands.
QRectF drawTitle(QPainter& painter, const QRectF& bounds, const QString& title);
/// Where it would stand.
QRectF titlePlate(const QFont& font, const QRectF& bounds, const QString& title);

/// A line of words in the lower middle, above a legend of one line: what can be done now.
void drawHint(QPainter& painter, const QRectF& bounds, const QString& words);

/// Words in the middle, as large as fits up to a tenth of the height, and smaller ones under them;
/// both readable on any picture.
void drawNotice(QPainter& painter, const QRectF& bounds, const QString& large,
                const QString& small);

/// A card with a title and lines, beside what it is about: to its right, else to its left, else
/// below or above, inside `bounds`. Where it stands.
QRectF drawCard(QPainter& painter, const QRectF& bounds, const QRectF& about,
                const QStringList& lines);

/// "4 s", "2 min 10 s", "3 h 5 min", "2 d 4 h".
QString spokenAge(qint64 ageMs);

/// What colours mean: swatches and scales with words.
struct LegendItem {
  enum class Mark { none, colour, hatched, valueScale };
  QString words = {};  ///< of a scale: at its left end
  Mark mark = Mark::none;
  QRgb colour = 0;
  QString atEnd = {};  ///< of a scale: at its right end
  double shorter = 0;  ///< of a scale: by how much, where it has little room
};

/// For a kind of painting of a result; empty where colours need no words. `agreement` 0 to 1: of
/// merged and full labels, where it is known; `ageMs`: how old the result is, where it is not the
/// newest, as of comparisons, and of tokens where there is a memory.
std::vector<LegendItem> legendOf(const monitor::FrameResult& result, const Painting& painting,
                                 double agreement, qint64 ageMs);

/// In the lower left corner of `bounds`, or the upper one, in as many lines as it takes; left out
/// where it would take more than a third of them. Left of `picture`, where there is room: it would
/// cover it in fewer lines.
void drawLegend(QPainter& painter, const QRectF& bounds, const std::vector<LegendItem>& items,
                Qt::Edge edge = Qt::BottomEdge, const QRectF& picture = {});

}  // namespace mpm::gui

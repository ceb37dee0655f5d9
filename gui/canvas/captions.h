// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFont>
#include <QPainter>
#include <QRectF>
#include <QRgb>
#include <QSizeF>
#include <QString>
#include <QStringList>
#include <vector>

#include "gui/canvas/painting.h"

namespace mpm::gui {

/// Of captions in a view of that size: larger in a large one, which is read from farther away.
QFont captionFont(const QFont& font, QSizeF view);

constexpr double kCaptionMargin = 8;  ///< of words to the rim of their plate, and of that to others

/// What words stand on, readable on any picture; then they are white.
void drawPlate(QPainter& painter, const QRectF& plate);

/// Whether a plate stands partly on the picture and partly beside it.
bool crosses(const QRectF& plate, const QRectF& picture);

/// A title in the upper left corner of `bounds`, shortened where it is too long. In the picture's
/// own corner where it would cross its edge. Where it stands.
QRectF drawTitle(QPainter& painter, const QRectF& bounds, const QString& title,
                 const QRectF& picture = {});
/// Where it would stand in `bounds`.
QRectF titlePlate(const QFont& font, const QRectF& bounds, const QString& title);

/// A line of words in the lower middle, above a legend of one line: what can be done now. In
/// several lines where one would cross the picture's edge.
void drawHint(QPainter& painter, const QRectF& bounds, const QString& words,
              const QRectF& picture = {});

/// Words in the middle, as large as fits up to a tenth of the height, and smaller ones under them;
/// both readable on any picture, and on it alone where they have room there.
void drawNotice(QPainter& painter, const QRectF& bounds, const QString& large, const QString& small,
                const QRectF& picture = {});

/// A card with a title and lines, beside what it is about: to its right, else to its left, else
/// below or above, inside `bounds`. Where it stands.
QRectF drawCard(QPainter& painter, const QRectF& bounds, const QRectF& about,
                const QStringList& lines);

/// What colours mean: swatches and scales with words.
struct LegendItem {
  enum class Mark { none, colour, hatched, valueScale };
  QString words = {};  ///< of a scale: at its left end
  Mark mark = Mark::none;
  QRgb colour = 0;
  QString atEnd = {};  ///< of a scale: at its right end
};

/// For a kind of painting of a result; empty where colours need no words. `agreement` 0 to 1: of
/// merged and full labels, where it is known; `ageMs`: how old the result is, where it is not the
/// newest, as of comparisons, and of tokens where there is a memory.
std::vector<LegendItem> legendOf(const monitor::FrameResult& result, const Painting& painting,
                                 double agreement, qint64 ageMs);

/// In the lower left corner of `bounds`, or the upper one, in as many lines as it takes; left out
/// where it would take more than a third of them. Left of `picture`, where there is room: it would
/// cover it in fewer lines. Else in the picture's own corner, unless that is too narrow.
void drawLegend(QPainter& painter, const QRectF& bounds, const std::vector<LegendItem>& items,
                Qt::Edge edge = Qt::BottomEdge, const QRectF& picture = {});

/// "4 s", "2 min 10 s", "3 h 5 min", "2 d 4 h".
QString spokenAge(qint64 ageMs);

}  // namespace mpm::gui

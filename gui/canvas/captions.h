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

/// Returns the font of captions: larger in a large view, which is read from farther away.
QFont captionFont(const QFont& font, QSizeF view);

constexpr double kCaptionMargin = 8;  ///< of words to the rim of their plate, and of that to others

/// Draws the background of white text, readable on any frame.
void drawPlate(QPainter& painter, const QRectF& plate);

/// Tells whether a plate is partly on the frame and partly next to it.
bool crosses(const QRectF& plate, const QRectF& picture);

/// Draws a title in the upper left corner of `bounds`, shortened if too long, or in the frame's own
/// corner if it would cross the edge. Returns where it is.
QRectF drawTitle(QPainter& painter, const QRectF& bounds, const QString& title,
                 const QRectF& picture = {});
/// Returns where a title would be in `bounds`.
QRectF titlePlate(const QFont& font, const QRectF& bounds, const QString& title);

/// Draws a line on what can be done now, in the lower middle above a one-line legend. It wraps if
/// it would cross the frame's edge.
void drawHint(QPainter& painter, const QRectF& bounds, const QString& words,
              const QRectF& picture = {});

/// Draws words in the middle, as large as fits up to a tenth of the height, with smaller ones
/// below. Both are readable on any frame, and on the frame alone if they have room there.
void drawNotice(QPainter& painter, const QRectF& bounds, const QString& large, const QString& small,
                const QRectF& picture = {});

/// Draws a card with a title and lines, inside `bounds`: right of its subject, else left of it,
/// below or above. Returns where it is.
QRectF drawCard(QPainter& painter, const QRectF& bounds, const QRectF& about,
                const QStringList& lines);

/// An item that explains colours: swatches and scales with words.
struct LegendItem {
  enum class Mark { none, colour, hatched, valueScale };
  QString words = {};  ///< of a scale: at its left end
  Mark mark = Mark::none;
  QRgb colour = 0;
  QString atEnd = {};  ///< of a scale: at its right end
};

/// Returns the legend of a painting; empty if its colours need no words. `agreement` is the label
/// agreement, 0 to 1, if known. `ageMs` is the result's age if it is not the newest, as with
/// comparisons, or with a memory that of the tokens.
std::vector<LegendItem> legendOf(const monitor::FrameResult& result, const Painting& painting,
                                 double agreement, qint64 ageMs);

/// Draws the legend in the lower or upper left corner of `bounds`, wrapped as needed; left out if
/// it would fill over a third of them. It goes left of `picture` if there is room, even in more
/// lines, else in the frame's own corner, unless that is too narrow.
void drawLegend(QPainter& painter, const QRectF& bounds, const std::vector<LegendItem>& items,
                Qt::Edge edge = Qt::BottomEdge, const QRectF& picture = {});

/// Returns "4 s", "2 min 10 s", "3 h 5 min", "2 d 4 h".
QString spokenAge(qint64 ageMs);

}  // namespace mpm::gui

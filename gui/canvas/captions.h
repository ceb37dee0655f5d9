// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFont>
#include <QPainter>
#include <QSizeF>
#include <QString>
#include <QStringList>

namespace mpm::gui {

/// Of captions in a view of that size: larger in a large one, which is read from farther away.
QFont captionFont(const QFont& font, QSizeF view);

constexpr double kCaptionMargin = 8;  ///< of words to the rim of their plate, and of that to others

/// What words stand on, readable on any picture; then they are white.
void drawPlate(QPainter& painter, const QRectF& plate);

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

}  // namespace mpm::gui

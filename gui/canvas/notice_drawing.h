// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QString>

namespace mpm::gui {

/// A title in the upper left corner of `bounds`, shortened where it is too long.
void drawTitle(QPainter& painter, const QRectF& bounds, const QString& title);

/// A line of words in the lower middle: what can be done now.
void drawHint(QPainter& painter, const QRectF& bounds, const QString& words);

/// Words in the middle, as large as fits up to a tenth of the height, and smaller ones under them;
/// both readable on any picture.
void drawNotice(QPainter& painter, const QRectF& bounds, const QString& large,
                const QString& small);

/// "4 s", "2 min 10 s", "3 h 5 min", "2 d 4 h".
QString spokenAge(qint64 ageMs);

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRegularExpression>
#include <QString>

namespace mpm::gui {

/// The same words in lines that never end between a number and its unit ("7 s", "2 min", "38 %").
/// For whatever is wrapped.
inline QString unbroken(QString words) {
  static const QRegularExpression space(
      QStringLiteral("(?<=\\d) (?=%|°|(?:ms|s|min|h|d|j|T|Std|kB|MB|GB|m²?|px)(?!\\p{L}))"),
      QRegularExpression::UseUnicodePropertiesOption);
  return words.replace(space, QString(QChar(QChar::Nbsp)));
}

}  // namespace mpm::gui

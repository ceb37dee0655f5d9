// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRegularExpression>
#include <QString>

namespace mpm::gui {

/// Returns the text so that no line breaks between a number and its unit ("7 s", "2 min", "38 %").
/// Use it for wrapped text.
inline QString unbroken(QString words) {
  static const QRegularExpression space(
      QStringLiteral("(?<=\\d) (?=%|°|(?:ms|s|min|h|d|j|T|Std|kB|MB|GB|m²?|px)(?!\\p{L}))"),
      QRegularExpression::UseUnicodePropertiesOption);
  return words.replace(space, QString(QChar(QChar::Nbsp)));
}

/// Returns the text so that very long words may break: the name of a file, a zone or a rule would
/// otherwise make a window as wide as itself.
inline QString breakable(QString words) {
  static const QRegularExpression part(QStringLiteral("([^\\s/]{40})(?=[^\\s/])"));
  return words.replace(part, QStringLiteral("\\1\u200b"));
}

}  // namespace mpm::gui

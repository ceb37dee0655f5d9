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

/// The same words in lines that may end within one that is longer than any word: a name of a file,
/// a zone or a rule, beside which a window would be as wide as that is.
inline QString breakable(QString words) {
  static const QRegularExpression part(QStringLiteral("([^\\s/]{40})(?=[^\\s/])"));
  return words.replace(part, QStringLiteral("\\1\u200b"));
}

}  // namespace mpm::gui

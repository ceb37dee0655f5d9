// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRegularExpression>
#include <QString>

namespace mpm::gui {

/// The same words in lines that never end between a number and its unit ("7 s", "2 min", "38 %").
/// For whatever is wrapped; a unit has three letters at most.
inline QString unbroken(QString words) {
  static const QRegularExpression space(
      QStringLiteral("(?<=\\d) (?=(?:%|°|\\p{L}{1,3}²?(?!\\p{L})))"),
      QRegularExpression::UseUnicodePropertiesOption);
  return words.replace(space, QString(QChar(QChar::Nbsp)));
}

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFile>
#include <QString>
#include <QStringList>
#include <QXmlStreamReader>
#include <vector>

namespace mpm::gui::testing {

/// What one sentence of the sources is in a language.
struct Translated {
  QString context, source, comment;
  QStringList forms;  ///< one, or one for each number that the language tells apart
  bool finished = true;

  QString key() const { return context + '|' + source + '|' + comment; }
};

inline Translated readMessage(QXmlStreamReader& xml, const QString& context) {
  Translated message;
  message.context = context;
  while (xml.readNextStartElement()) {
    const QString name = xml.name().toString();
    if (name == "source") {
      message.source = xml.readElementText();
    } else if (name == "comment") {
      message.comment = xml.readElementText();
    } else if (name == "translation") {
      // "unfinished", or what is no longer in the sources.
      message.finished = xml.attributes().value("type").isEmpty();
      QString text;
      while (xml.readNext() != QXmlStreamReader::EndElement && !xml.atEnd()) {
        if (xml.isCharacters()) text += xml.text();
        if (xml.isStartElement()) message.forms << xml.readElementText();
      }
      if (message.forms.isEmpty()) message.forms << text;
    } else {
      xml.skipCurrentElement();
    }
  }
  return message;
}

/// All sentences of a file of Qt's Linguist; none where it cannot be read.
inline std::vector<Translated> readTranslations(const QString& path) {
  std::vector<Translated> messages;
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return messages;
  QXmlStreamReader xml(&file);
  QString context;
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    if (xml.name() == QLatin1String("name")) context = xml.readElementText();
    if (xml.name() == QLatin1String("message")) messages.push_back(readMessage(xml, context));
  }
  return messages;
}

}  // namespace mpm::gui::testing

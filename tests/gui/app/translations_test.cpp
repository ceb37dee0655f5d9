// SPDX-License-Identifier: Apache-2.0
// The translations as files: complete, and of the same make as what they translate.
#include <gtest/gtest.h>

#include <QtWidgets>
#include <vector>

#include "in_project.h"

namespace mpm::gui {
namespace {

// A sentence of the sources in a language.
struct Translated {
  QString context, source, comment;
  QStringList forms;  // one, or one for each number that the language tells apart
  bool finished = true;

  QString key() const { return context + '|' + source + '|' + comment; }
};

Translated readMessage(QXmlStreamReader& xml, const QString& context) {
  Translated message;
  message.context = context;
  while (xml.readNextStartElement()) {
    const QString name = xml.name().toString();
    if (name == "source") {
      message.source = xml.readElementText();
    } else if (name == "comment") {
      message.comment = xml.readElementText();
    } else if (name == "translation") {
      // The type is "unfinished", or marks a sentence that left the sources.
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

// Returns all sentences of a Qt Linguist file; none if it cannot be read.
std::vector<Translated> readTranslations(const QString& path) {
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

QString fileOf(const QString& language) {
  return QString::fromStdString(test::inProject("gui/translations/mpm-monitor_%1.ts"))
      .arg(language);
}

// Returns sentences of the sources in `folder`, from lupdate as in scripts/translations.
std::vector<Translated> sentencesOf(const QString& folder) {
  const QTemporaryDir out;
  const QString file = out.filePath("found.ts");
  QProcess lupdate;
  lupdate.setWorkingDirectory(QString::fromStdString(test::inProject("")));
  lupdate.start(QStringLiteral(MPM_LUPDATE),
                {"-silent", folder, "-I", ".", "-extensions", "cpp,h", "-locations", "none",
                 "-source-language", "en", "-target-language", "de", "-ts", file});
  EXPECT_TRUE(lupdate.waitForFinished(60000)) << lupdate.readAllStandardError().constData();
  return readTranslations(file);
}

// Returns a file's faults: missing translations, and translations without a sentence.
QStringList wrongIn(const std::vector<Translated>& file, const std::vector<Translated>& sources) {
  QSet<QString> translated, wanted;
  QStringList wrong;
  for (const Translated& message : file) {
    translated.insert(message.key());
    if (!message.finished || message.forms.contains(QString()))
      wrong << "unfinished: " + message.key();
  }
  for (const Translated& message : sources) {
    wanted.insert(message.key());
    if (!translated.contains(message.key())) wrong << "missing: " + message.key();
  }
  for (const Translated& message : file)
    if (!wanted.contains(message.key())) wrong << "no longer in the sources: " + message.key();
  return wrong;
}

QStringList matches(const QString& pattern, const QString& text) {
  QStringList all;
  auto found = QRegularExpression(pattern).globalMatch(text);
  while (found.hasNext()) all << found.next().captured();
  all.sort();
  return all;
}

class Translations : public ::testing::TestWithParam<const char*> {};

TEST_P(Translations, HaveEverySentenceOfTheSourcesAndNoOther) {
  if (QStringLiteral(MPM_LUPDATE).isEmpty()) GTEST_SKIP() << "needs lupdate (qt6-l10n-tools)";
  const std::vector<Translated> sources = sentencesOf("gui");
  EXPECT_GT(sources.size(), 300u);
  const QStringList wrong = wrongIn(readTranslations(fileOf(GetParam())), sources);
  EXPECT_TRUE(wrong.isEmpty()) << "scripts/translations brings the file up to date:\n"
                               << qPrintable(wrong.join('\n'));
}

// Each number has its form. A name in brackets would be shown as it is.
TEST_P(Translations, HavePlaceholdersAcceleratorsAndFiltersOfTheSource) {
  const std::vector<Translated> file = readTranslations(fileOf(GetParam()));
  ASSERT_FALSE(file.empty());
  for (const Translated& message : file) {
    const bool counts = !matches("%L?n", message.source).isEmpty();
    EXPECT_EQ(message.forms.size(), counts ? 2 : 1) << qPrintable(message.source);
    if (!message.finished) continue;  // told by the test above
    for (const QString& form : message.forms) {
      for (const char* pattern : {"%L?[0-9]{1,2}|%L?n", "&(?=[^ &])", "\\*\\.[a-z]+", "<[^>]+>",
                                  "^ | $", "\\n", "--[a-z-]+", "\\{[a-z]+\\}"}) {
        EXPECT_EQ(matches(pattern, form).join(' ').toStdString(),
                  matches(pattern, message.source).join(' ').toStdString())
            << qPrintable(form);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, Translations, ::testing::Values("de", "fr"));

TEST(TranslationFiles, ASentenceThatIsAddedIsMissed) {
  if (QStringLiteral(MPM_LUPDATE).isEmpty()) GTEST_SKIP() << "needs lupdate (qt6-l10n-tools)";
  const QTemporaryDir folder;
  QFile source(folder.filePath("added.cpp"));
  ASSERT_TRUE(source.open(QIODevice::WriteOnly));
  source.write(
      "#include <QObject>\nQString f() { return QObject::tr(\"Somebody added this\"); }\n");
  source.close();
  const std::vector<Translated> added = sentencesOf(folder.path());
  EXPECT_EQ(wrongIn({}, added), QStringList("missing: QObject|Somebody added this|"));
  EXPECT_EQ(wrongIn(added, added), QStringList("unfinished: QObject|Somebody added this|"));
  std::vector<Translated> done = added;
  done[0].finished = true;
  done[0].forms = {"Jemand"};
  EXPECT_EQ(wrongIn(done, added), QStringList());
  EXPECT_EQ(wrongIn(done, {}),
            QStringList("no longer in the sources: QObject|Somebody added this|"));
}

// French has an unbreakable space before :, a narrow one before ; ! ? %, and a curved apostrophe.
TEST(TranslationFiles, FrenchIsSetAsFrenchIs) {
  const QRegularExpression bare(
      QStringLiteral("[^\u00a0]:(\\s|$)|[^\u202f][;!?](\\s|$)|"
                     "[0-9][ \u00a0]?%(?![0-9Ln])|[a-z]'"));
  for (const Translated& message : readTranslations(fileOf("fr"))) {
    for (const QString& form : message.forms)
      EXPECT_FALSE(bare.match(form).hasMatch()) << qPrintable(form);
  }
  EXPECT_TRUE(bare.match("Temps: 5").hasMatch());
  EXPECT_FALSE(bare.match(QStringLiteral("Temps\u00a0: 5")).hasMatch());
}

// The context menu is created when it is shown, so this reads its source.
TEST(TranslationFiles, NoLetterTwiceInTheLegendsMenu) {
  for (const char* language : {"de", "fr"}) {
    QSet<QChar> letters;
    int entries = 0;
    for (const Translated& message : readTranslations(fileOf(language))) {
      const auto at = message.forms[0].indexOf('&');
      if (message.context != "mpm::gui::ClassLegend" || at < 0) continue;
      letters.insert(message.forms[0][at + 1].toLower());
      ++entries;
    }
    EXPECT_EQ(letters.size(), entries) << language;
    EXPECT_EQ(entries, 3) << language;
  }
}

}  // namespace
}  // namespace mpm::gui

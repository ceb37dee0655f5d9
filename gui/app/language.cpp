// SPDX-License-Identifier: Apache-2.0
#include "gui/app/language.h"

#include <QtWidgets>
#include <utility>
#include <vector>

namespace mpm::gui {
namespace {

constexpr const char* kEnglish = "en";  // what the sources are written in
constexpr const char* kFolder = ":/translations";
constexpr const char* kBeginning = "mpm-monitor_";

}  // namespace

QStringList languages() {
  QStringList codes{QString::fromLatin1(kEnglish)};
  for (const QString& file : QDir(QString::fromLatin1(kFolder)).entryList()) {
    const QString code = file.section('_', 1).section('.', 0, 0);
    if (!codes.contains(code)) codes << code;
  }
  codes.sort();
  return codes;
}

QString languageName(const QString& code) {
  if (code == QLatin1String(kEnglish)) return QStringLiteral("English");  // of no country
  QString name = QLocale(code).nativeLanguageName();
  if (!name.isEmpty()) name[0] = name[0].toUpper();
  return name;
}

QString languageFor(const QStringList& wanted) {
  const QStringList spoken = languages();
  for (QString language : wanted) {
    const QString code = language.replace('_', '-').section('-', 0, 0).toLower();
    if (spoken.contains(code)) return code;
  }
  return QString::fromLatin1(kEnglish);
}

QString languageToSpeak(const QStringList& arguments, const QString& remembered) {
  QCommandLineParser parser;
  parser.addOption({"language", {}, "CODE"});
  parser.addOption({"fresh", {}});
  parser.parse(arguments);  // false, because there are other options
  const QStringList spoken = languages();
  const QString asked = parser.value("language");
  if (spoken.contains(asked)) return asked;
  if (spoken.contains(remembered) && !parser.isSet("fresh")) return remembered;
  return languageFor(QLocale::system().uiLanguages());
}

void speak(const QString& code) {
  static std::vector<QPointer<QTranslator>> speaking;
  for (QTranslator* translator : speaking) delete translator;
  speaking.clear();
  const QString ofQt = QLibraryInfo::path(QLibraryInfo::TranslationsPath);
  for (const auto& [file, folder] :
       {std::pair{QStringLiteral("qtbase_"), ofQt},
        std::pair{QString::fromLatin1(kBeginning), QString::fromLatin1(kFolder)}}) {
    auto* translator = new QTranslator(qApp);
    if (translator->load(file + code, folder)) {
      QCoreApplication::installTranslator(translator);
      speaking.emplace_back(translator);
    } else {
      delete translator;
    }
  }
  // Whoever's system has the language as well keeps the numbers of their country.
  const QLocale system = QLocale::system(), wanted(code);
  QLocale::setDefault(system.language() == wanted.language() ? system : wanted);
}

}  // namespace mpm::gui

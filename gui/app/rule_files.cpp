// SPDX-License-Identifier: Apache-2.0
#include "gui/app/rule_files.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStandardPaths>
#include <exception>
#include <stdexcept>
#include <string>

#include "gui/app/live.h"

namespace mpm::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::RuleFiles)
};

// Whether the app would write the file otherwise.
bool isByHand(const QString& file) {
  QFile read(file);
  if (!read.open(QIODevice::ReadOnly)) return false;
  const std::string toml = read.readAll().toStdString();
  try {
    return monitor::rulesToml(monitor::parseRules(toml, {})) != toml;
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace

QString rulesFileOf(const QString& source) {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  try {
    return folder + QStringLiteral("/rules/") + sourceName(source) + QStringLiteral(".toml");
  } catch (const std::exception&) {
    return {};
  }
}

monitor::RuleBook readBook(const QString& file) {
  if (file.isEmpty() || !QFileInfo::exists(file)) return {};
  return monitor::readRules(file.toStdString());
}

void writeBook(const QString& file, const monitor::RuleBook& book) {
  QDir().mkpath(QFileInfo(file).path());
  if (isByHand(file)) QFile::copy(file, file + QStringLiteral(".before"));
  QSaveFile saved(file);
  const QByteArray toml = QByteArray::fromStdString(monitor::rulesToml(book));
  if (saved.open(QIODevice::WriteOnly) && saved.write(toml) == toml.size() && saved.commit())
    return;
  throw std::runtime_error(Words::tr("Rules and zones cannot be written to %1: %2.")
                               .arg(file, saved.errorString())
                               .toStdString());
}

}  // namespace mpm::gui

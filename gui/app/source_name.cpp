// SPDX-License-Identifier: Apache-2.0
#include "gui/app/source_name.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <algorithm>
#include <cctype>
#include <exception>
#include <string>

#include "monitor/record/record_reader.h"
#include "monitor/source/address.h"

namespace mpm::gui {
namespace {

constexpr int kDigestLetters = 8;

std::string shownOf(const QString& address) {
  return monitor::parseSourceAddress(address.toStdString()).shown;
}

}  // namespace

QString earlierSourceName(const QString& address) {
  std::string name = shownOf(address);
  for (char& letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >= 128 || (std::isalnum(byte) == 0 && letter != '-')) letter = '_';
  }
  return QString::fromStdString(name);
}

QString sourceName(const QString& address) {
  const QByteArray digest = QCryptographicHash::hash(QByteArray::fromStdString(shownOf(address)),
                                                     QCryptographicHash::Sha256);
  return earlierSourceName(address) + QLatin1Char('-') +
         QString::fromLatin1(digest.toHex().left(kDigestLetters));
}

QString fileNameOf(const QString& name) {
  constexpr int kLongest = 255 - 16, kBehind = kDigestLetters + 1;
  return name.size() <= kLongest ? name : name.left(kLongest - kBehind) + name.right(kBehind);
}

QString nameInRecord(const QString& address, const QString& record) {
  const QString name = sourceName(address), earlier = earlierSourceName(address);
  if (!QFileInfo::exists(record)) return name;
  try {
    const std::string shown = shownOf(address);
    const auto runs = monitor::RecordReader(record.toStdString()).runs(earlier.toStdString());
    const bool isItsOwn = std::all_of(runs.begin(), runs.end(),
                                      [&](const auto& run) { return run.facts.address == shown; });
    return !runs.empty() && isItsOwn ? earlier : name;
  } catch (const std::exception&) {  // which is told when it is opened to write to
    return name;
  }
}

}  // namespace mpm::gui

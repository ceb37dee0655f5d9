// SPDX-License-Identifier: Apache-2.0
#include "gui/app/settings.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QObject>
#include <QSaveFile>
#include <QSettings>
#include <QStandardPaths>
#include <algorithm>
#include <cctype>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "gui/app/options.h"
#include "models/street/street_model.h"
#include "monitor/record/record_reader.h"
#include "monitor/source/address.h"
#include "monitor/source/reader.h"

namespace mpm::gui {
namespace {

constexpr int kMostRecent = 10, kDigestLetters = 8;
constexpr const char* kFaceProperty = "mpm_face";

std::string shownOf(const QString& address) {
  return monitor::parseSourceAddress(address.toStdString()).shown;
}

// An address with a password is not saved: it has to be typed again.
bool holdsSecret(const QString& address) {
  try {
    const monitor::SourceAddress parsed = monitor::parseSourceAddress(address.toStdString());
    return parsed.text != parsed.shown && parsed.shown.find("***") != std::string::npos;
  } catch (const std::exception&) {
    return true;
  }
}

// The path is returned even if its folder cannot be made; opening it reports why.
QString defaultRecord() {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  QDir().mkpath(folder);
  return folder + "/record.sqlite";
}

// Returns an empty name for what is no address, which is told where it is opened.
QString nameOrNone(const QString& address) {
  try {
    return sourceName(address);
  } catch (const std::exception&) {
    return {};
  }
}

template <typename Kind>
Kind kindOf(const QVariant& value, int count, Kind otherwise) {
  bool number = false;
  const int kind = value.toInt(&number);
  return number && kind >= 0 && kind < count ? static_cast<Kind>(kind) : otherwise;
}

QStringList numbersOf(const std::vector<ViewKind>& kinds) {
  QStringList numbers;
  for (const ViewKind kind : kinds) numbers << QString::number(static_cast<int>(kind));
  return numbers;
}

std::vector<ViewKind> kindsOf(const QStringList& numbers) {
  std::vector<ViewKind> kinds;
  for (const QString& number : numbers)
    kinds.push_back(kindOf(number, kViewKinds, ViewKind::camera));
  return kinds;
}

// Visits settings that are saved unchanged.
template <typename Visit>
void eachSetting(Settings& settings, const Visit& visit) {
  visit("source", settings.live.source);
  visit("beside", settings.live.beside);
  visit("replay", settings.live.replay);
  visit("model", settings.live.model);
  visit("own_models", settings.live.ownModels);
  visit("own_schedules", settings.live.ownSchedules);
  visit("precision", settings.live.precision);
  visit("device", settings.live.device);
  visit("recent_sources", settings.recentSources);
  visit("recent_models", settings.recentModels);
  visit("source_names", settings.sourceNames);
  visit("geometry", settings.geometry);
  visit("state", settings.state);
  visit("watch_state", settings.watchState);
  visit("memory", settings.memory);
  visit("pictures_per_hour", settings.live.picturesPerHour);
  visit("wall", settings.onWall);
  visit("shown_source", settings.shownSource);
  visit("opacity", settings.opacity);
  visit("outlines", settings.outlines);
  visit("language", settings.language);
  visit("teach_folder", settings.teachFolder);
  visit("compare", settings.compare);
  visit("hidden_classes", settings.hiddenClasses);
  visit("solo_class", settings.soloClass);
  visit("plot_span_ms", settings.plotSpanMs);
  visit("days_metric", settings.daysMetric);
  visit("days_span", settings.daysSpan);
}

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::RuleFiles)
};
struct SourceNames {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::SourceNames)
};

QString rulesFileNamed(const QString& name) {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  return folder + QStringLiteral("/rules/") + fileNameOf(name) + QStringLiteral(".toml");
}

// Tells whether the app would write the file differently.
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

std::optional<Face> Faces::named(const QString& word) {
  for (int i = 0; i < kFaces; ++i)
    if (word == QLatin1String(kWords[static_cast<std::size_t>(i)])) return static_cast<Face>(i);
  return std::nullopt;
}

QString Faces::titleOf(Face face) {
  switch (face) {
    case Face::watch:
      return tr("Watch");
    case Face::study:
      return tr("Study");
    case Face::exhibition:
      break;
  }
  return tr("Exhibition");
}

QString Faces::descriptionOf(Face face) {
  switch (face) {
    case Face::watch:
      return tr("What your camera sees, in words. Alerts, and your own classes.");
    case Face::study:
      return tr("How tokens merge, what that saves, and what it costs.");
    case Face::exhibition:
      break;
  }
  return tr("A full screen that shows visitors how it works.");
}

void Faces::setOnly(QObject* object, Face face) {
  object->setProperty(kFaceProperty, static_cast<int>(face));
}

bool Faces::has(Face face, const QObject* object) {
  const QVariant only = object->property(kFaceProperty);
  return !only.isValid() || only.toInt() == static_cast<int>(face);
}

bool LiveOptions::hasOwnModel(const QString& address) const {
  return ownModels.contains(nameOrNone(address));
}

QString LiveOptions::modelOf(const QString& address) const {
  return ownModels.value(nameOrNone(address), model).toString();
}

std::optional<Schedule> LiveOptions::scheduleOf(const QString& address) const {
  if (!hasOwnModel(address)) return schedule;
  const QVariant own = ownSchedules.value(nameOrNone(address));
  return own.isValid() ? parseBlocks(own.toString()) : std::nullopt;
}

void LiveOptions::setModelOf(const QString& address, const QString& file) {
  const QString name = nameOrNone(address);
  ownSchedules.remove(name);
  if (file == model) {
    ownModels.remove(name);
  } else if (!name.isEmpty()) {
    ownModels[name] = file;
  }
}

void LiveOptions::setScheduleOf(const QString& address, const Schedule& blocks) {
  if (hasOwnModel(address)) {
    ownSchedules[nameOrNone(address)] = blocksText(blocks);
  } else {
    schedule = blocks;
  }
}

bool hasNamedTimes(const QString& address) {
  try {
    const auto parsed = monitor::parseSourceAddress(address.toStdString());
    return parsed.kind == monitor::SourceKind::folder && !monitor::namedTimes(parsed.text).empty();
  } catch (const std::exception&) {  // which is told where it is opened
    return false;
  }
}

std::optional<Schedule> parseBlocks(const QString& text) {
  if (text.trimmed().isEmpty()) return Schedule();
  try {
    return Schedule::parse(text.toStdString());
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

QString blocksText(const Schedule& blocks) { return QString::fromStdString(blocks.text()); }

QStringList withRecent(QStringList list, const QString& entry) {
  list.removeAll(entry);
  list.prepend(entry);
  while (list.size() > kMostRecent) list.removeLast();
  return list;
}

QStringList withRecentSource(QStringList list, const QString& address) {
  return holdsSecret(address) ? list : withRecent(std::move(list), address);
}

Settings readSettings() {
  const QSettings stored;
  Settings settings;
  eachSetting(settings, [&](const char* key, auto& value) {
    if (stored.contains(key)) value = stored.value(key).value<std::decay_t<decltype(value)>>();
  });
  settings.live.memory = settings.memory;
  if (stored.contains("merge_before")) {
    settings.live.schedule = parseBlocks(stored.value("merge_before").toString());
  }
  settings.face = Faces::named(stored.value("face").toString());
  settings.layout = kindOf(stored.value("layout"), kDeckLayouts, DeckLayout::pair);
  settings.theme = kindOf(stored.value("theme"), kThemes, Theme::dark);
  settings.kind = kindOf(stored.value("kind"), kViewKinds, ViewKind::mergeMap);
  settings.views = kindsOf(stored.value("views").toStringList());
  settings.opacity = std::clamp(settings.opacity, 0.0, 1.0);
  int& pictures = settings.live.picturesPerHour;
  pictures = std::clamp(pictures, 0, monitor::DayPictures::kMost);
  return settings;
}

std::optional<QVariantMap> writeSettings(const Settings& settings, const QVariantMap& before) {
  Settings kept = settings;
  if (!kept.watchedBefore.isEmpty()) {
    kept.live.source = kept.watchedBefore.front();
    kept.live.beside = kept.watchedBefore.mid(1);
    kept.live.replay = false;
  }
  kept.recentSources.removeIf(holdsSecret);
  kept.live.beside.removeIf(holdsSecret);
  QVariantMap all;
  eachSetting(kept, [&](const char* key, const auto& value) { all.insert(key, value); });
  if (holdsSecret(kept.live.source)) all.remove("source");  // what was there stays
  // An empty schedule means none.
  all.insert("merge_before",
             kept.live.schedule ? QVariant(blocksText(*kept.live.schedule)) : QVariant());
  all.insert("face", settings.face ? QVariant(Faces::wordOf(*settings.face)) : QVariant());
  all.insert("layout", static_cast<int>(settings.layout));
  all.insert("theme", static_cast<int>(settings.theme));
  all.insert("kind", static_cast<int>(settings.kind));
  all.insert("views", numbersOf(settings.views));
  if (all == before) return all;
  QSettings stored;
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (before.contains(one.key()) && before.value(one.key()) == one.value()) continue;
    one->isValid() ? stored.setValue(one.key(), one.value()) : stored.remove(one.key());
  }
  stored.sync();
  return stored.status() == QSettings::NoError ? std::optional(all) : std::nullopt;
}

Settings withOptions(Settings settings, const AppOptions& options) {
  LiveOptions& live = settings.live;
  settings.isKept = !options.fresh;
  if (options.source) {
    if (!live.beside.isEmpty()) settings.watchedBefore = live.sources();
    live.source = *options.source;
    live.beside.clear();
    live.replay = false;
  }
  if (options.replay) live.replay = true;
  live.location = options.location;
  if (live.source.isEmpty()) live.source = QString::fromLatin1(kStreet);
  if (options.model) {
    live.model = *options.model;
    for (const QString& watched : live.sources()) live.setModelOf(watched, live.model);
  } else if (live.model.isEmpty() || !QFileInfo::exists(live.model)) {
    settings.goneModel = std::exchange(live.model, QString::fromStdString(streetModel()));
    if (!settings.goneModel.isEmpty()) live.schedule.reset();
  }
  for (const QString& watched : live.sources()) {
    if (QFileInfo::exists(live.modelOf(watched))) continue;
    settings.goneModel = live.modelOf(watched);
    live.setModelOf(watched, live.model);
  }
  if (options.precision) live.precision = *options.precision;
  if (options.device) live.device = *options.device;
  if (options.fit) live.fit = *options.fit == "slide" ? Fit::slide : Fit::stretch;
  if (options.schedule)
    for (const QString& watched : live.sources()) live.setScheduleOf(watched, *options.schedule);
  if (options.mostFps) live.mostFps = *options.mostFps;
  if (options.face) settings.face = options.face;
  if (options.noMemory) live.memory = false;
  if (options.picturesPerHour) live.picturesPerHour = *options.picturesPerHour;
  if (options.rules) {
    live.rules = *options.rules;
    monitor::readRules(options.rules->toStdString());
  }
  live.record = options.record.value_or(options.fresh ? QStringLiteral("none") : defaultRecord());
  if (live.record == QLatin1String("none")) live.record.clear();
  return settings;
}

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

QString givenName(const QString& address, const QVariantMap& names) {
  try {
    const QString name = sourceName(address);
    return names.value(names.contains(name) ? name : earlierSourceName(address)).toString();
  } catch (const std::exception&) {
    return {};
  }
}

QString spokenName(const QString& address, const QVariantMap& names) {
  try {
    const QString given = givenName(address, names);
    if (!given.isEmpty()) return given;
    if (address == QLatin1String(kStreet)) return SourceNames::tr("A drawn street");
    return QString::fromStdString(shownOf(address));
  } catch (const std::exception&) {
    return {};
  }
}

QString rulesFileOf(const QString& source, const LiveOptions& options) {
  if (!options.rules.isEmpty()) return options.rules;
  try {
    return rulesFileNamed(sourceName(source));
  } catch (const std::exception&) {
    return {};
  }
}

monitor::RuleBook readBook(const QString& file) {
  if (file.isEmpty() || !QFileInfo::exists(file)) return {};
  return monitor::readRules(file.toStdString());
}

KeptRules keptRules(const QString& source, const LiveOptions& options) {
  try {
    QString file = rulesFileOf(source, options);
    if (!QFileInfo::exists(file) && options.rules.isEmpty())
      file = rulesFileNamed(earlierSourceName(source));
    return {readBook(file), {}};
  } catch (const std::exception& fault) {
    return {{}, QString::fromUtf8(fault.what())};
  }
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

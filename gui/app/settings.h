// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QCoreApplication>
#include <QString>
#include <QStringList>
#include <QVariantMap>
#include <array>
#include <cstddef>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "gui/canvas/painting.h"
#include "monitor/rules/rules.h"
#include "monitor/service/recorder.h"
#include "mpm/schedule.h"
#include "mpm/segmenter.h"

class QObject;

namespace mpm::gui {

struct AppOptions;

/// Purposes of the window.
enum class Face {
  watch,      ///< what is there: one picture with names, shares over today, events
  study,      ///< what merging does: all views, plots, schedules
  exhibition  ///< a full screen on which the picture dissolves into its tokens, and back
};
constexpr int kFaces = 3;

class Faces {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Faces)

 public:
  /// Names of the faces on the command line.
  static constexpr std::array<const char*, kFaces> kWords{"watch", "study", "exhibition"};
  static QString wordOf(Face face) {
    return QString::fromLatin1(kWords[static_cast<std::size_t>(face)]);
  }
  static std::optional<Face> named(const QString& word);
  static QString titleOf(Face face);
  static QString descriptionOf(Face face);

  /// Restricts an action or a panel to one face.
  static void setOnly(QObject* object, Face face);
  static bool has(Face face, const QObject* object);
};

/// Colour themes of the app.
enum class Theme {
  dark,  ///< for a screen that hangs on a wall
  light,
  system  ///< as the desktop has it, also when that changes, as far as its plugin for Qt tells
};
constexpr int kThemes = 3;
void applyTheme(Theme theme);  ///< from now on; needs the QApplication

/// Layouts of the views in the window.
enum class DeckLayout {
  grid,   ///< four at once
  pair,   ///< two beside each other, or one above the other
  split,  ///< camera and another on one picture, with a line between them
  named   ///< the labels alone, with names on them; no menu offers it
};
constexpr int kDeckLayouts = 3;  // that a menu offers

constexpr const char* kAutoPrecision = "auto";        ///< see SessionOptions::choosePrecision
constexpr const char* kStreet = "scene:?clock=600x";  ///< where nothing else was chosen

/// Options of what is watched, and how.
struct LiveOptions {
  QString model;                     ///< a file, of all cameras that have none of their own
  QString source;                    ///< an address, as parseSourceAddress takes it
  QStringList beside;                ///< more of them, with the rules kept for each
  std::optional<Schedule> schedule;  ///< with `model`; nothing: 2 and 5
  QVariantMap ownModels;             ///< files of cameras that have one, by sourceName
  QVariantMap ownSchedules;          ///< with these, as blocksText
  QString precision;                 ///< "", "fp32", "tf32", "bf16", "fp16", "int8", "auto"
  QString device;                    ///< "", "cpu", "cuda"
  Fit fit = Fit::stretch;
  QString rules;  ///< a file, of all sources; empty: each has one of its own
  double mostFps = 0;
  bool memory = true;   ///< see EngineOptions
  bool replay = false;  ///< each frame once, at its own time: CaptureOptions::everyFrame
  std::optional<cv::Vec2d> location;  ///< of the cameras: see monitor::LightOptions
  QString record;                     ///< a file; empty: none
  int picturesPerHour = monitor::DayPictures().perHour;  ///< that the record keeps

  QStringList sources() const { return QStringList{source} + beside; }  ///< the first one first

  bool hasOwnModel(const QString& address) const;
  QString modelOf(const QString& address) const;
  std::optional<Schedule> scheduleOf(const QString& address) const;
  /// Gives a camera this model with its usual schedule, as one of its own unless it is `model`.
  void setModelOf(const QString& address, const QString& file);
  void setScheduleOf(const QString& address, const Schedule& blocks);
};

/// State that the app remembers from one start to the next.
struct Settings {
  LiveOptions live;
  bool memory = true;  ///< as the next start has it; live.memory: as this one does
  /// Sources that were watched together, in order, while this start has another one; the next start
  /// restores them. Empty: those of `live`.
  QStringList watchedBefore;
  bool isKept = true;  ///< false: --fresh, which leaves what is remembered alone
  QString goneModel;   ///< that was remembered, and whose file is not there; empty: none
  QStringList recentSources, recentModels;  ///< the last one first; without passwords
  QVariantMap sourceNames;                  ///< that somebody gave, by sourceName
  std::optional<Face> face;                 ///< nothing: none was chosen yet
  QByteArray geometry;                      ///< of the window
  QByteArray state, watchState;             ///< where its panels are, in Study and in Watch
  DeckLayout layout = DeckLayout::pair;
  ViewKind kind = ViewKind::mergeMap;
  std::vector<ViewKind> views;  ///< ViewDeck::kinds; empty: as they are at first
  bool onWall = true;           ///< while there are several cameras, not the views of one
  QString shownSource;          ///< of several, by sourceName
  bool compare = false;         ///< with the unmerged run, always
  QStringList hiddenClasses;    ///< by name, of any model
  QString soloClass;
  qint64 plotSpanMs = 600'000;  ///< of tokens over time
  QString daysMetric;           ///< of the days of the record; empty: the first
  int daysSpan = 0;             ///< 0: a week, 1: a month, 2: a year
  double opacity = 0.6;
  bool outlines = true;
  Theme theme = Theme::dark;
  QString teachFolder;  ///< of frames and paintings; empty: none was chosen yet
  QString language;     ///< its code; empty: the system's
};

Settings readSettings();
/// Writes settings that differ from `before`, an earlier call's result. Returns all as they are
/// saved; std::nullopt if they cannot be written.
std::optional<QVariantMap> writeSettings(const Settings& settings, const QVariantMap& before = {});

/// Applies the command line on top of remembered settings; the street is the default. Throws
/// std::runtime_error, one sentence, if the requested rules cannot be read.
Settings withOptions(Settings settings, const AppOptions& options);

/// Tells whether an address is a folder whose files all have times in their names.
bool hasNamedTimes(const QString& address);

/// Parses as Schedule::parse does, with empty text as "none"; std::nullopt if it is no schedule.
std::optional<Schedule> parseBlocks(const QString& text);
QString blocksText(const Schedule& blocks);  ///< "2,5", or "none"

/// Moves `entry` to the front, once; at most ten are kept.
QStringList withRecent(QStringList list, const QString& entry);
/// Does the same for addresses, except those with a password.
QStringList withRecentSource(QStringList list, const QString& address);

/// Returns the name of a source's files and settings, and of the source in its record, so that each
/// address has a separate history. It has letters, digits, - and _, no secrets, and a part of the
/// address's digest. Throws std::invalid_argument if it is no address.
QString sourceName(const QString& address);
/// Returns the name without the digest, as earlier versions had it. It confused some addresses
/// ("cam 1" and "cam_1", or names in Chinese). Files by this name are read if there are none by the
/// other.
QString earlierSourceName(const QString& address);
/// Returns a file name without its ending, which may have sixteen letters. Names that are too long
/// for a file are cut.
QString fileNameOf(const QString& name);
/// Returns a source's name in a record (empty: none): sourceName, or its earlier name there unless
/// that was ever another address's. Reads the record.
QString nameInRecord(const QString& address, const QString& record);

/// Returns the name given to a source or, before, to its earlierSourceName; empty if none.
QString givenName(const QString& address, const QVariantMap& names);
/// Returns a source's name for people: the given one, else its address without secrets, or the name
/// of the app's own street.
QString spokenName(const QString& address, const QVariantMap& names);

/// Returns the rules file of a source: the named one, else one in the user's data folder. It has no
/// secrets; empty if the address is invalid.
QString rulesFileOf(const QString& source, const LiveOptions& options = {});
/// Returns an empty book if there is no such file. Throws as monitor::readRules does.
monitor::RuleBook readBook(const QString& file);
/// Rules kept for a source, or by its earlierSourceName.
struct KeptRules {
  monitor::RuleBook book;
  QString fault;  ///< why it cannot be read; the book is empty then. Empty: it can.
};
KeptRules keptRules(const QString& source, const LiveOptions& options);
/// Writes all or nothing; throws std::runtime_error, one sentence. A file with comments was written
/// by hand and is kept as `file` with ".before", unless that exists already.
void writeBook(const QString& file, const monitor::RuleBook& book);

}  // namespace mpm::gui

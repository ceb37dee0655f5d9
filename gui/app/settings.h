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

/// What the window is for.
enum class Face {
  watch,      ///< what is there: one picture with names, shares over today, events
  study,      ///< what merging does: all views, plots, schedules
  exhibition  ///< a full screen on which the picture dissolves into its tokens, and back
};
constexpr int kFaces = 3;

class Faces {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Faces)

 public:
  /// The words of the command line.
  static constexpr std::array<const char*, kFaces> kWords{"watch", "study", "exhibition"};
  static QString wordOf(Face face) {
    return QString::fromLatin1(kWords[static_cast<std::size_t>(face)]);
  }
  static std::optional<Face> named(const QString& word);
  static QString titleOf(Face face);
  static QString descriptionOf(Face face);

  /// Makes an action or a panel one of that face alone.
  static void setOnly(QObject* object, Face face);
  static bool has(Face face, const QObject* object);
};

/// Colours of the whole app.
enum class Theme {
  dark,  ///< for a screen that hangs on a wall
  light,
  system  ///< as the desktop has it, also when that changes, as far as its plugin for Qt tells
};
constexpr int kThemes = 3;
void applyTheme(Theme theme);  ///< from now on; needs the QApplication

/// How the views stand in the window.
enum class DeckLayout {
  grid,   ///< four at once
  pair,   ///< two beside each other, or one above the other
  split,  ///< camera and another on one picture, with a line between them
  named   ///< the labels alone, with names on them; no menu offers it
};
constexpr int kDeckLayouts = 3;  // that a menu offers

constexpr const char* kAutoPrecision = "auto";        ///< see SessionOptions::choosePrecision
constexpr const char* kStreet = "scene:?clock=600x";  ///< where nothing else was chosen

/// What is watched, and how.
struct LiveOptions {
  QString model;       ///< a file
  QString source;      ///< an address, as parseSourceAddress takes it
  QStringList beside;  ///< more of them, over the same net, with the rules kept for each
  std::optional<Schedule> schedule;  ///< nothing: 2 and 5
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
};

/// What the app remembers from one start to the next.
struct Settings {
  LiveOptions live;
  bool memory = true;  ///< as the next start has it; live.memory: as this one does
  /// Those that were watched beside each other, the first one first, while this start is of another
  /// source: they are there at the next. Empty: what `live` has is.
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
  bool compare = false;         ///< with full tokens, always
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
/// Those that are other than `before`, which an earlier call gave. Gives all, as they are kept;
/// nothing where they cannot be written.
std::optional<QVariantMap> writeSettings(const Settings& settings, const QVariantMap& before = {});

/// What the command line says counts before what is remembered; what neither says is the street.
/// std::runtime_error, one sentence, where rules that were asked for cannot be read.
Settings withOptions(Settings settings, const AppOptions& options);

/// Says whether an address is a folder whose pictures all have their times in their names.
bool hasNamedTimes(const QString& address);

/// As Schedule::parse does it, and no text as "none"; nothing where it is no schedule.
std::optional<Schedule> parseBlocks(const QString& text);
QString blocksText(const Schedule& blocks);  ///< "2,5", or "none"

/// Puts `entry` in front, once; at most ten are kept.
QStringList withRecent(QStringList list, const QString& entry);
/// The same of addresses: one that holds a password is not kept.
QStringList withRecentSource(QStringList list, const QString& address);

/// What the files and settings of a source are called, and the source in its record, so that each
/// address has a history of its own: letters, digits, - and _, without secrets, and a part of the
/// address's digest. std::invalid_argument where it is no address.
QString sourceName(const QString& address);
/// The same without the digest, as earlier versions had it, which took some addresses for one
/// ("cam 1" and "cam_1", or names in Chinese). What was kept by that name is read where there is
/// nothing by the other.
QString earlierSourceName(const QString& address);
/// A file of one of these names, but for its ending, of sixteen letters at most: cut where an
/// address is longer than the name of a file may be.
QString fileNameOf(const QString& name);
/// What a source is called in a record (empty: none): sourceName, or what it was called before,
/// where that was never another address's there. Reads the record.
QString nameInRecord(const QString& address, const QString& record);

/// As somebody named a source, or, before, all that had its earlierSourceName; empty: nobody did.
QString givenName(const QString& address, const QVariantMap& names);
/// What a source is called where people read it: as somebody named it, else its address without
/// secrets, or what the app's own street is.
QString spokenName(const QString& address, const QVariantMap& names);

/// Where rules and zones of a source are kept: in the file that was named, else in one of its own
/// in the user's data folder. Without secrets; empty where the address is none.
QString rulesFileOf(const QString& source, const LiveOptions& options = {});
/// An empty book where there is no such file. Throws as monitor::readRules does.
monitor::RuleBook readBook(const QString& file);
/// What is kept for a source, or by its earlierSourceName.
struct KeptRules {
  monitor::RuleBook book;
  QString fault;  ///< why it cannot be read; the book is empty then. Empty: it can.
};
KeptRules keptRules(const QString& source, const LiveOptions& options);
/// Whole or not at all; std::runtime_error, one sentence. What somebody wrote by hand (comments) is
/// kept beside it, as `file` with ".before" behind it; what stands there already stays.
void writeBook(const QString& file, const monitor::RuleBook& book);

}  // namespace mpm::gui

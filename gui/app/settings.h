// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QVariantMap>
#include <optional>
#include <vector>

#include "gui/app/face.h"
#include "gui/app/live.h"
#include "gui/app/options.h"
#include "gui/app/theme.h"
#include "gui/app/view_deck.h"
#include "monitor/rules/rules.h"

namespace mpm::gui {

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

/// Puts `entry` in front, once; at most ten are kept.
QStringList withRecent(QStringList list, const QString& entry);
/// The same of addresses: one that holds a password is not kept.
QStringList withRecentSource(QStringList list, const QString& address);

/// As somebody named a source, or, before, all that had its earlierSourceName; empty: nobody did.
QString givenName(const QString& address, const QVariantMap& names);
/// What a source is called where people read it: as somebody named it, else its address without
/// secrets, or what the app's own street is.
QString spokenName(const QString& address, const QVariantMap& names);

/// Where a source's rules and zones are kept, where no file was named: in the user's data folder,
/// one for each source. Without secrets; empty where the address is none.
QString rulesFileOf(const QString& source);

/// An empty book where there is no such file. Throws as monitor::readRules does.
monitor::RuleBook readBook(const QString& file);

/// Where rules and zones of one of these sources are kept: in the file that was named, else in its
/// own.
QString rulesFileOf(const QString& source, const LiveOptions& options);
/// What is kept there, or by its earlierSourceName.
struct KeptRules {
  monitor::RuleBook book;
  QString fault;  ///< why it cannot be read; the book is empty then. Empty: it can.
};
KeptRules keptRules(const QString& source, const LiveOptions& options);

/// Whole or not at all; std::runtime_error, one sentence. What somebody wrote by hand (comments) is
/// kept beside it, as `file` with ".before" behind it; what stands there already stays.
void writeBook(const QString& file, const monitor::RuleBook& book);

}  // namespace mpm::gui

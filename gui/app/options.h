// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <opencv2/core.hpp>
#include <optional>

#include "gui/app/settings.h"

namespace mpm::gui {

/// What the command line of mpm-monitor says; what it does not say is what was last used, or the
/// street.
struct AppOptions {
  std::optional<QString> source, model, precision, device, fit, record, rules, language;
  std::optional<Schedule> schedule;
  std::optional<Face> face;
  std::optional<double> mostFps;
  std::optional<int> picturesPerHour;
  std::optional<cv::Vec2d> location;  ///< degrees north and east
  bool noMemory = false;              ///< --no-memory
  bool replay = false;                ///< --replay
  bool fresh = false;       ///< --fresh: as if the app had never run; nothing is remembered
  bool fullScreen = false;  ///< --full-screen
};

/// Whether these words lead to a window, rather than to some lines on a terminal: help, the
/// version, or that Linux has no display to open one on.
bool opensWindow(const QStringList& arguments);
/// On stderr; the status to end with.
int complainOfNoDisplay();

/// Gives false where the program is to end at once, with `status`: help was shown, or a sentence
/// on stderr says what was wrong.
bool parseOptions(const QStringList& arguments, AppOptions& options, int& status);

/// Codes of the languages that the app speaks, in order: English, and those whose translations
/// were built in.
QStringList languages();
QString languageName(const QString& code);  ///< in that language: "Deutsch"

/// The first of a user's languages ("de-AT", "fr") that the app speaks; English where it speaks
/// none of them.
QString languageFor(const QStringList& wanted);

/// What the command line asks for, else what is remembered (empty: nothing), else the system's.
/// To be known before the command line is read, as what is wrong with it is said in this language.
QString languageToSpeak(const QStringList& arguments, const QString& remembered);

/// From here on sentences, Qt's own where they are installed, and numbers are in this language.
/// What was said before stays, so this comes before the first widget.
void speak(const QString& code);

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <opencv2/core.hpp>
#include <optional>

#include "gui/app/settings.h"

namespace mpm::gui {

/// Options of mpm-monitor. What the command line leaves out is what was last used, or the street.
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

/// Tells whether these arguments open a window. Help, the version, or a missing display on Linux
/// print some lines instead.
bool opensWindow(const QStringList& arguments);
/// Prints to stderr and returns the exit status.
int complainOfNoDisplay();

/// Returns false if the program must end at once with `status`: help was shown, or stderr has the
/// error.
bool parseOptions(const QStringList& arguments, AppOptions& options, int& status);

/// Returns the codes of the app's languages, in order: English, and those with built-in
/// translations.
QStringList languages();
QString languageName(const QString& code);  ///< in that language: "Deutsch"

/// Returns the first of a user's languages ("de-AT", "fr") that the app has; English if it has none
/// of them.
QString languageFor(const QStringList& wanted);

/// Returns the command line's language, else the remembered one (may be empty), else the system's.
/// It is needed before parsing, as the parser's errors are in this language.
QString languageToSpeak(const QStringList& arguments, const QString& remembered);

/// Sets the language of texts, of Qt's own texts where installed, and of numbers. Existing texts
/// stay, so call it before the first widget.
void speak(const QString& code);

}  // namespace mpm::gui

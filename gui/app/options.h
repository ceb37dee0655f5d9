// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "gui/app/face.h"
#include "gui/app/live.h"

namespace mpm::gui {

/// What the command line of mpm-monitor says; what it does not say is what was last used, or the
/// street.
struct AppOptions {
  std::optional<QString> source, model, precision, device, fit, record, rules, language;
  std::optional<Schedule> schedule;
  std::optional<Face> face;
  std::optional<double> mostFps;
  std::optional<int> picturesPerHour;
  bool noMemory = false;    ///< --no-memory
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

/// As Schedule::parse does it, and no text as "none"; nothing where it is no schedule.
std::optional<Schedule> parseBlocks(const QString& text);
QString blocksText(const Schedule& blocks);  ///< "2,5", or "none"

}  // namespace mpm::gui

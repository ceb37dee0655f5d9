// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "gui/app/live.h"

namespace mpm::gui {

/// What the command line of mpm-monitor says; what it does not say is what was last used, or the
/// street.
struct AppOptions {
  std::optional<QString> source, model, precision, device, fit, record, rules, language;
  std::optional<std::vector<int>> schedule;
  std::optional<double> mostFps;
  bool fresh = false;       ///< --fresh: as if the app had never run
  bool fullScreen = false;  ///< --full-screen
};

/// Gives false where the program is to end at once, with `status`: help was shown, or a sentence
/// on stderr says what was wrong.
bool parseOptions(const QStringList& arguments, AppOptions& options, int& status);

/// "2,5", "2 5", or "none" as blocks; nothing where it is neither.
std::optional<std::vector<int>> parseBlocks(const QString& text);
QString blocksText(const std::vector<int>& blocks);  ///< "2, 5", or "none"

}  // namespace mpm::gui

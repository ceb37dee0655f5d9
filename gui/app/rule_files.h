// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "monitor/rules/rules.h"

namespace mpm::gui {

/// Where a source's rules and zones are kept, where no file was named: in the user's data folder,
/// one for each source. Without secrets; empty where the address is none.
QString rulesFileOf(const QString& source);

/// An empty book where there is no such file. Throws as monitor::readRules does.
monitor::RuleBook readBook(const QString& file);

/// Whole or not at all; std::runtime_error, one sentence. What somebody wrote by hand (comments) is
/// kept beside it, as `file` with ".before" behind it; what stands there already stays.
void writeBook(const QString& file, const monitor::RuleBook& book);

}  // namespace mpm::gui

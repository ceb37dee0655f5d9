// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>

#include "monitor/rules/hindsight.h"
#include "monitor/rules/rules.h"

namespace mpm::gui {

/// A metric in words: "the share of car in gate".
QString metricWords(const std::string& metric);

/// What a rule looks at, when it begins and what it does then. Empty where that cannot be said: it
/// looks at nothing yet.
QString ruleSentence(const monitor::Rule& rule);

/// Of its metric; nothing: not known.
QString valueSentence(const monitor::Rule& rule, std::optional<double> value);

/// What it would have done.
QString hindsightSentence(const monitor::Hindsight& hindsight);

}  // namespace mpm::gui

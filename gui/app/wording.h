// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "monitor/light/light_state.h"
#include "monitor/rules/rules.h"

namespace mpm::gui {

/// Returns what an event is about (monitor::Event::kind, or "app"), in the app's language.
QString kindWord(const QString& kind);

/// Returns an event's sentence in the app's language. Sentences that the monitor does not form
/// itself, such as an error's, stay as they are.
QString eventSentence(const QString& text);

/// Returns "day", "without signal", for use within a sentence.
QString lightWord(monitor::LightState state);
/// Returns "day, dusk or night".
QString lightWords(const std::vector<monitor::LightState>& states);

/// Translates what monitor::durationText writes.
QString durationWords(const std::string& text);

/// Returns a metric in words: "the share of car in gate".
QString metricWords(const std::string& metric);
/// Tells whether a metric is a share from 0 to 1, which people read as percent.
bool isShare(const std::string& metric);
/// Returns a number of percent as text: "38%".
QString percentText(const QString& number);
/// Returns a metric's value as people read it: "38%", "512".
QString valueText(const std::string& metric, double value);

/// Returns a rule's rarer settings in sentences; empty if it has none.
QString ruleExtras(const monitor::Rule& rule);

/// Returns the sentence on its metric's value; std::nullopt: unknown.
QString valueSentence(const monitor::Rule& rule, std::optional<double> value);

/// Returns a precision as the menu shows it, in any language: "float32" for "fp32". A precision
/// without a title keeps its name.
inline QString precisionTitle(const QString& name) {
  static constexpr std::array<std::pair<const char*, const char*>, 4> kTitles{
      {{"fp32", "float32"}, {"tf32", "TF32"}, {"bf16", "bfloat16"}, {"fp16", "float16"}}};
  for (const auto& [known, title] : kTitles)
    if (name == QLatin1String(known)) return QString::fromLatin1(title);
  return name;
}

}  // namespace mpm::gui

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

/// What an event is about (monitor::Event::kind, or "app"), in the language of the app.
QString kindWord(const QString& kind);

/// An event's sentence in the language of the app. What is not one of those that the monitor has
/// for what happens, as the words of an error, stays as it is.
QString eventSentence(const QString& text);

/// "day", "without signal": within a sentence.
QString lightWord(monitor::LightState state);
/// "day, dusk or night"
QString lightWords(const std::vector<monitor::LightState>& states);

/// As monitor::durationText has it.
QString durationWords(const std::string& text);

/// A metric in words: "the share of car in gate".
QString metricWords(const std::string& metric);
/// Says whether a metric is a share of something, from 0 to 1, which people read as percent.
bool isShare(const std::string& metric);
/// A number that is one of percent: "38%".
QString percentText(const QString& number);
/// A value of a metric as people read it: "38%", "512".
QString valueText(const std::string& metric, double value);

/// What a rule has besides what nearly all have, in sentences; empty: nothing.
QString ruleExtras(const monitor::Rule& rule);

/// Of its metric; nothing: not known.
QString valueSentence(const monitor::Rule& rule, std::optional<double> value);

/// A precision as the menu has it, in any language: "float32" for "fp32". One without a title: its
/// name.
inline QString precisionTitle(const QString& name) {
  static constexpr std::array<std::pair<const char*, const char*>, 4> kTitles{
      {{"fp32", "float32"}, {"tf32", "TF32"}, {"bf16", "bfloat16"}, {"fp16", "float16"}}};
  for (const auto& [known, title] : kTitles)
    if (name == QLatin1String(known)) return QString::fromLatin1(title);
  return name;
}

}  // namespace mpm::gui

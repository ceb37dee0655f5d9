// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "monitor/light/light_state.h"

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

}  // namespace mpm::gui

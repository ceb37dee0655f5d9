// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>

namespace mpm::gui {

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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QString>
#include <QVariant>
#include <array>
#include <cstddef>
#include <optional>

namespace mpm::gui {

/// What the window is for.
enum class Face {
  watch,      ///< what is there: one picture with names, shares over today, events
  study,      ///< what merging does: all views, plots, schedules
  exhibition  ///< a full screen on which the picture dissolves into its tokens, and back
};
constexpr int kFaces = 3;

class Faces {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Faces)

 public:
  /// The words of the command line.
  static constexpr std::array<const char*, kFaces> kWords{"watch", "study", "exhibition"};

  static QString wordOf(Face face) {
    return QString::fromLatin1(kWords[static_cast<std::size_t>(face)]);
  }
  static std::optional<Face> named(const QString& word) {
    for (int i = 0; i < kFaces; ++i)
      if (word == QLatin1String(kWords[static_cast<std::size_t>(i)])) return static_cast<Face>(i);
    return std::nullopt;
  }

  /// Makes an action or a panel one of that face alone.
  static void setOnly(QObject* object, Face face) {
    object->setProperty(kProperty, static_cast<int>(face));
  }
  static bool has(Face face, const QObject* object) {
    const QVariant only = object->property(kProperty);
    return !only.isValid() || only.toInt() == static_cast<int>(face);
  }

  static QString titleOf(Face face) {
    switch (face) {
      case Face::watch:
        return tr("Watch");
      case Face::study:
        return tr("Study");
      case Face::exhibition:
        break;
    }
    return tr("Exhibition");
  }

  static QString descriptionOf(Face face) {
    switch (face) {
      case Face::watch:
        return tr("What your camera sees, in words. Alerts, and classes of your own.");
      case Face::study:
        return tr("How tokens merge, what that saves, and what it costs.");
      case Face::exhibition:
        break;
    }
    return tr("A full screen that shows visitors how it works.");
  }

 private:
  static constexpr const char* kProperty = "mpm_face";
};

}  // namespace mpm::gui

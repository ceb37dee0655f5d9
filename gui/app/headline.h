// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <QLocale>
#include <QPushButton>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "gui/app/liveness.h"
#include "gui/app/scene_watch.h"
#include "gui/canvas/class_settings.h"

class QLabel;

namespace mpm::gui {

/// How much of the picture, or of a zone, a class covers: 0 to 1.
struct ClassShare {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  QString name;  ///< "person", "person in path"
  double now = 0;
  double usual = kUnknown;  ///< mean over the last hours; NaN: too little is known
  double deviation = 0;     ///< of a minute's mean
};

/// The figures of a source over the last seconds.
struct SeenLately {
  std::vector<ClassShare> shares;  ///< of classes that are shown
  double perSecond = 0;            ///< frames
  double lateMs = ClassShare::kUnknown;
};
SeenLately seenLately(const monitor::Engine& engine, std::size_t source,
                      const ClassSettings& classes);

/// What is there, in words, and a word on whether that is as usual.
struct ThereWords {
  QString words, note;
};
ThereWords thereWords(const std::vector<ClassShare>& shares, const QLocale& locale,
                      std::size_t mostNamed = 3);

/// Three tiles in words: what is there, how live it is, and whether the model knows the place.
class Headline : public QWidget {
  Q_OBJECT

 public:
  explicit Headline(QWidget* parent = nullptr);

  /// About four times a second; `knows`: see SceneWatch.
  void show(const monitor::Engine& engine, std::size_t source, const ClassSettings& classes,
            const Liveness& stands, const SceneWatch& knows);
  void showNothing(const QString& why);
  /// As GlanceStrip::suit.
  void suit(int windowHeight);

  /// Each tile's words, from left to right.
  QStringList words() const;

 private:
  struct Tile {
    QFrame* box;
    QLabel *title, *words, *note;
  };
  Tile addTile(const QString& title);
  void sayPlace(const SceneWatch& knows);
  static void say(const Tile& tile, const QString& words, const QString& note);

  Tile there_{}, live_{}, knows_{};
  int asked_ = 0;
  double points_ = 0;
};

/// Lies across the picture of a place that the model does not know, and says what to do.
class PlaceBanner : public QFrame {
  Q_OBJECT

 public:
  explicit PlaceBanner(QWidget* parent = nullptr);

  /// `about`: the model and the source; closed by hand it stays closed for these.
  void offer(bool isStrange, const QString& about);

 signals:
  void teachWanted();
  void modelWanted();

 private:
  QString about_, closedFor_;
};

}  // namespace mpm::gui

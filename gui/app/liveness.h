// SPDX-License-Identifier: Apache-2.0
// What can be said of a source in words. Whoever shows one says what stands here, so that no two
// places of the window contradict each other.
#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QLocale>
#include <QString>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/canvas/class_settings.h"
#include "monitor/engine/engine.h"

namespace mpm::gui {

/// State of a source that is watched.
class Liveness {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Liveness)

 public:
  QString state;   ///< in a word or two: "Live", "Lost"
  QString reason;  ///< why it is not live, in sentences; empty: there is nothing more to say
  /// Age of the newest frame if it is too old to be called live, or if the model failed on a later
  /// one.
  std::optional<std::int64_t> oldMs;
  bool hasPicture = false;
  bool isLive = false;

  /// `cameras` compute alternately, so a frame of this one may wait for those of the others.
  static Liveness of(const monitor::Engine& engine, std::size_t cameras, bool paused);
  /// Returns the state between two engines, with the ended one's last frame; null: none.
  static Liveness between(const monitor::FrameResultPtr& last, bool paused);
  /// Returns the common state of all cameras, or how many of them are live.
  static QString ofAll(const std::vector<Liveness>& cameras);

  /// Returns the words that replace a missing picture.
  QString instead() const { return reason.isEmpty() ? tr("%1 ...").arg(state) : reason; }
  /// Returns the words next to a picture's age.
  QString why() const { return reason.isEmpty() ? state : reason; }
};

/// Returns the names of zones in which a source's rules hold.
std::vector<std::string> litZones(const monitor::Engine& engine, const monitor::RuleBook& book);

/// Tells whether a model knows its scene: compares its mean confidence of the last minute with that
/// on nearly all of its own data. It says nothing if the file lacks that, before half a minute, and
/// of simulated nights, after which it restarts. The street model knows drawn streets only, and any
/// other source is reported at once.
class SceneWatch {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::SceneWatch)

 public:
  enum class Place {
    notYet,  ///< too little was seen
    known,
    strange,
    untold  ///< the model's file does not say how sure it usually is
  };

  /// Looks at a source. `usual` is what nearly all of the model's own data reach; std::nullopt:
  /// unknown. It queries the engine once in two seconds.
  void look(const monitor::Engine& engine, std::optional<double> usual,
            bool isStreetElsewhere = false);

  Place place() const { return place_; }
  const QString& sureWords() const { return sure_; }  ///< how sure it is here; empty: not known
  const QString& words() const { return words_; }     ///< a few; empty: as far as is known it does
  const QString& explanation() const { return explanation_; }  ///< of these words

 private:
  QElapsedTimer asked_;
  const monitor::Engine* about_ = nullptr;
  Place place_ = Place::notYet;
  QString words_, sure_, explanation_;
};

/// Share of the frame, or of a zone, that a class covers: 0 to 1.
struct ClassShare {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  QString name;  ///< "person", "person in path"
  double now = 0;
  double usual = kUnknown;  ///< mean over the last hours; NaN: too little is known
  double deviation = 0;     ///< of a minute's mean
};

/// Figures of a source over the last seconds.
struct SeenLately {
  std::vector<ClassShare> shares;  ///< of classes that are shown
  double perSecond = 0;            ///< frames
  double lateMs = ClassShare::kUnknown;
};
/// `told` is one of its frames, with the current shares.
SeenLately seenLately(const monitor::Engine& engine, const monitor::FrameResult& told,
                      const ClassSettings& classes);

/// Classes that are in view, in words, and whether they are as usual.
struct ThereWords {
  QString words, note;
};
ThereWords thereWords(const std::vector<ClassShare>& shares, const QLocale& locale,
                      std::size_t mostNamed = 3);

}  // namespace mpm::gui

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

/// How a source that is watched stands.
class Liveness {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Liveness)

 public:
  QString state;   ///< in a word or two: "Live", "Lost"
  QString reason;  ///< why it is not live, in sentences; empty: there is nothing more to say
  /// How old its newest picture is, where that is too old to be called live, or where the model
  /// failed on one since.
  std::optional<std::int64_t> oldMs;
  bool hasPicture = false;
  bool isLive = false;

  static Liveness of(const monitor::Engine& engine, std::size_t source, bool paused);
  /// Between two engines, with the last picture of the one that ended; null: none.
  static Liveness between(const monitor::FrameResultPtr& last, bool paused);
  /// Of all that are watched: what is said of each of them, or how many are live.
  static QString ofAll(const monitor::Engine& engine, bool paused);

  /// What stands where there is no picture.
  QString instead() const { return reason.isEmpty() ? tr("%1 ...").arg(state) : reason; }
  /// What stands beside a picture's age.
  QString why() const { return reason.isEmpty() ? state : reason; }
};

/// Zones that rules of a source hold in, by name.
std::vector<std::string> litZones(const monitor::Engine& engine, std::size_t source,
                                  const monitor::RuleBook& book);

/// Whether a model knows what it looks at: its mean confidence in the last minute beside what
/// nearly all of its own data gave. Says nothing where its file does not tell that, before there is
/// half a minute, and of simulated nights: after one it begins anew. The street model, which knows
/// a drawn street alone, knows no other source, and that is said at once.
class SceneWatch {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::SceneWatch)

 public:
  enum class Place {
    notYet,  ///< too little was seen
    known,
    strange,
    untold  ///< the model's file does not say how sure it usually is
  };

  /// Of a source. `usual`: what nearly all of its own pictures reach; nothing: that is not known.
  /// The engine is asked once in two seconds.
  void look(const monitor::Engine& engine, std::optional<double> usual, std::size_t source = 0,
            bool isStreetElsewhere = false);

  Place place() const { return place_; }
  const QString& sureWords() const { return sure_; }  ///< how sure it is here; empty: not known
  const QString& words() const { return words_; }     ///< a few; empty: as far as is known it does
  const QString& explanation() const { return explanation_; }  ///< of these words

 private:
  QElapsedTimer asked_;
  std::pair<const monitor::Engine*, std::size_t> about_{nullptr, 0};
  Place place_ = Place::notYet;
  QString words_, sure_, explanation_;
};

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
/// `told`: a frame of it, whose shares are those of now.
SeenLately seenLately(const monitor::Engine& engine, std::size_t source,
                      const monitor::FrameResult& told, const ClassSettings& classes);

/// What is there, in words, and a word on whether that is as usual.
struct ThereWords {
  QString words, note;
};
ThereWords thereWords(const std::vector<ClassShare>& shares, const QLocale& locale,
                      std::size_t mostNamed = 3);

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "monitor/engine/engine.h"

namespace mpm::gui {

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

  /// Of the source that was asked for last.
  Place place() const { return place_; }
  /// How sure the model is here; empty while that is not known.
  const QString& sureWords() const { return sure_; }

  /// A few words; empty: as far as is known it does. `usual`: what nearly all of its own pictures
  /// reach; nothing: that is not known. The engine is asked once in two seconds.
  QString words(const monitor::Engine& engine, std::optional<double> usual, std::size_t source = 0,
                bool isStreetElsewhere = false) {
    const std::pair about(&engine, source);
    if (asked_.isValid() && asked_.elapsed() < kEveryMs && about_ == about) return words_;
    asked_.start();
    about_ = about;
    words_.clear();
    sure_.clear();
    const monitor::FrameResultPtr newest = engine.latest(source);
    place_ = usual || !newest ? Place::notYet : Place::untold;
    if (isStreetElsewhere && newest) {
      place_ = Place::strange;
      sure_ = tr("it knows a drawn street alone");
    }
    if (!usual || !newest || newest->filtered) return {};
    const auto now = lately(engine, source);
    if (!now) return {};
    const QLocale locale;
    const QString here = locale.toString(100 * *now, 'f', 1);
    const QString usually = locale.toString(100 * *usual, 'f', 1);
    if (!isStreetElsewhere) {
      place_ = *now < *usual ? Place::strange : Place::known;
      sure_ = tr("%1% sure, usually %2% or more").arg(here, usually);
    }
    if (*now >= *usual) return {};
    words_ = tr("Unknown scene? %1% sure, usually %2% or more").arg(here, usually);
    explanation_ =
        tr("The model may not know scenes like this one: in the last minute it was %1% sure on "
           "average. On nearly all pictures like those it was trained on it is %2% sure or more.")
            .arg(here, usually);
    return words_;
  }

  const QString& explanation() const { return explanation_; }  ///< of what was said last

 private:
  static constexpr int kEveryMs = 2000;
  static constexpr std::int64_t kBackMs = 60'000, kLeastMs = 30'000;

  static std::optional<double> lately(const monitor::Engine& engine, std::size_t source) {
    monitor::Tally all;
    std::int64_t seenMs = 0;
    const std::optional<monitor::Moment> dark = engine.filteredAt(source);
    engine.readStatistics(source, [&](const monitor::Statistics& statistics) {
      const auto place = statistics.metrics().find("confidence");
      const auto& seconds = statistics.series().buckets(monitor::Resolution::second);
      if (!place || seconds.empty()) return;
      const std::int64_t to = seconds.back().startUtcMs;
      const std::int64_t from = dark && dark->era == seconds.back().era
                                    ? std::max(dark->utcMs, to - kBackMs)
                                    : to - kBackMs;
      for (auto second = seconds.rbegin(); second != seconds.rend(); ++second) {
        if (second->era != seconds.back().era || second->startUtcMs <= from) break;
        all.add(second->tallies[*place]);
        seenMs = to - second->startUtcMs;
      }
    });
    return seenMs >= kLeastMs && all.count > 0 ? std::optional(all.mean()) : std::nullopt;
  }

  QElapsedTimer asked_;
  std::pair<const monitor::Engine*, std::size_t> about_{nullptr, 0};
  Place place_ = Place::notYet;
  QString words_, sure_, explanation_;
};

}  // namespace mpm::gui

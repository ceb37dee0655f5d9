// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "gui/app/day_night_history.h"
#include "gui/canvas/captions.h"
#include "gui/plot/axes.h"
#include "gui/plot/figure_tile.h"
#include "mpm/tune.h"

namespace mpm::gui {

/// The point at a glance: how many tokens merging saves, how much of the picture is computed, how
/// much time that saves, how many labels stay the same, and how nights compare with days. Time and
/// labels are of frames that were segmented with full tokens as well, of the schedule that runs,
/// with a memory or without one as now.
class GlanceStrip : public QWidget {
  Q_OBJECT

 public:
  explicit GlanceStrip(QWidget* parent = nullptr)
      : QWidget(parent),
        tokens_(new FigureTile(tr("Fewer tokens"))),
        computed_(new FigureTile(tr("Computed"))),
        time_(new FigureTile(tr("Less time"))),
        labels_(new FigureTile(tr("Same labels"))),
        night_(new FigureTile(tr("Live rows at night"))) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(6);
    for (FigureTile* tile : {tokens_, computed_, time_, labels_, night_}) {
      layout->addWidget(tile);
      connect(tile, &FigureTile::followed, this, &GlanceStrip::followed);
    }
    explain();
    setFixedHeight(kHeight);
    setAccessibleName(tr("What merging and the scene memory save"));
  }

  /// With another engine: what was shown is forgotten.
  void begin(const monitor::Engine& engine) {
    merges_ = engine.blocks() > 0;
    canRemember_ = engine.memoryFault().empty();
    forget({}, false);
    showNothing(merges_ ? tr("waiting for a frame") : tr("this model cannot merge"));
    showNothing(*computed_,
                canRemember_ ? tr("waiting for a frame") : tr("this model cannot remember"));
    showNothing(*night_, merges_ ? tr("nothing measured yet") : tr("this model cannot merge"));
  }

  /// Each frame that is shown. `compared`: the newest with full tokens, or null.
  void showFrame(const monitor::FrameResult& newest, const monitor::FrameResultPtr& compared) {
    if (!merges_ && !newest.remembers) return;
    if (newest.schedule != schedule_ || newest.remembers != remembers_)
      forget(newest.schedule, newest.remembers);
    showComputed(newest);
    if (newest.schedule.empty()) {
      showNothing(*tokens_, tr("merging is off"));
      if (!remembers_) return showNothing(tr("merging is off"));
    } else {
      showTokens(newest);
    }
    keep(ms_, msOf(newest.segmentation), kFrames);
    if (compared && compared->full && compared->schedule == schedule_ &&
        compared->remembers == remembers_ && compared != newest_) {
      newest_ = compared;
      keep(merged_, msOf(compared->segmentation), kComparisons);
      keep(full_, msOf(*compared->full), kComparisons);
      keep(same_, agreementOf(compared->full->labels, compared->segmentation.labels) * 100,
           kFrames);
    }
    showComparisons();
  }

  /// What is known of days and nights.
  void showNights(const DayNightHistory::Known& known) {
    if (!merges_) return;
    const auto meanOf = [](const monitor::Running& ended, const monitor::Running& frames) {
      return ended.count() > 0 ? ended.mean() : frames.count() > 0 ? frames.mean() : kUnknown;
    };
    const double day = meanOf(known.rows.days, known.rows.dayFrames),
                 night = meanOf(known.rows.nights, known.rows.nightFrames);
    night_->setValue(night, 0);
    night_->setTrend(known.lately);
    const QString byDay = std::isnan(day) ? tr("no day seen yet")
                                          : tr("%1 by day").arg(QLocale().toString(day, 'f', 0));
    night_->setNote(std::isnan(night) ? tr("no night seen yet; %1").arg(byDay) : byDay);
  }

  FigureTile* tokens() const { return tokens_; }
  FigureTile* computed() const { return computed_; }
  FigureTile* time() const { return time_; }
  FigureTile* labels() const { return labels_; }
  FigureTile* night() const { return night_; }

 signals:
  void followed(const QString& panel);  ///< the name of the panel that shows more

 private:
  static constexpr int kHeight = 84;
  static constexpr std::size_t kFrames = 120, kComparisons = 9, kLeast = 2;
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  static double msOf(const Segmentation& found) {
    return found.times.prepareMs + found.times.networkMs + found.times.labelsMs;
  }

  static void keep(std::deque<double>& values, double value, std::size_t most) {
    values.push_back(value);
    if (values.size() > most) values.pop_front();
  }

  // Without the first, which also lays out what the others use again.
  static double medianOf(const std::deque<double>& values) {
    std::vector<double> sorted(values.begin() + 1, values.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }

  void forget(const Schedule& schedule, bool remembers) {
    schedule_ = schedule;
    remembers_ = remembers;
    counted_ = {};
    for (std::deque<double>* values : {&rows_, &fresh_, &ms_, &merged_, &full_, &same_})
      values->clear();
  }

  static void showNothing(FigureTile& tile, const QString& note) {
    tile.setValue(kUnknown, 0);
    tile.setNote(note);
    tile.setTrend({});
  }

  void showNothing(const QString& note) {
    for (FigureTile* tile : {tokens_, time_, labels_}) showNothing(*tile, note);
  }

  void showComputed(const monitor::FrameResult& newest) {
    if (!canRemember_) return;
    if (!newest.remembers) return showNothing(*computed_, tr("the scene memory is off"));
    const MemoryReport& memory = newest.segmentation.memory;
    keep(fresh_, 100.0 * memory.fresh / memory.rows, kFrames);
    computed_->setValue(fresh_.back(), 0, QStringLiteral("%"));
    const QLocale locale;
    computed_->setNote(
        tr("%1 of %2").arg(locale.toString(memory.fresh), locale.toString(memory.rows)));
    computed_->setTrend({fresh_.begin(), fresh_.end()});
  }

  // With a memory of the newest frame that tells, with its age.
  void showTokens(const monitor::FrameResult& newest) {
    const monitor::FrameResult& told = newest.merged ? *newest.merged : newest;
    const Segmentation& found = told.segmentation;
    if (found.rows.empty() || found.mergeMap.empty()) return;
    const auto places = static_cast<double>(found.mergeMap.total()) * found.windows;
    const double live = places - (found.rows.front() - found.rows.back());
    const std::pair number(told.frame.number, told.frame.taken.steadyMs);
    if (!newest.remembers || counted_ != number) keep(rows_, live, kFrames);
    counted_ = number;
    tokens_->setValue((1 - live / places) * 100, 1, QStringLiteral("%"));
    const QLocale locale;
    const std::int64_t ageMs = newest.frame.taken.steadyMs - told.frame.taken.steadyMs;
    const QString note =
        tr("%1 of %2").arg(locale.toString(live, 'f', 0), locale.toString(places, 'f', 0));
    tokens_->setNote(ageMs < 1000 ? note : tr("%1 ago: %2").arg(spokenAge(ageMs), note));
    tokens_->setTrend({rows_.begin(), rows_.end()});
  }

  void showComparisons() {
    if (full_.size() < kLeast) {
      for (FigureTile* tile : {time_, labels_})
        showNothing(*tile, tr("comparing with full tokens ..."));
      return;
    }
    // With a memory frames differ by what moves: the mean of all of them, but for the first.
    const double merged = remembers_ ? std::accumulate(ms_.begin() + 1, ms_.end(), 0.0) /
                                           static_cast<double>(ms_.size() - 1)
                                     : medianOf(merged_);
    const double full = medianOf(full_);
    time_->setValue((1 - merged / full) * 100, 0, QStringLiteral("%"));
    time_->setTrend({ms_.begin(), ms_.end()});
    const QLocale locale;
    const int decimals = full < 10 ? 1 : 0;
    time_->setNote(
        tr("%1 ms instead of %2 ms")
            .arg(locale.toString(merged, 'f', decimals), locale.toString(full, 'f', decimals)));
    labels_->setValue(same_.back(), 1, QStringLiteral("%"));
    labels_->setNote(tr("of pixels, as with full tokens"));
    labels_->setTrend({same_.begin(), same_.end()});
  }

  void explain() {
    const QString more = QStringLiteral("<p>%1</p><p><a href='%2'>%3</a></p>");
    const QString now =
        tr("Now and then a frame is segmented with full tokens as well, which takes "
           "at most 3 % of the time.");
    tokens_->setExplanation(more.arg(
        tr("Tokens that are each other's nearest are averaged before the blocks of the schedule. "
           "So many fewer are left behind the last merge. With the scene memory that is known of "
           "frames that are computed in full, and it says how old the newest one is. The line: how "
           "many were left lately."),
        QStringLiteral("DayNight"), tr("Tokens over time")));
    computed_->setExplanation(more.arg(
        tr("The scene memory keeps what was computed of each place of the picture until it looks "
           "different, or its turn comes. So much of the picture was computed for the newest "
           "frame. Now and then a frame is computed in full, to count how tokens merge and to "
           "compare. The line: the frames before. The view Computed shows the places."),
        QStringLiteral("DayNight"), tr("Places computed over time")));
    time_->setExplanation(more.arg(
        tr("What a frame takes as it is computed now, and with full tokens. With merging alone: "
           "medians of frames that were segmented with both. With the scene memory: the mean of "
           "the frames lately, those in full among them, and the median of full tokens. %1 The "
           "line: the time of each frame.")
            .arg(now),
        QStringLiteral("Performance"), tr("Where the time goes")));
    labels_->setExplanation(more.arg(
        tr("The share of pixels that have the same class as with full tokens, in the latest frame "
           "that was compared. %1 The line: the frames compared before.")
            .arg(now),
        QStringLiteral("Tune"), tr("Schedules, what each costs and keeps")));
    night_->setExplanation(more.arg(
        tr("Rows behind the last merge, tokens and special ones, as the mean of nights and "
           "of days, of this source, model and schedule. The line: how many were left "
           "over time."),
        QStringLiteral("DayNight"), tr("Day and night")));
  }

  FigureTile *tokens_, *computed_, *time_, *labels_, *night_;
  bool merges_ = false, canRemember_ = false;
  Schedule schedule_;  // that all of the following is of, as is
  bool remembers_ = false;
  std::pair<std::uint64_t, std::int64_t> counted_;  // the frame whose tokens were shown last
  std::deque<double> rows_, fresh_, ms_;            // of frames that were shown
  std::deque<double> merged_, full_, same_;         // of those that were compared: ms, ms, percent
  monitor::FrameResultPtr newest_;                  // that was compared
};

}  // namespace mpm::gui

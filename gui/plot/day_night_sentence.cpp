// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/day_night_sentence.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "gui/plot/axes.h"

namespace mpm::gui {
namespace {

using monitor::DayNight;
using monitor::Running;

class DayNightSentence {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::DayNightSentence)

 public:
  DayNightSentence(const DayNight& figures, double tokensBefore, const QLocale& locale)
      : figures_(figures),
        tokensBefore_(tokensBefore),
        locale_(locale),
        sure_(monitor::nightsAgainstDays(figures)),
        day_(shownDay(figures)),
        night_(shownNight(figures)) {}

  QString say() const {
    if (day_.count() == 0 && night_.count() == 0 && figures_.betweenFrames.count() > 0)
      return tr(
          "So far, tokens have been counted with this schedule only at dusk or while the light was "
          "changing, which is neither day nor night.");
    if (day_.count() == 0 && night_.count() == 0)
      return tr("No tokens have been counted with this schedule yet, neither by day nor at night.");
    if (night_.count() == 0)
      return tr("No tokens have been counted at night with this schedule yet: by day %1 tokens, "
                "%2.")
          .arg(live(day_), days());
    if (day_.count() == 0)
      return tr("No tokens have been counted by day with this schedule yet: at night %1 tokens, "
                "%2.")
          .arg(live(night_), nights());
    const QString figures =
        tr("%1 against %2 tokens, %3, %4").arg(live(night_), live(day_), nights(), days());
    if (!sure_)
      return tr("%1: %2; at least two nights and two days, each seen from its start, are needed to "
                "rule out chance.")
          .arg(difference(), figures);
    const double most = std::fabs(sure_->difference) + sure_->interval;
    if (!sure_->differ() && most < kAlike * day_.mean())
      return tr("At night as many tokens merge as by day, to within %1: %2.")
          .arg(percent(most / day_.mean()), figures);
    if (!sure_->differ())
      return tr("%1: %2; they still vary too much to rule out chance, so more nights and days are "
                "needed.")
          .arg(difference(), figures);
    return tr("%1: %2.").arg(difference(), figures);
  }

 private:
  static constexpr double kAlike = 0.01;  // of live tokens: a difference of less matters to nobody

  static QString nightsText(int count) {
    return count == 1 ? tr("1 night") : tr("%n nights", nullptr, count);
  }
  static QString daysText(int count) {
    return count == 1 ? tr("1 day") : tr("%n days", nullptr, count);
  }
  // Without complete nights, the frames are of a night that goes on, or began before the record.
  QString nights() const {
    const auto count = static_cast<int>(figures_.nights.count());
    return count > 0 ? nightsText(count) : tr("no whole night yet");
  }
  QString days() const {
    const auto count = static_cast<int>(figures_.days.count());
    return count > 0 ? daysText(count) : tr("no whole day yet");
  }

  QString live(const Running& running) const {
    const double deviation = running.deviation();
    const bool known = running.count() >= 2 && std::isfinite(deviation);
    // Token counts have only as many decimals as the deviation needs.
    const int decimals = std::fabs(running.mean()) < 10               ? decimalsFor(running.mean())
                         : known && deviation > 0 && deviation < 0.95 ? 1
                                                                      : 0;
    const QString mean = locale_.toString(running.mean(), 'f', decimals);
    return known ? tr("%1 ± %2").arg(mean, locale_.toString(deviation, 'f', decimals)) : mean;
  }

  /// Returns "At night 5.8% fewer tokens merge than by day".
  QString difference() const {
    const double fewerLive = day_.mean() - night_.mean();
    if (fewerLive == 0) return tr("At night as many tokens merge as by day");
    const bool more = fewerLive > 0;
    const double mergedByDay = tokensBefore_ - day_.mean();
    if (std::isfinite(mergedByDay) && mergedByDay > 0 && tokensBefore_ > night_.mean()) {
      const QString share = percent(fewerLive / mergedByDay);
      return more ? tr("At night %1 more tokens merge than by day").arg(share)
                  : tr("At night %1 fewer tokens merge than by day").arg(share);
    }
    if (day_.mean() <= 0)
      return more ? tr("At night more tokens merge than by day")
                  : tr("At night fewer tokens merge than by day");
    const QString share = percent(fewerLive / day_.mean());
    return more ? tr("At night more tokens merge than by day, leaving %1 fewer").arg(share)
                : tr("At night fewer tokens merge than by day, leaving %1 more").arg(share);
  }

  QString percent(double share) const { return percentText(std::fabs(share) * 100, 1, locale_); }

  const DayNight& figures_;
  double tokensBefore_;
  const QLocale& locale_;
  std::optional<monitor::NightsAgainstDays> sure_;
  const Running& day_;
  const Running& night_;
};

}  // namespace

QString dayNightSentence(const DayNight& figures, double tokensBefore, const QLocale& locale) {
  return DayNightSentence(figures, tokensBefore, locale).say();
}

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
// Which pictures are side by side, and what is said of them.
#include <QtWidgets>
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "gui/aside.h"
#include "gui/days/day_band.h"
#include "gui/days/days_window.h"
#include "gui/days/picture_tile.h"
#include "gui/plot/axes.h"
#include "gui/plot/colours.h"
#include "gui/unbroken.h"

namespace mpm::gui {
namespace {

// For rich text, which takes any space but this one for one that a line may break at.
QString percent(double share) {
  constexpr char16_t kNarrowSpace = 0x202f, kSpace = 0xa0;
  return percentText(share * 100, 1, QLocale()).replace(QChar(kNarrowSpace), QChar(kSpace));
}

}  // namespace

int DaysWindow::nearest(std::int64_t utcMs, const Fits& fits) const {
  int found = -1;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < static_cast<int>(pictures_.size()); ++i) {
    const monitor::DayPicture& each = pictures_[static_cast<std::size_t>(i)];
    const std::int64_t away = std::abs(each.taken.utcMs - utcMs);
    if (away >= least || (fits && !fits(each))) continue;
    least = away;
    found = i;
  }
  return found;
}

// That of the picture on the active side; without one the newest day that was seen at noon.
QDate DaysWindow::dayShown() const {
  const auto localOf = [](const monitor::DayPicture& picture) {
    return QDateTime::fromMSecsSinceEpoch(picture.taken.utcMs);
  };
  const int chosen = sides_[active_].chosen;
  if (chosen >= 0) return localOf(pictures_[static_cast<std::size_t>(chosen)]).date();
  const auto noon = std::find_if(pictures_.rbegin(), pictures_.rend(), [&](const auto& picture) {
    return std::abs(localOf(picture).time().secsTo(QTime(12, 0))) < 5400;
  });
  return localOf(noon == pictures_.rend() ? pictures_.back() : *noon).date();
}

// Of the two midnights of a day the one that has the nearer picture.
void DaysWindow::noonAndMidnight() {
  if (pictures_.empty()) return;
  const QDate day = dayShown();
  const auto at = [](const QDate& date, int hour) {
    return QDateTime(date, QTime(hour, 0)).toMSecsSinceEpoch();
  };
  const auto away = [&](std::int64_t midnight) {
    const auto place = static_cast<std::size_t>(nearest(midnight));
    return std::abs(pictures_[place].taken.utcMs - midnight);
  };
  const std::int64_t before = at(day, 0), behind = at(day.addDays(1), 0);
  choose(kLeft, nearest(at(day, 12)));
  choose(kRight, nearest(away(before) < away(behind) ? before : behind));
}

// By what the light meter said: of cameras whose days are not the clock's, too.
void DaysWindow::dayAndNight() {
  if (pictures_.empty()) return;
  using monitor::LightState;
  const std::int64_t noon = QDateTime(dayShown(), QTime(12, 0)).toMSecsSinceEpoch();
  const int day = nearest(noon, [](const auto& each) { return each.light == LightState::day; });
  const std::int64_t from = day < 0 ? noon : pictures_[static_cast<std::size_t>(day)].taken.utcMs;
  const int night = nearest(from, [](const auto& each) {
    return each.light == LightState::night || each.light == LightState::infrared;
  });
  if (day >= 0) choose(kLeft, day);
  if (night >= 0) choose(kRight, night);
  if (day < 0) told_->setText(tr("The record has no picture from the day yet."));
  if (night < 0) told_->setText(tr("The record has no picture from the night yet."));
}

QString DaysWindow::wordsOf(const monitor::DayPicture& picture) const {
  const QLocale locale;
  const QString when =
      locale.toString(QDateTime::fromMSecsSinceEpoch(picture.taken.utcMs), QLocale::ShortFormat);
  const QString light = lightTitle(picture.light);
  if (!std::isfinite(picture.liveTokens)) return tr("%1; %2", "when, light").arg(when, light);
  return tr("%1; %2; %3 of %4 tokens", "when, light")
      .arg(when, light, locale.toString(picture.liveTokens, 'f', 0),
           locale.toString(picture.tokens, 'f', 0));
}

// Loaded in a thread; while one goes on, the newest wish counts.
void DaysWindow::choose(Side side, int picture) {
  if (picture < 0 || picture >= static_cast<int>(pictures_.size())) return;
  Column& column = sides_[side];
  column.chosen = picture;
  const monitor::DayPicture of = pictures_[static_cast<std::size_t>(picture)];
  {
    const QSignalBlocker quiet(column.slider);
    column.slider->setValue(picture);
  }
  column.words->setText(unbroken(wordsOf(of)));
  column.slider->setAccessibleDescription(wordsOf(of));
  showMarks();
  if (column.frame && column.frame->of.picture == of.picture) return;
  const int number = ++*column.loading;
  using Loaded = std::pair<std::shared_ptr<const KeptFrame>, QString>;
  computeAside(
      this,
      [loading = column.loading, of, number]() -> Loaded {
        if (*loading != number) return {};
        try {
          return {std::make_shared<const KeptFrame>(readKept(of)), {}};
        } catch (const std::exception& failure) {
          return {nullptr, QString::fromUtf8(failure.what())};
        }
      },
      [this, loading = column.loading, side, number](const Loaded& loaded) {
        if (*loading == number) put(side, loaded.first, loaded.second);
      });
}

void DaysWindow::put(Side side, std::shared_ptr<const KeptFrame> frame, const QString& fault) {
  Column& column = sides_[side];
  column.frame = std::move(frame);
  if (!column.frame) {
    column.picture->show({}, fault);
    column.mergeMap->show({}, {});
    if (column.chosen < 0) column.words->clear();
  } else {
    const QString words = wordsOf(column.frame->of);
    column.picture->show(column.frame->shown, words);
    column.mergeMap->show(column.frame->merged,
                          column.frame->merged.isNull() ? tr("No merge map was kept") : words);
  }
  showDifference();
  emit drawn();
}

void DaysWindow::showDifference() {
  difference_ = {};
  const auto &left = sides_[kLeft].frame, &right = sides_[kRight].frame;
  if (!left || !right) {
    classes_->show({}, {});
    merging_->show({}, {});
    return classesWords_->clear();
  }
  difference_ = differenceOf(*left, *right);
  QStringList words;
  if (!difference_.classes.isNull())
    words << tr("%1 of the pixels have a different class.").arg(percent(difference_.otherClass));
  if (!difference_.merging.isNull()) {
    const auto dot = [](QRgb colour) {
      return QStringLiteral("<span style='color:%1'>&#9632;</span> ").arg(QColor(colour).name());
    };
    words << tr("Merged: %1on the left alone %2, %3on the right alone %4.")
                 .arg(dot(FrameDifference::kFirstColour), percent(difference_.firstAlone),
                      dot(FrameDifference::kSecondColour), percent(difference_.secondAlone));
  }
  classes_->show(difference_.classes, difference_.noClasses);
  merging_->show(difference_.merging, tr("Merge maps were not kept, or differ in size"));
  classesWords_->setText(words.join(QStringLiteral("<br>")));
  if (!difference_.classes.isNull()) classes_->setAccessibleDescription(words.front());
}

void DaysWindow::showMarks() {
  std::array<DayBand::Mark, 2> marks;
  for (const Side side : {kLeft, kRight}) {
    if (sides_[side].chosen < 0) continue;
    marks[side] = {pictures_[static_cast<std::size_t>(sides_[side].chosen)].taken.utcMs,
                   side == kLeft ? tr("L", "left") : tr("R", "right")};
  }
  band_->setMarks(marks);
}

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/axes.h"

#include <QDateTime>
#include <algorithm>
#include <array>

namespace mpm::gui {
namespace {

constexpr std::int64_t kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute,
                       kDay = 24 * kHour;

enum class Unit { second, minute, day, week, month, year };

struct Step {
  Unit unit;
  int number;
  std::int64_t aboutMs;
};

constexpr std::array kSteps{
    Step{Unit::second, 1, kSecond},       Step{Unit::second, 2, 2 * kSecond},
    Step{Unit::second, 5, 5 * kSecond},   Step{Unit::second, 10, 10 * kSecond},
    Step{Unit::second, 15, 15 * kSecond}, Step{Unit::second, 30, 30 * kSecond},
    Step{Unit::minute, 1, kMinute},       Step{Unit::minute, 2, 2 * kMinute},
    Step{Unit::minute, 5, 5 * kMinute},   Step{Unit::minute, 10, 10 * kMinute},
    Step{Unit::minute, 15, 15 * kMinute}, Step{Unit::minute, 30, 30 * kMinute},
    Step{Unit::minute, 60, kHour},        Step{Unit::minute, 120, 2 * kHour},
    Step{Unit::minute, 180, 3 * kHour},   Step{Unit::minute, 360, 6 * kHour},
    Step{Unit::minute, 720, 12 * kHour},  Step{Unit::day, 1, kDay},
    Step{Unit::day, 2, 2 * kDay},         Step{Unit::week, 1, 7 * kDay},
    Step{Unit::week, 2, 14 * kDay},       Step{Unit::month, 1, 30 * kDay},
    Step{Unit::month, 2, 61 * kDay},      Step{Unit::month, 3, 91 * kDay},
    Step{Unit::month, 6, 182 * kDay},     Step{Unit::year, 1, 365 * kDay},
    Step{Unit::year, 2, 730 * kDay},      Step{Unit::year, 5, 1826 * kDay},
    Step{Unit::year, 10, 3652 * kDay},    Step{Unit::year, 50, 18262 * kDay}};

Step stepFor(std::int64_t spanMs, int most) {
  for (const Step& step : kSteps)
    if (spanMs / step.aboutMs <= std::max(most, 1)) return step;
  return kSteps.back();
}

QDateTime local(std::int64_t utcMs, const QTimeZone& zone) {
  return QDateTime::fromMSecsSinceEpoch(utcMs, zone);
}

std::int64_t offsetMs(std::int64_t utcMs, const QTimeZone& zone) {
  return std::int64_t{1000} * local(utcMs, zone).offsetFromUtc();
}

/// Multiples of `stepMs` of the wall clock while it is `offset` ahead of UTC: from <= tick < to.
void addMultiples(std::vector<std::int64_t>& ticks, std::int64_t from, std::int64_t to,
                  std::int64_t offset, std::int64_t stepMs) {
  std::int64_t wall = (from + offset) / stepMs * stepMs;
  if (wall < from + offset) wall += stepMs;
  for (; wall < to + offset; wall += stepMs) ticks.push_back(wall - offset);
}

std::vector<std::int64_t> clockTicks(std::int64_t from, std::int64_t to, std::int64_t stepMs,
                                     const QTimeZone& zone) {
  std::vector<std::int64_t> ticks;
  std::int64_t begin = from;
  if (zone.hasTransitions()) {
    const auto changes = zone.transitions(local(from, zone), local(to, zone));
    for (const QTimeZone::OffsetData& change : changes) {
      const std::int64_t at = change.atUtc.toMSecsSinceEpoch();
      if (at <= begin || at > to) continue;
      addMultiples(ticks, begin, at, offsetMs(begin, zone), stepMs);
      begin = at;
    }
  }
  addMultiples(ticks, begin, to + 1, offsetMs(begin, zone), stepMs);
  return ticks;
}

bool begins(const QDate& date, const Step& step) {
  switch (step.unit) {
    case Unit::day:
      return date.toJulianDay() % step.number == 0;
    case Unit::week:
      return date.dayOfWeek() == 1 && (date.toJulianDay() / 7) % step.number == 0;
    case Unit::month:
      return date.day() == 1 && (date.month() - 1) % step.number == 0;
    default:
      return date.dayOfYear() == 1 && date.year() % step.number == 0;
  }
}

std::vector<std::int64_t> dateTicks(std::int64_t from, std::int64_t to, const Step& step,
                                    const QTimeZone& zone) {
  std::vector<std::int64_t> ticks;
  const QDate last = local(to, zone).date();
  QDate date = local(from, zone).date();
  // Long steps go from month to month: a century of days would be many.
  const bool byMonth = step.unit == Unit::month || step.unit == Unit::year;
  if (byMonth) date = QDate(date.year(), date.month(), 1);
  for (; date <= last; date = byMonth ? date.addMonths(1) : date.addDays(1)) {
    if (!begins(date, step)) continue;
    const std::int64_t at = date.startOfDay(zone).toMSecsSinceEpoch();
    if (at >= from && at <= to) ticks.push_back(at);
  }
  return ticks;
}

bool dayComesFirst(const QLocale& locale) {
  const QString format = locale.dateFormat(QLocale::ShortFormat);
  return format.indexOf('d') < format.indexOf('M');
}

/// The locale's way to write the time, always or never with seconds.
QString clockFormat(bool seconds, const QLocale& locale) {
  QString format = locale.timeFormat(QLocale::ShortFormat);
  const auto minutes = format.indexOf(QStringLiteral("mm"));
  if (minutes <= 0) return seconds ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm");
  const QChar between = format.at(minutes - 1);
  const QString ending = QString(between) + QStringLiteral("ss");
  if (seconds && !format.contains(ending)) format.insert(minutes + 2, ending);
  if (!seconds) format.remove(ending);
  return format;
}

/// "d", and "d." where ordinals have a full stop.
QString dayFormat(const QLocale& locale) {
  const bool stop = locale.dateFormat(QLocale::LongFormat).contains(QStringLiteral("d."));
  return stop ? QStringLiteral("d.") : QStringLiteral("d");
}

QString dateFormat(bool weekday, bool year, const QLocale& locale) {
  const QString day = dayFormat(locale);
  QString format =
      dayComesFirst(locale) ? day + QStringLiteral(" MMM") : QStringLiteral("MMM ") + day;
  if (weekday) format.prepend(QStringLiteral("ddd "));
  if (year) format.append(QStringLiteral(" yyyy"));
  return format;
}

QString labelOf(const QDateTime& at, const Step& step, const QLocale& locale) {
  switch (step.unit) {
    case Unit::second:
      return clockText(at.time(), true, locale);
    case Unit::minute:
      return clockText(at.time(), false, locale);
    case Unit::day:
      return locale.toString(at.date(), QStringLiteral("ddd ") + dayFormat(locale));
    case Unit::week:
      return locale.toString(at.date(), dateFormat(false, false, locale));
    case Unit::month:
      return locale.toString(at.date(), QStringLiteral("MMM"));
    case Unit::year:
      break;
  }
  return locale.toString(at.date(), QStringLiteral("yyyy"));
}

QString contextOf(const QDateTime& at, const Step& step, const QLocale& locale) {
  switch (step.unit) {
    case Unit::second:
    case Unit::minute:
      return locale.toString(at.date(), dateFormat(true, true, locale));
    case Unit::day:
      return locale.toString(at.date(), QStringLiteral("MMMM yyyy"));
    case Unit::week:
    case Unit::month:
      return locale.toString(at.date(), QStringLiteral("yyyy"));
    case Unit::year:
      break;
  }
  return {};
}

}  // namespace

std::vector<TimeTick> timeTicks(std::int64_t fromUtcMs, std::int64_t toUtcMs, int most,
                                const QTimeZone& zone, const QLocale& locale) {
  if (fromUtcMs >= toUtcMs) return {};
  const Step step = stepFor(toUtcMs - fromUtcMs, most);
  const bool byClock = step.unit == Unit::second || step.unit == Unit::minute;
  std::vector<TimeTick> ticks;
  for (const std::int64_t utcMs : byClock ? clockTicks(fromUtcMs, toUtcMs, step.aboutMs, zone)
                                          : dateTicks(fromUtcMs, toUtcMs, step, zone)) {
    const QDateTime at = local(utcMs, zone);
    ticks.push_back({utcMs, labelOf(at, step, locale), contextOf(at, step, locale)});
  }
  return ticks;
}

QString contextAt(std::int64_t utcMs, std::int64_t fromUtcMs, std::int64_t toUtcMs, int most,
                  const QTimeZone& zone, const QLocale& locale) {
  return contextOf(local(utcMs, zone), stepFor(toUtcMs - fromUtcMs, most), locale);
}

QString clockText(QTime time, bool seconds, const QLocale& locale) {
  return locale.toString(time, clockFormat(seconds, locale));
}

QString momentText(std::int64_t utcMs, bool seconds, const QTimeZone& zone, const QLocale& locale) {
  const QDateTime at = local(utcMs, zone);
  return locale.toString(at.date(), dateFormat(true, true, locale)) + ' ' +
         clockText(at.time(), seconds, locale);
}

}  // namespace mpm::gui

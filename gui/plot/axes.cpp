// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/axes.h"

#include <QCoreApplication>
#include <QDateTime>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gui/plot/colours.h"

namespace mpm::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::ValueAxis)
};

constexpr int kMostDecimals = 9;

double roundStep(double atLeast) {
  const double power = std::pow(10.0, std::floor(std::log10(atLeast)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= atLeast * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

void order(double& low, double& high) {
  if (!std::isfinite(low) || !std::isfinite(high) || std::fabs(low) > 1e200 ||
      std::fabs(high) > 1e200) {
    low = 0;
    high = 1;
  }
  if (low > high) std::swap(low, high);
  // Doubles of this size cannot be divided that finely, so the axis gets room around them.
  const double least = std::max(std::fabs(low), std::fabs(high)) * 1e-9;
  if (high - low <= std::max(least, 1e-12)) {
    const double room = low == 0 ? 1 : std::fabs(low) * 0.05;
    low -= room;
    high += room;
  }
}

ValueAxis axisBySteps(double low, double high, double step, bool widen) {
  ValueAxis made;
  // The ends are multiples of a fifth of a step: close to the data, but stable when it trembles.
  const double fifth = step / 5;
  made.low = widen ? std::floor(low / fifth + 1e-9) * fifth : low;
  made.high = widen ? std::ceil(high / fifth - 1e-9) * fifth : high;
  made.decimals =
      std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, kMostDecimals);
  const double first = std::ceil(made.low / step - 1e-9);
  const double last = std::floor(made.high / step + 1e-9);
  for (double number = first; number <= last; ++number)
    made.ticks.push_back(number == 0 ? 0.0 : number * step);
  return made;
}

ValueAxis axis(double low, double high, int most, bool widen) {
  order(low, high);
  double step = roundStep((high - low) / std::max(most - 1, 1));
  ValueAxis made = axisBySteps(low, high, step, widen);
  for (int finer = 0; finer < 2 && made.ticks.size() < 2; ++finer) {
    step = roundStep(0.4 * step);  // the next one: 5, 2, 1
    made = axisBySteps(low, high, step, widen);
  }
  if (made.ticks.empty()) made.ticks.push_back(made.low);
  return made;
}

void drawFrame(QPainter& painter, const QRect& plot, const QPalette& palette) {
  painter.setPen(mixed(gridColour(palette), palette.color(QPalette::Text), 0.3));
  painter.setBrush(Qt::NoBrush);
  painter.drawLine(plot.bottomLeft(), plot.bottomRight());
  painter.drawLine(plot.topLeft(), plot.bottomLeft());
}

/// Places labels on one line, from left to right, without overlap, between `left` and `right`.
class LabelLine {
 public:
  LabelLine(QPainter& painter, int left, int right, int top)
      : painter_(painter),
        metrics_(painter.font(), painter.device()),
        left_(left),
        right_(right),
        top_(top) {}

  int widthOf(const QString& text) const { return metrics_.horizontalAdvance(text); }

  bool put(int x, const QString& text) {
    const int wide = widthOf(text);
    if (x < free_ || x < left_ || x + wide > right_) return false;
    painter_.drawText(x, top_ + metrics_.ascent(), text);
    free_ = x + wide + metrics_.horizontalAdvance('x');
    return true;
  }
  /// Places the label as near to centred on `x` as the ends allow.
  bool putAround(int x, const QString& text) {
    const int wide = widthOf(text);
    return put(std::clamp(x - wide / 2, left_, std::max(right_ - wide, left_)), text);
  }

 private:
  QPainter& painter_;
  QFontMetrics metrics_;
  int left_, right_, top_, free_ = std::numeric_limits<int>::min();
};

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

/// Adds multiples of `stepMs` in local time, which is `offset` ahead of UTC: from <= tick < to.
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
  // Long steps go from month to month, as a century has many days.
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

/// Returns the locale's time format, always or never with seconds.
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

/// Returns "d", or "d." if ordinals have a full stop.
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

int timeTicksAlong(const QRect& plot, const QFontMetrics& metrics, std::int64_t spanMs,
                   const QTimeZone& zone, const QLocale& locale) {
  // The width of a label for this span comes from a first guess.
  const auto guess =
      timeTicks(0, spanMs, std::max(2, ticksAlong(plot.width(), metrics)), zone, locale);
  int wide = metrics.horizontalAdvance(QStringLiteral("00:00"));
  for (const TimeTick& tick : guess) wide = std::max(wide, metrics.horizontalAdvance(tick.label));
  return std::max(1, plot.width() / (wide + 3 * metrics.horizontalAdvance('x')));
}

}  // namespace

QString ValueAxis::label(double tick, const QLocale& locale) const {
  return locale.toString(tick, 'f', decimals);
}

ValueAxis axisAround(double low, double high, int most) { return axis(low, high, most, true); }
ValueAxis axisWithin(double low, double high, int most) { return axis(low, high, most, false); }

int decimalsFor(double size) {
  const double magnitude = std::fabs(size);
  if (!std::isfinite(magnitude) || magnitude >= 99.95 || magnitude == 0) return 0;
  if (magnitude >= 9.995) return 1;
  if (magnitude >= 0.9995) return 2;
  return std::clamp(static_cast<int>(2 - std::floor(std::log10(magnitude))), 3, kMostDecimals);
}

QString valueText(double value, const QString& unit, const QLocale& locale) {
  return withUnit(locale.toString(value, 'f', decimalsFor(value)), unit);
}

QString withUnit(const QString& number, const QString& unit) {
  if (unit.isEmpty()) return number;
  if (unit == QLatin1String("%")) return Words::tr("%1%", "a percentage").arg(number);
  return Words::tr("%1 %2", "a value and its unit").arg(number, unit);
}

QString percentText(double percent, int decimals, const QLocale& locale) {
  return withUnit(locale.toString(percent, 'f', decimals), QStringLiteral("%"));
}

int valueAxisWidth(const ValueAxis& axis, const QFontMetrics& metrics, const QLocale& locale) {
  int wide = 0;
  for (const double tick : axis.ticks)
    wide = std::max(wide, metrics.horizontalAdvance(axis.label(tick, locale)));
  return wide + kAxisGap;
}

int ticksUpwards(int height, const QFontMetrics& metrics) {
  return std::clamp(height / (metrics.height() * 2), 3, 10);
}

int ticksAlong(int width, const QFontMetrics& metrics) {
  return std::clamp(width / (metrics.horizontalAdvance(QStringLiteral("0,000")) * 2), 3, 10);
}

void drawValuesUpwards(QPainter& painter, const QRect& plot, const ValueAxis& axis,
                       const QPalette& palette, const QLocale& locale) {
  const QFontMetrics metrics(painter.font(), painter.device());
  int free = std::numeric_limits<int>::max();
  for (const double tick : axis.ticks) {
    const int y = plot.bottom() - static_cast<int>(std::lround(axis.share(tick) * plot.height()));
    painter.setPen(gridColour(palette));
    painter.drawLine(plot.left(), y, plot.right(), y);
    const QRect label(0, y - metrics.height() / 2, plot.left() - kAxisGap, metrics.height());
    if (label.bottom() >= free || label.top() < 0) continue;
    free = label.top();
    painter.setPen(quietTextColour(palette));
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                     axis.label(tick, locale));
  }
  drawFrame(painter, plot, palette);
}

void drawValuesAlong(QPainter& painter, const QRect& plot, const ValueAxis& axis,
                     const QPalette& palette, const QLocale& locale) {
  LabelLine line(painter, plot.left() - kAxisGap, plot.right() + 2 * kAxisGap,
                 plot.bottom() + kAxisGap);
  for (const double tick : axis.ticks) {
    const int x = plot.left() + static_cast<int>(std::lround(axis.share(tick) * plot.width()));
    painter.setPen(gridColour(palette));
    painter.drawLine(x, plot.top(), x, plot.bottom());
    painter.setPen(quietTextColour(palette));
    line.putAround(x, axis.label(tick, locale));
  }
  drawFrame(painter, plot, palette);
}

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

QString clockText(QTime time, bool seconds, const QLocale& locale) {
  return locale.toString(time, clockFormat(seconds, locale));
}

QString momentText(std::int64_t utcMs, bool seconds, const QTimeZone& zone, const QLocale& locale) {
  const QDateTime at = local(utcMs, zone);
  return locale.toString(at.date(), dateFormat(true, true, locale)) + ' ' +
         clockText(at.time(), seconds, locale);
}

int timeAxisHeight(const QFontMetrics& metrics) { return 2 * metrics.height() + kAxisGap; }

void drawTime(QPainter& painter, const QRect& plot, std::int64_t fromUtcMs, std::int64_t toUtcMs,
              const QPalette& palette, const QTimeZone& zone, const QLocale& locale, int reserved) {
  const QFontMetrics metrics(painter.font(), painter.device());
  const int most = timeTicksAlong(plot, metrics, toUtcMs - fromUtcMs, zone, locale);
  const TimeScale scale{fromUtcMs, toUtcMs, plot.width()};
  const auto ticks = timeTicks(fromUtcMs, toUtcMs, most, zone, locale);
  const int right = plot.right() + kAxisGap;
  LabelLine labels(painter, plot.left() - kAxisGap, right, plot.bottom() + kAxisGap - 1);
  LabelLine contexts(painter, plot.left() - kAxisGap, right - reserved,
                     plot.bottom() + kAxisGap - 1 + metrics.height());

  // The context is at the left end, unless the first change leaves no room for it.
  QString context = contextOf(local(fromUtcMs, zone), stepFor(toUtcMs - fromUtcMs, most), locale);
  int changeAt = std::numeric_limits<int>::max();
  for (const TimeTick& tick : ticks)
    if (tick.context != context) {
      changeAt = plot.left() + static_cast<int>(scale.columnOf(tick.utcMs)) -
                 contexts.widthOf(tick.context) / 2;
      break;
    }
  painter.setPen(quietTextColour(palette));
  if (plot.left() + contexts.widthOf(context) + 2 * kAxisGap < changeAt)
    contexts.put(plot.left(), context);
  for (const TimeTick& tick : ticks) {
    const int x = plot.left() + static_cast<int>(std::lround(scale.columnOf(tick.utcMs)));
    const bool changes = tick.context != context;
    painter.setPen(changes ? mixed(gridColour(palette), palette.color(QPalette::Text), 0.25)
                           : gridColour(palette));
    painter.drawLine(x, plot.top(), x, plot.bottom() + 3);
    painter.setPen(quietTextColour(palette));
    labels.putAround(x, tick.label);
    if (changes) contexts.putAround(x, tick.context);
    context = tick.context;
  }
  drawFrame(painter, plot, palette);
}

}  // namespace mpm::gui

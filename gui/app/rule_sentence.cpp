// SPDX-License-Identifier: Apache-2.0
#include "gui/app/wording.h"

#include <QtWidgets>
#include <cmath>
#include <vector>

#include "gui/plot/axes.h"
#include "monitor/rules/words.h"

namespace mpm::gui {
namespace {

using monitor::MetricKind;

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::RuleSentence)
};

QString number(double value) { return QLocale().toString(value, 'g', 4); }
QString duration(std::int64_t ms) { return durationWords(monitor::durationText(ms)); }

QString metricBeginning(const monitor::Rule& rule) {
  const QString metric = metricWords(rule.metric);
  const bool dwells = rule.dwellMs > 0;
  QString words;
  if (rule.above && rule.below) {
    words = (dwells ? Words::tr("Begins when %1 has been outside of %2 to %3 for %4.")
                    : Words::tr("Begins as soon as %1 is outside of %2 to %3."))
                .arg(metric, number(*rule.below), number(*rule.above));
  } else if (rule.above) {
    words = (dwells ? Words::tr("Begins when %1 has been above %2 for %3.")
                    : Words::tr("Begins as soon as %1 is above %2."))
                .arg(metric, number(*rule.above));
  } else if (rule.below) {
    words = (dwells ? Words::tr("Begins when %1 has been below %2 for %3.")
                    : Words::tr("Begins as soon as %1 is below %2."))
                .arg(metric, number(*rule.below));
  }
  return dwells && !words.isEmpty() ? words.arg(duration(rule.dwellMs)) : words;
}

QString beginning(const monitor::Rule& rule) {
  if (rule.stale)
    return Words::tr("Begins when no frame has come for %1.").arg(duration(rule.dwellMs));
  if (rule.light.empty()) return rule.metric.empty() ? QString() : metricBeginning(rule);
  if (rule.dwellMs == 0)
    return Words::tr("Begins as soon as the light is %1.").arg(lightWords(rule.light));
  return Words::tr("Begins when the light has been %1 for %2.")
      .arg(lightWords(rule.light), duration(rule.dwellMs));
}

}  // namespace

QString metricWords(const std::string& metric) {
  const monitor::MetricName name = monitor::MetricName::parse(metric);
  const QString part = QString::fromStdString(name.part);
  switch (name.kind) {
    case MetricKind::area:
      return name.zone.empty()
                 ? Words::tr("the share of %1").arg(part)
                 : Words::tr("the share of %1 in %2").arg(part, QString::fromStdString(name.zone));
    case MetricKind::liveRows:
      return Words::tr("the number of live rows (special ones included)");
    case MetricKind::mergedShare:
      return Words::tr("the share of merged tokens");
    case MetricKind::confidence:
      return Words::tr("the mean confidence");
    case MetricKind::luma:
      return Words::tr("the brightness");
    case MetricKind::saturation:
      return Words::tr("the saturation");
    default:
      return QString::fromStdString(metric);
  }
}

QString ruleSentence(const monitor::Rule& rule) {
  QStringList sentences{beginning(rule)};
  if (sentences[0].isEmpty()) return {};
  if (!rule.during.empty())
    sentences << Words::tr("Only while the light is %1.").arg(lightWords(rule.during));
  if (rule.snapshot && rule.clip) {
    sentences << Words::tr("Keeps a snapshot and a clip.");
  } else if (rule.snapshot) {
    sentences << Words::tr("Keeps a snapshot.");
  } else if (rule.clip) {
    sentences << Words::tr("Keeps a clip.");
  }
  if (!rule.command.empty())
    sentences << Words::tr("Runs %1.").arg(QString::fromStdString(rule.command.front()));
  return sentences.join(QLatin1Char(' '));
}

QString valueSentence(const monitor::Rule& rule, std::optional<double> value) {
  if (rule.metric.empty()) return {};
  return value && std::isfinite(*value) ? Words::tr("Now it is %1.").arg(number(*value))
                                        : Words::tr("What it is now is not known yet.");
}

QString hindsightSentence(const monitor::Hindsight& hindsight) {
  constexpr std::int64_t kMinuteMs = 60'000;
  if (hindsight.seenMs == 0) return Words::tr("Nothing that it looks at has been recorded yet.");
  const std::int64_t minutes = (hindsight.seenMs + kMinuteMs / 2) / kMinuteMs;
  const QString span = minutes > 0 ? Words::tr("%1 min").arg(minutes) : duration(hindsight.seenMs);
  if (hindsight.began == 0)
    return Words::tr("In the last hour, %1 of it recorded, it would not have begun.").arg(span);
  const QString last =
      clockText(QDateTime::fromMSecsSinceEpoch(*hindsight.lastUtcMs).time(), true, QLocale());
  const QString held = duration(hindsight.heldMs);
  if (hindsight.began == 1)
    return Words::tr(
               "In the last hour, %1 of it recorded, it would have begun once, at "
               "%2, and held for %3.")
        .arg(span, last, held);
  return Words::tr(
             "In the last hour, %1 of it recorded, it would have begun %Ln times, "
             "the last time at %2, and held for %3 in all.",
             nullptr, hindsight.began)
      .arg(span, last, held);
}

}  // namespace mpm::gui

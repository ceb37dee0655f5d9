// SPDX-License-Identifier: Apache-2.0
#include "gui/app/liveness.h"

#include <QCoreApplication>
#include <QStringList>
#include <QTimeZone>
#include <algorithm>
#include <cmath>

#include "gui/app/frame_figures.h"
#include "gui/plot/axes.h"

namespace mpm::gui {
namespace {

constexpr std::int64_t kStaleMs = 2000;  // from here on a picture is no longer called live
constexpr std::int64_t kLatelyMs = 5000, kLongerMs = 60'000, kLeastSeenMs = 30'000;
constexpr int kAskEveryMs = 2000;
constexpr std::size_t kLeastMinutes = 10;   // to say what is usual
constexpr std::uint32_t kLeastFrames = 10;  // to say how sure the model is
// A share is unusual if it is this far from the usual one, and twice or half of it.
constexpr double kLeastStep = 0.01, kDeviations = 3;
constexpr double kWorthNaming = 0.005;

std::int64_t ageNow(const monitor::FrameResult& result) {
  return ageOf(result, monitor::systemClock().now().steadyMs);
}

// Tells whether the shown frame is old, whatever the camera delivered: a failing net makes it old
// as well. Sources wait for each other's frames.
bool isOld(const monitor::FrameResult& result, std::size_t cameras) {
  double networkMs = result.segmentation.times.networkMs;
  if (result.full) networkMs += result.full->times.networkMs;
  return static_cast<double>(ageNow(result)) >
         kStaleMs + (2 + static_cast<double>(cameras)) * networkMs;
}

// Returns the engine's error as a separate sentence.
QString asSentence(const std::string& fault) {
  QString sentence = QString::fromStdString(fault);
  if (sentence.isEmpty()) return sentence;
  // The name of a layer or a file keeps its case.
  const QString first = sentence.section(QLatin1Char(' '), 0, 0);
  const bool isWord =
      std::all_of(first.begin(), first.end(), [](QChar one) { return one.isLetter(); });
  if (isWord) sentence[0] = sentence[0].toUpper();
  return sentence.endsWith(QLatin1Char('.')) ? sentence : sentence + QLatin1Char('.');
}

QString wordFor(monitor::CaptureState state) {
  switch (state) {
    case monitor::CaptureState::opening:
      return Liveness::tr("Opening");
    case monitor::CaptureState::live:
      return Liveness::tr("Live");
    case monitor::CaptureState::stale:
      return Liveness::tr("No new picture");
    case monitor::CaptureState::waiting:
      return Liveness::tr("Lost");
    case monitor::CaptureState::ended:
      return Liveness::tr("Ended");
  }
  return {};
}

QString reasonOf(const monitor::CaptureStatus& status) {
  if (status.state == monitor::CaptureState::stale)
    return Liveness::tr("The source is open, but sends nothing.");
  if (status.state != monitor::CaptureState::waiting) return {};
  return Liveness::tr("%1 Next try in %2 s.")
      .arg(asSentence(status.fault))
      .arg(QLocale().toString((status.msToNextTry + 999) / 1000));
}

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Headline)
};

QString percent(double share, const QLocale& locale) {
  const double value = 100 * share;
  return Words::tr("%1%").arg(locale.toString(value, 'f', value < 9.95 ? 1 : 0));
}

// Visits the newest seconds that begin within `back` of the last one, newest first.
template <typename Visit>
void eachSecond(const monitor::Series& series, std::int64_t back, const Visit& visit) {
  const auto& seconds = series.buckets(monitor::Resolution::second);
  if (seconds.empty()) return;
  const std::int64_t from = seconds.back().startUtcMs - back;
  for (auto second = seconds.rbegin(); second != seconds.rend(); ++second) {
    if (second->era != seconds.back().era || second->startUtcMs <= from) break;
    visit(*second);
  }
}

std::uint32_t framesOf(const monitor::Bucket& bucket) {
  std::uint32_t frames = 0;
  for (const std::uint32_t one : bucket.frames) frames += one;
  return frames;
}

// Returns the usual share of one metric, from completed minutes.
ClassShare usualIn(const monitor::Series& series, std::size_t metric) {
  ClassShare share;
  monitor::Tally usual;
  const auto& minutes = series.buckets(monitor::Resolution::minute);
  for (std::size_t i = 0; i + 2 < minutes.size(); ++i)
    if (minutes[i].tallies[metric].count > 0) usual.add(minutes[i].tallies[metric].mean());
  if (usual.count < kLeastMinutes) return share;
  share.usual = usual.mean();
  share.deviation = usual.deviation();
  return share;
}

double stepOf(const ClassShare& share) {
  const double step = std::abs(share.now - share.usual);
  const bool isFar = step >= std::max(kLeastStep, kDeviations * share.deviation);
  const bool isOther = std::max(share.now, share.usual) >= 2 * std::min(share.now, share.usual);
  return isFar && isOther ? step / std::max(kLeastStep, share.deviation) : 0;
}

// Returns the mean confidence of the last minute, or of the last ten frames if those are further
// apart; std::nullopt before half of it is there.
std::optional<double> sureLately(const monitor::Engine& engine) {
  monitor::Tally all;
  std::int64_t seenMs = 0;
  const std::optional<monitor::Moment> dark = engine.filteredAt();
  engine.readStatistics([&](const monitor::Statistics& statistics) {
    const auto place = statistics.metrics().find("confidence");
    const auto& minutes = statistics.series().buckets(monitor::Resolution::minute);
    const auto& seconds = statistics.series().buckets(monitor::Resolution::second);
    if (!place || seconds.empty()) return;
    const auto add = [&](const monitor::Bucket& bucket) {
      if (dark && dark->era == bucket.era && bucket.startUtcMs <= dark->utcMs) return;
      all.add(bucket.tallies[*place]);
      seenMs = seconds.back().startUtcMs - bucket.startUtcMs;
    };
    eachSecond(statistics.series(), kLongerMs, add);
    const std::int64_t before = seconds.back().startUtcMs - 2 * kLongerMs;
    for (auto minute = minutes.rbegin(); minute != minutes.rend(); ++minute) {
      if (minute->era != seconds.back().era || all.count >= kLeastFrames) break;
      if (minute->startUtcMs <= before) add(*minute);
    }
  });
  return seenMs >= kLeastSeenMs && all.count >= kLeastFrames / 2 ? std::optional(all.mean())
                                                                 : std::nullopt;
}

}  // namespace

Liveness Liveness::of(const monitor::Engine& engine, std::size_t cameras, bool paused) {
  const monitor::CaptureStatus status = engine.capture();
  const monitor::FrameResultPtr newest = engine.latest();
  Liveness live;
  live.state = wordFor(status.state);
  live.reason = reasonOf(status);
  live.hasPicture = newest != nullptr;
  const bool sends = status.state == monitor::CaptureState::live;
  const bool old =
      newest && !paused && status.state != monitor::CaptureState::ended && isOld(*newest, cameras);
  if (live.reason.isEmpty()) live.reason = asSentence(engine.fault());
  const bool fails = sends && !live.reason.isEmpty();
  if (old || (newest && fails && !paused)) live.oldMs = ageNow(*newest);
  if (old && sends && !fails) {
    live.state = tr("Behind");
    live.reason = tr("The source sends pictures, but the model is still busy with an earlier one.");
  }
  if (sends && !newest) live.state = tr("Opening");  // the first one is on its way
  if (fails) live.state = tr("Model error");
  if (paused) live.state = tr("Paused");
  live.isLive = newest && !live.oldMs && !paused && sends;
  if (live.isLive && isReplayed(*newest)) {
    live.isLive = false;
    live.state = tr("Replay");
    live.reason = momentText(newest->frame.taken.utcMs, false, QTimeZone::systemTimeZone(), {});
  }
  return live;
}

Liveness Liveness::between(const monitor::FrameResultPtr& last, bool paused) {
  Liveness live;
  live.state = tr("Opening");
  live.hasPicture = last != nullptr;
  if (last && !paused && ageNow(*last) > kStaleMs) live.oldMs = ageNow(*last);
  return live;
}

QString Liveness::ofAll(const std::vector<Liveness>& cameras) {
  const bool areAlike = std::all_of(cameras.begin(), cameras.end(), [&](const Liveness& one) {
    return one.state == cameras[0].state;
  });
  const auto live =
      std::count_if(cameras.begin(), cameras.end(), [](const Liveness& one) { return one.isLive; });
  return areAlike ? cameras.at(0).state : tr("%1 of %2 live").arg(live).arg(cameras.size());
}

std::vector<std::string> litZones(const monitor::Engine& engine, const monitor::RuleBook& book) {
  std::vector<std::string> lit;
  const auto holding = engine.rules();
  for (const monitor::Zone& zone : book.zones) {
    const std::string part = monitor::metricPart(zone.name);
    const bool holds =
        std::any_of(book.rules.begin(), book.rules.end(), [&](const monitor::Rule& rule) {
          return monitor::MetricName::parse(rule.metric).zone == part &&
                 std::find(holding.begin(), holding.end(), std::pair(rule.name, true)) !=
                     holding.end();
        });
    if (holds) lit.push_back(zone.name);
  }
  return lit;
}

void SceneWatch::look(const monitor::Engine& engine, std::optional<double> usual,
                      bool isStreetElsewhere) {
  if (asked_.isValid() && asked_.elapsed() < kAskEveryMs && about_ == &engine) return;
  asked_.start();
  about_ = &engine;
  words_.clear();
  sure_.clear();
  const monitor::FrameResultPtr newest = engine.latest();
  place_ = usual || !newest ? Place::notYet : Place::untold;
  if (isStreetElsewhere && newest) {
    place_ = Place::strange;
    sure_ = tr("it knows only a drawn street");
  }
  if (!usual || !newest || newest->filtered) return;
  const auto now = sureLately(engine);
  if (!now) return;
  const QLocale locale;
  const QString here = locale.toString(100 * *now, 'f', 1);
  const QString usually = locale.toString(100 * *usual, 'f', 1);
  if (!isStreetElsewhere) {
    place_ = *now < *usual ? Place::strange : Place::known;
    sure_ = tr("%1% sure, usually %2% or more").arg(here, usually);
  }
  if (*now >= *usual) return;
  words_ = tr("Unknown scene? %1% sure, usually %2% or more").arg(here, usually);
  explanation_ =
      tr("The model may not know scenes like this one: lately it was %1% sure on average. On "
         "nearly all pictures like those it was trained on, it is %2% sure or more.")
          .arg(here, usually);
}

SeenLately seenLately(const monitor::Engine& engine, const monitor::FrameResult& told,
                      const ClassSettings& classes) {
  SeenLately seen;
  const auto& names = engine.metrics().parsed();
  const auto age = engine.metrics().find("frame_age_ms");
  engine.readStatistics([&](const monitor::Statistics& statistics) {
    const monitor::Series& series = statistics.series();
    std::uint32_t frames = 0;
    const auto count = [&](const monitor::Bucket& second) { frames += framesOf(second); };
    std::int64_t back = kLatelyMs;
    eachSecond(series, back, count);
    if (frames < 2) {
      frames = 0;
      eachSecond(series, back = kLongerMs, count);
    }
    const auto& seconds = series.buckets(monitor::Resolution::second);
    if (seconds.empty()) return;
    // The last second is still open, so its count may be incomplete.
    const monitor::Bucket& open = seconds.back();
    const std::int64_t lasted = std::min(back - 1000, open.startUtcMs - seconds.front().startUtcMs);
    if (lasted > 0)
      seen.perSecond = 1000.0 * (frames - framesOf(open)) / static_cast<double>(lasted);
    if (age) {
      monitor::Tally late;
      eachSecond(series, back,
                 [&](const monitor::Bucket& second) { late.add(second.tallies[*age]); });
      if (late.count > 0) seen.lateMs = late.mean();
    }
    int index = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].kind != monitor::MetricKind::area) continue;
      const bool isOfPicture = names[i].zone.empty();
      const int label = isOfPicture ? index++ : -1;
      if (isOfPicture && !classes.shows(label)) continue;
      ClassShare share = usualIn(series, i);
      share.now = told.figures.values[i];
      share.name = isOfPicture ? classes.name(label)
                               : Words::tr("%1 in %2")
                                     .arg(QString::fromStdString(names[i].part),
                                          QString::fromStdString(names[i].zone));
      if (std::isfinite(share.now)) seen.shares.push_back(std::move(share));
    }
  });
  return seen;
}

ThereWords thereWords(const std::vector<ClassShare>& shares, const QLocale& locale,
                      std::size_t mostNamed) {
  const auto unusual = std::max_element(
      shares.begin(), shares.end(),
      [](const ClassShare& a, const ClassShare& b) { return stepOf(a) < stepOf(b); });
  if (unusual != shares.end() && stepOf(*unusual) > 0) {
    const QString usual = percent(unusual->usual, locale);
    return {
        Words::tr("%1 %2", "a class, its share").arg(unusual->name, percent(unusual->now, locale)),
        unusual->now > unusual->usual ? Words::tr("more than the usual %1").arg(usual)
                                      : Words::tr("less than the usual %1").arg(usual)};
  }
  std::vector<const ClassShare*> largest;
  bool isUsual = false;
  for (const ClassShare& share : shares) {
    isUsual = isUsual || std::isfinite(share.usual);
    if (share.now >= kWorthNaming) largest.push_back(&share);
  }
  std::stable_sort(largest.begin(), largest.end(),
                   [](const ClassShare* a, const ClassShare* b) { return a->now > b->now; });
  QStringList words;
  for (std::size_t i = 0; i < std::min(largest.size(), mostNamed); ++i)
    words << Words::tr("%1 %2", "a class, its share")
                 .arg(largest[i]->name, percent(largest[i]->now, locale));
  if (words.isEmpty()) return {Words::tr("no visible class"), {}};
  return {words.join(QStringLiteral(", ")),
          isUsual ? Words::tr("as usual") : Words::tr("in ten minutes: what is usual")};
}

}  // namespace mpm::gui

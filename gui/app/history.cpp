// SPDX-License-Identifier: Apache-2.0
#include "gui/app/history.h"

#include <algorithm>
#include <exception>
#include <iterator>

#include "gui/app/frame_figures.h"
#include "gui/app/wording.h"
#include "gui/aside.h"
#include "monitor/engine/frame_result.h"

namespace mpm::gui {
namespace {

constexpr std::int64_t kWatched = std::numeric_limits<std::int64_t>::max();  // as a run

QString keyOf(const QString& metric, monitor::Resolution resolution) {
  return QString::number(static_cast<int>(resolution)) + ' ' + metric;
}

void append(std::vector<PlotBucket>& list, const PlotBucket& bucket, std::int64_t from,
            std::int64_t to) {
  if (bucket.startUtcMs >= from && bucket.startUtcMs < to) list.push_back(bucket);
}

bool isBefore(const PlotBucket& one, const PlotBucket& other) {
  return std::pair(one.era, one.startUtcMs) < std::pair(other.era, other.startUtcMs);
}

// Reads each run separately, as the number of prefix tokens depends on the model.
std::vector<PlotBucket> inRecord(const monitor::RecordReader& reader, const std::string& name,
                                 std::int64_t begunUtcMs, const PictureTokens& tokens,
                                 monitor::Resolution resolution, std::int64_t fromUtcMs,
                                 std::int64_t toUtcMs, std::optional<double> special) {
  std::vector<PlotBucket> list;
  const std::vector<monitor::RecordedRun> runs = reader.runs(name);
  for (const monitor::RecordedRun& run : runs) {
    std::vector<monitor::Bucket> buckets =
        reader.buckets(name, resolution, fromUtcMs, toUtcMs, tokens.names(), run.id);
    const bool isNow = run.facts.modelHash == runs.back().facts.modelHash;
    tokens.reduce(buckets, isNow ? special : std::nullopt);
    const std::int64_t shown = run.facts.begun.utcMs == begunUtcMs ? kWatched : run.id;
    for (const monitor::Bucket& bucket : buckets)
      list.push_back(plotBucket(bucket, tokens.place(), shown));
  }
  return list;
}

}  // namespace

void holdCounts(std::vector<PlotBucket>& seconds) {
  const PlotBucket* counted = nullptr;
  for (PlotBucket& bucket : seconds) {
    if (bucket.count > 0) {
      counted = &bucket;
    } else if (counted != nullptr && counted->run == bucket.run && counted->era == bucket.era &&
               bucket.startUtcMs - counted->startUtcMs <= monitor::TokenCount::kMs) {
      bucket.count = 1;
      bucket.mean = bucket.smallest = bucket.largest = counted->mean;
    }
  }
}

EngineSeries::EngineSeries(QObject* parent) : SeriesSource(parent) {
  newer_.setInterval(500);
  connect(&newer_, &QTimer::timeout, this, &EngineSeries::tellNew);
}

void EngineSeries::setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                             const QString& name, std::int64_t begunUtcMs) {
  engine_ = std::move(engine);
  record_ = record;
  name_ = name;
  begunUtcMs_ = begunUtcMs;
  old_.clear();
  oldest_ = {};
  ++generation_;
  framesTold_ = 0;
  takenToldMs_ = 0;
  if (engine_) {
    newer_.start();
    readOldest();
  } else {
    newer_.stop();
  }
  emit changed(0, std::numeric_limits<qint64>::max());
}

std::vector<PlotBucket> EngineSeries::buckets(const QString& metric, monitor::Resolution resolution,
                                              std::int64_t fromUtcMs, std::int64_t toUtcMs) {
  const std::vector<PlotBucket> memory = inMemory(metric, resolution);
  std::vector<PlotBucket> list;
  if (!record_.isEmpty()) {
    // For the run that is watched, the record supplies only what memory has dropped.
    const std::int64_t forgottenTo =
        memory.empty() ? 0 : std::min(toUtcMs, memory.front().startUtcMs);
    const Old& old = old_[keyOf(metric, resolution)];
    for (const PlotBucket& bucket : old.buckets) {
      if (bucket.run != kWatched || memory.empty() || isBefore(bucket, memory.front()))
        append(list, bucket, fromUtcMs, toUtcMs);
    }
    if (!old.reading && (fromUtcMs < old.fromUtcMs || toUtcMs > old.toUtcMs ||
                         (fromUtcMs < forgottenTo && forgottenTo > old.forgottenToUtcMs)))
      readRecord(metric, resolution, fromUtcMs, toUtcMs, forgottenTo);
  }
  for (const PlotBucket& bucket : memory) append(list, bucket, fromUtcMs, toUtcMs);
  const bool ofTokens = PictureTokens(metric.toStdString()).counts();
  if (ofTokens && resolution == monitor::Resolution::second) holdCounts(list);
  return list;
}

std::optional<std::int64_t> EngineSeries::oldestUtcMs(monitor::Resolution resolution) const {
  std::optional<std::int64_t> oldest = oldest_[static_cast<std::size_t>(resolution)];
  if (!engine_) return oldest;
  engine_->readStatistics([&](const monitor::Statistics& statistics) {
    const auto& buckets = statistics.series().buckets(resolution);
    if (buckets.empty()) return;
    const std::int64_t first = buckets.front().startUtcMs;
    oldest = oldest ? std::min(*oldest, first) : first;
  });
  return oldest;
}

std::vector<PlotBucket> EngineSeries::inMemory(const QString& metric,
                                               monitor::Resolution resolution) const {
  std::vector<PlotBucket> list;
  if (!engine_) return list;
  const PictureTokens tokens(metric.toStdString());
  std::vector<monitor::Bucket> buckets;
  engine_->readStatistics([&](const monitor::Statistics& statistics) {
    std::vector<std::size_t> places;
    for (const std::string& name : tokens.names()) {
      const auto place = statistics.metrics().find(name);
      if (!place) return;
      places.push_back(*place);
    }
    for (const monitor::Bucket& bucket : statistics.series().buckets(resolution)) {
      buckets.push_back({bucket.startUtcMs, bucket.era, bucket.frames, {}});
      for (const std::size_t place : places)
        buckets.back().tallies.push_back(bucket.tallies[place]);
    }
  });
  tokens.reduce(buckets, specialNow());
  for (const monitor::Bucket& bucket : buckets)
    list.push_back(plotBucket(bucket, tokens.place(), kWatched));
  return list;
}

// Returns the newest known number of prefix tokens.
std::optional<double> EngineSeries::specialNow() const {
  const monitor::FrameResultPtr newest = engine_ ? engine_->latest() : nullptr;
  if (!newest) return std::nullopt;
  const auto tokens = countTokens(*newest);
  return tokens ? std::optional(tokens->special) : std::nullopt;
}

// Reads somewhat ahead, so that a moving plot does not ask with every frame.
void EngineSeries::readRecord(const QString& metric, monitor::Resolution resolution,
                              std::int64_t fromUtcMs, std::int64_t toUtcMs,
                              std::int64_t forgottenToUtcMs) {
  old_[keyOf(metric, resolution)].reading = true;
  Old wanted;
  wanted.fromUtcMs = fromUtcMs;
  wanted.toUtcMs = toUtcMs < kEver ? toUtcMs + (toUtcMs - fromUtcMs) : toUtcMs;
  wanted.forgottenToUtcMs = forgottenToUtcMs;
  computeAside(
      this,
      [=, old = std::move(wanted), record = record_.toStdString(), name = name_.toStdString(),
       begun = begunUtcMs_, special = specialNow()]() mutable {
        try {
          old.buckets = inRecord(monitor::RecordReader(record), name, begun,
                                 PictureTokens(metric.toStdString()), resolution, old.fromUtcMs,
                                 old.toUtcMs, special);
        } catch (const std::exception&) {
          // The run shows nothing then; the record's own error is reported elsewhere.
        }
        return std::move(old);
      },
      [this, generation = generation_, key = keyOf(metric, resolution)](Old old) {
        if (generation_ == generation) arrived(key, std::move(old));
      });
}

void EngineSeries::readOldest() {
  if (record_.isEmpty()) return;
  computeAside(
      this,
      [record = record_.toStdString(), name = name_.toStdString()] {
        std::array<std::optional<std::int64_t>, 4> oldest;
        try {
          const monitor::RecordReader reader(record);
          for (const monitor::Resolution resolution : monitor::kAllResolutions) {
            const auto first = reader.firstBucket(name, resolution, 0);
            if (first) oldest[static_cast<std::size_t>(resolution)] = *first;
          }
        } catch (const std::exception&) {
        }
        return oldest;
      },
      [this, generation = generation_](const auto& oldest) {
        if (generation_ != generation) return;
        oldest_ = oldest;
        emit changed(0, std::numeric_limits<qint64>::max());
      });
}

void EngineSeries::arrived(const QString& key, Old old) {
  const std::int64_t from = old.fromUtcMs, to = old.toUtcMs;
  old_[key] = std::move(old);
  emit changed(from, to);
}

void EngineSeries::tellNew() {
  if (!engine_) return;
  const std::uint64_t frames = engine_->frames();
  if (frames == framesTold_) return;
  framesTold_ = frames;
  const std::int64_t taken = engine_->latest()->frame.taken.utcMs;
  emit changed(std::exchange(takenToldMs_, taken) - 2000, taken + 1000);
}

namespace {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::ptrdiff_t kLately = 240;
// Seconds cover what the engine remembers, and as many from earlier runs however old. Minutes cover
// a week, hours a year.
constexpr std::array<std::int64_t, 3> kKeptMs{900'000, 7 * kDayMs, 366 * kDayMs};
// Names of the record's metrics, in the order of KnownNights::Metric.
constexpr std::array<const char*, KnownNights::kMetrics> kNames{
    PictureTokens::kMetrics[0], PictureTokens::kMetrics[1], PictureTokens::kMetrics[2],
    "ms.network"};
constexpr std::pair<std::int32_t, std::int64_t> kEnd{std::numeric_limits<std::int32_t>::max(),
                                                     std::numeric_limits<std::int64_t>::max()};
std::pair<std::int32_t, std::int64_t> placeOf(const monitor::Bucket& bucket) {
  return {bucket.era, bucket.startUtcMs};
}

// Models that were trained again may share a name, but their hashes differ.
QString modelWords(const monitor::PastRun& run) {
  return QString::fromStdString(run.model + " (" + run.modelHash.substr(0, 7) + ")");
}

QString scheduleWords(const std::string& schedule) {
  return schedule == "none"
             ? DayNightHistory::tr("unmerged")
             : DayNightHistory::tr("merge before %1").arg(QString::fromStdString(schedule));
}

}  // namespace

DayNightHistory::DayNightHistory(QObject* parent) : QObject(parent) {
  again_.setInterval(3'600'000);
  connect(&again_, &QTimer::timeout, this, &DayNightHistory::read);
}

void DayNightHistory::setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                                const QString& source, monitor::PastRun run) {
  engine_ = std::move(engine);
  record_ = record.toStdString();
  source_ = source.toStdString();
  run_ = std::move(run);
  old_.clear();
  compared_.reset();
  if (!engine_) return again_.stop();
  again_.start();
  read();
}

void DayNightHistory::hear(const monitor::Event& event) {
  if (monitor::changed(way(), event) == way()) return;
  run_.events.push_back(event);
  compared_.reset();
  emit changed();
}

KnownNights DayNightHistory::known() const {
  const Compared& compared = comparedNow();
  const Lists& lists = compared.buckets;
  std::size_t coarsest = kResolutions.size() - 1;
  while (!monitor::tellsDayNight(lists[coarsest], kResolutions[coarsest])) --coarsest;
  KnownNights known;
  known.tokens =
      monitor::dayNightOf(lists[coarsest], KnownNights::kTokens, compared.begins[coarsest]);
  // Hours are few. Minutes, where there are some, show more of each light.
  const std::size_t shown = coarsest > 1 && !lists[1].empty() ? 1 : coarsest;
  known.resolution = kResolutions[shown];
  monitor::Tally before;
  for (const monitor::Bucket& bucket : lists[shown]) {
    const monitor::LightState light = bucket.light();
    if (const auto& tokens = bucket.tallies[KnownNights::kTokens];
        tokens.count > 0 && monitor::isNight(light))
      known.atNight.push_back(tokens.mean());
    before.add(bucket.tallies[KnownNights::kTokensBefore]);
    for (std::size_t metric = 0; metric < KnownNights::kMetrics; ++metric)
      if (bucket.tallies[metric].count > 0)
        known.means[metric][static_cast<std::size_t>(light)].push_back(
            bucket.tallies[metric].mean());
  }
  if (std::ssize(known.atNight) > kLately)
    known.atNight.erase(known.atNight.begin(), known.atNight.end() - kLately);
  if (before.count > 0 && before.smallest == before.largest) known.tokensBefore = before.smallest;
  return known;
}

std::vector<TimePlot::Mark> DayNightHistory::marks() const {
  std::vector<TimePlot::Mark> marks;
  std::vector<const monitor::PastRun*> runs;
  for (const Old& old : old_)
    if (!isThis(old.run)) runs.push_back(&old.run);
  runs.push_back(&run_);
  monitor::Way way = runs.front()->first;
  const auto go = [&](std::int64_t utcMs, const monitor::Way& next) {
    if (next.schedule != way.schedule) marks.push_back({utcMs, scheduleWords(next.schedule)});
    if (next.filtered != way.filtered)
      marks.push_back({utcMs, next.filtered ? tr("simulated night") : tr("simulated night ends")});
    if (next.memory != way.memory)
      marks.push_back({utcMs, next.memory ? tr("scene memory") : tr("scene memory off")});
    if (next.view != way.view)
      marks.push_back({utcMs, next.view.empty() ? tr("first view") : tr("camera moved")});
    way = next;
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const monitor::PastRun& run = *runs[i];
    const monitor::PastRun& before = *runs[i > 0 ? i - 1 : 0];
    if (before.modelHash != run.modelHash)
      marks.push_back({run.begunUtcMs, tr("model %1").arg(modelWords(run))});
    if (before.precision != run.precision || before.device != run.device)
      marks.push_back({run.begunUtcMs, (precisionTitle(QString::fromStdString(run.precision)) +
                                        ' ' + QString::fromStdString(run.device))
                                           .trimmed()});
    if (before.zones != run.zones) marks.push_back({run.begunUtcMs, tr("zones changed")});
    go(run.begunUtcMs, run.first);
    for (const monitor::Event& event : run.events) go(event.at.utcMs, monitor::changed(way, event));
  }
  return marks;
}

std::vector<DayNightHistory::Old> DayNightHistory::oldOf(const std::string& file,
                                                         const std::string& source,
                                                         const monitor::PastRun& wanted) {
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 2;
  const std::int64_t now = monitor::systemClock().now().utcMs;
  const monitor::RecordReader record(file);
  std::vector<Old> old;
  std::vector<monitor::PastRun> runs = monitor::pastRuns(record, source);
  monitor::PastRun running = wanted;
  if (!runs.empty()) running.views = runs.back().views;
  const auto take = [&](Old& of, std::size_t i, std::int64_t fromUtcMs) {
    for (monitor::Bucket& bucket : record.buckets(source, kResolutions[i], fromUtcMs, kEver,
                                                  {kNames.begin(), kNames.end()}, of.run.id))
      of.buckets[i].push_back(std::move(bucket));
  };
  const auto isAlike = [&](const Old& of) {
    return of.run.hasModelOf(running) && of.run.hasTimesOf(running);
  };
  const auto isWanted = [&](const Old& of) { return of.run.begunUtcMs == wanted.begunUtcMs; };
  for (monitor::PastRun& run : runs) {
    Old& of = old.emplace_back(Old{std::move(run), {}});
    for (std::size_t i = 1; isAlike(of) && i < kResolutions.size(); ++i)
      take(of, i, now - kKeptMs[i]);
  }
  std::int64_t roomMs = kKeptMs[0];  // for seconds of the runs before, the newest first
  for (auto of = old.rbegin(); of != old.rend(); ++of) {
    if (!isAlike(*of)) continue;
    if (isWanted(*of)) {
      take(*of, 0, now - kKeptMs[0]);
    } else if (roomMs > 0 && !of->buckets[1].empty()) {
      take(*of, 0, of->buckets[1].back().startUtcMs + 60'000 - roomMs);
      roomMs -= 1000 * std::ssize(of->buckets[0]);
    }
  }
  return old;
}

void DayNightHistory::read() {
  if (record_.empty()) return;
  computeAside(
      this,
      [file = record_, source = source_, run = run_] {
        try {
          return oldOf(file, source, run);
        } catch (const std::exception&) {
          return std::vector<Old>();  // the record's own fault is told elsewhere
        }
      },
      [this, begun = run_.begunUtcMs, source = source_](std::vector<Old> old) {
        if (run_.begunUtcMs != begun || source_ != source) return;
        old_ = std::move(old);
        compared_.reset();
        emit changed();
      });
}

const DayNightHistory::Compared& DayNightHistory::comparedNow() const {
  const monitor::FrameResultPtr newest = engine_ ? engine_->latest() : nullptr;
  const auto count = newest ? countTokens(*newest) : std::nullopt;
  const auto special = count ? std::optional(count->special) : std::nullopt;
  if (!compared_ || compared_->special != special) compareRecord(special);
  const Lists now = inMemory();
  const PictureTokens tokens("live_tokens");
  for (std::size_t i = 0; i < kResolutions.size(); ++i) {
    auto& buckets = compared_->buckets[i];
    buckets.resize(compared_->ofRecord[i]);
    std::deque<monitor::Bucket> found;
    addComparable(run_, now[i], kResolutions[i], kEnd, found);
    const auto& last = compared_->lastSpecial[i];
    tokens.reduce(found, last ? last : special);
    std::move(found.begin(), found.end(), std::back_inserter(buckets));
  }
  return *compared_;
}

void DayNightHistory::compareRecord(std::optional<double> special) const {
  compared_.emplace().special = special;
  const PictureTokens tokens("live_tokens");
  for (std::size_t i = 0; i < kResolutions.size(); ++i) {
    auto& buckets = compared_->buckets[i];
    auto& begins = compared_->begins[i];
    for (const Old& old : old_) {
      begins.insert(buckets.size());
      if (isThis(old.run))
        addComparable(run_, old.buckets[i], kResolutions[i], firstInMemory(i), buckets);
      else
        addComparable(old.run, old.buckets[i], kResolutions[i], kEnd, buckets);
    }
    if (old_.empty() || !isThis(old_.back().run)) begins.insert(buckets.size());
    compared_->ofRecord[i] = buckets.size();
    compared_->lastSpecial[i] = tokens.reduce(buckets, special);
  }
}

// Adds a run's buckets before `until` that can be compared with now.
void DayNightHistory::addComparable(const monitor::PastRun& run,
                                    const std::deque<monitor::Bucket>& from,
                                    monitor::Resolution resolution, const Place& until,
                                    std::deque<monitor::Bucket>& to) const {
  const monitor::Way now = way(), wanted{now.schedule, false, now.memory, now.view};
  const auto stretches = monitor::stretchesOf(wanted, run.first, run.events, false);
  const auto alike = monitor::stretchesOf(wanted, run.first, run.events, true);
  for (const monitor::Bucket& bucket : from) {
    if (placeOf(bucket) >= until || !monitor::isWithin(stretches, bucket, resolution)) continue;
    monitor::Bucket& copy = to.emplace_back(bucket);
    if (copy.tallies.size() > KnownNights::kNetworkMs &&
        !monitor::isWithin(alike, bucket, resolution))
      copy.tallies[KnownNights::kNetworkMs] = {};
  }
}

// Returns where the buckets in the engine's memory begin.
DayNightHistory::Place DayNightHistory::firstInMemory(std::size_t resolution) const {
  Place first = kEnd;
  engine_->readStatistics([&](const monitor::Statistics& statistics) {
    const auto& here = statistics.series().buckets(kResolutions[resolution]);
    if (!here.empty()) first = placeOf(here.front());
  });
  return first;
}

DayNightHistory::Lists DayNightHistory::inMemory() const {
  Lists lists;
  if (!engine_) return lists;
  // The engine waits meanwhile, so this only copies.
  engine_->readStatistics([&](const monitor::Statistics& statistics) {
    for (std::size_t i = 0; i < lists.size(); ++i) {
      for (const monitor::Bucket& bucket : statistics.series().buckets(kResolutions[i])) {
        monitor::Bucket& copy = lists[i].emplace_back(
            monitor::Bucket{bucket.startUtcMs, bucket.era, bucket.frames, {}});
        copy.tallies.resize(KnownNights::kMetrics);
        for (std::size_t metric = 0; metric < KnownNights::kMetrics; ++metric)
          if (const auto place = statistics.metrics().find(kNames[metric]))
            copy.tallies[metric] = bucket.tallies[*place];
      }
    }
  });
  return lists;
}

}  // namespace mpm::gui

// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/time_plot.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <algorithm>
#include <cmath>

#include "gui/plot/time_axis.h"

namespace mpm::gui {
namespace {

constexpr std::int64_t kQuickestStepMs = 250, kSlowestStepMs = 10'000;
constexpr qint64 kQuickestFetchMs = 100, kSlowestFetchMs = 10'000;
// Of the time goes into fetching at most one part in so many.
constexpr qint64 kFetchShare = 20;

}  // namespace

TimePlot::TimePlot(QWidget* parent)
    : Plot(parent), zone_(QTimeZone::systemTimeZone()), clock_(QDateTime::currentMSecsSinceEpoch) {
  setMouseTracking(true);
  setAccessibleName(tr("Figures over time"));
  connect(&live_, &QTimer::timeout, this, &TimePlot::step);
  refetch_.setSingleShot(true);
  connect(&refetch_, &QTimer::timeout, this, [this] {
    stale_ = true;
    follow();
    changed();
  });
  follow();
  changed();
}

void TimePlot::setSource(SeriesSource* source) {
  if (source_) disconnect(source_, nullptr, this, nullptr);
  source_ = source;
  if (source) {
    connect(source, &SeriesSource::changed, this, &TimePlot::onSourceChanged);
    connect(source, &QObject::destroyed, this, [this] {
      fetched_.reset();
      changed();
    });
  }
  fetched_.reset();
  follow();
  changed();
}

void TimePlot::setLines(std::vector<Line> lines, const QString& unit) {
  lines_ = std::move(lines);
  unit_ = unit;
  fetched_.reset();
  changed();
}

void TimePlot::setValueRange(std::optional<std::pair<double, double>> lowHigh) {
  valueRange_ = lowHigh;
  changed(false);
}

void TimePlot::setResolution(std::optional<monitor::Resolution> resolution) {
  resolution_ = resolution;
  changed();
}

void TimePlot::setTimeZone(const QTimeZone& zone) {
  zone_ = zone.isValid() ? zone : QTimeZone::utc();
  changed();
}

void TimePlot::setClock(std::function<std::int64_t()> nowUtcMs) {
  clock_ = std::move(nowUtcMs);
  follow();
  changed();
}

void TimePlot::setSpan(std::int64_t spanMs) {
  follow();
  window_.setSpan(spanMs);
  windowMoved();
}

void TimePlot::goLive() {
  follow();
  window_.goLive();
  windowMoved();
}

void TimePlot::showWindow(qint64 fromUtcMs, qint64 toUtcMs, bool live) {
  if (toUtcMs <= fromUtcMs || (live && window_.live() && window_.span() == toUtcMs - fromUtcMs) ||
      (!live && !window_.live() && window_.from() == fromUtcMs && window_.to() == toUtcMs))
    return;
  follow();
  if (live) {
    window_.setSpan(toUtcMs - fromUtcMs);
    window_.goLive();
  } else {
    window_.setRange(fromUtcMs, toUtcMs);
  }
  windowMoved();
}

monitor::Resolution TimePlot::shownResolution() const {
  const FetchedSeries* series = fetched();
  return series != nullptr ? series->resolution : monitor::Resolution::second;
}

QSize TimePlot::sizeHint() const { return {640, 240}; }
QSize TimePlot::minimumSizeHint() const { return {200, 120}; }

void TimePlot::step() {
  const std::int64_t before = window_.to();
  follow();
  if (window_.to() != before) changed();
}

void TimePlot::follow() {
  const std::int64_t now = clock_ ? clock_() : QDateTime::currentMSecsSinceEpoch();
  std::int64_t oldest = now;
  if (source_)
    for (const monitor::Resolution resolution : monitor::kAllResolutions)
      if (const auto start = source_->oldestUtcMs(resolution)) oldest = std::min(oldest, *start);
  window_.follow(now, oldest);
}

void TimePlot::onSourceChanged(qint64 fromUtcMs, qint64 toUtcMs) {
  if (refetch_.isActive()) return;
  if (fetched_ && (toUtcMs <= fetched_->fromUtcMs || fromUtcMs >= fetched_->toUtcMs)) return;
  refetch_.start(
      static_cast<int>(std::clamp(fetchMs_ * kFetchShare, kQuickestFetchMs, kSlowestFetchMs)));
}

void TimePlot::windowMoved() {
  keepTime();
  changed();
  emit windowChanged(window_.from(), window_.to(), window_.live());
}

std::int64_t TimePlot::stepMs() const {
  return std::clamp(window_.span() / std::max(width(), 1), kQuickestStepMs, kSlowestStepMs);
}

void TimePlot::keepTime() {
  if (isVisible() && window_.live())
    live_.start(static_cast<int>(stepMs()));
  else
    live_.stop();
}

const FetchedSeries* TimePlot::fetched() const {
  if (!source_ || lines_.empty()) return nullptr;
  const TimeScale scale{window_.from(), window_.to(), std::max(width(), 1)};
  // Asked for many times in one drawing; the source only where something has changed.
  const Asked asked{scale.fromUtcMs, scale.toUtcMs, scale.columns, resolution_};
  if (fetched_ && !stale_ && asked == asked_) return fetched_.get();
  asked_ = asked;
  const monitor::Resolution resolution = resolutionFor(*source_, scale, resolution_);
  if (fetched_ && !stale_ && fetched_->resolution == resolution &&
      fetched_->covers(scale.fromUtcMs, scale.toUtcMs))
    return fetched_.get();
  QElapsedTimer timer;
  timer.start();
  QStringList metrics;
  for (const Line& line : lines_) metrics.append(line.metric);
  fetched_ = fetchSeries(*source_, metrics, resolution, scale.fromUtcMs, scale.toUtcMs);
  stale_ = false;
  fetchMs_ = timer.elapsed();
  return fetched_.get();
}

}  // namespace mpm::gui

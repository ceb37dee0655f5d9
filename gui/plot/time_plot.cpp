// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/time_plot.h"

#include <QDateTime>
#include <QPainter>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gui/plot/colours.h"

namespace mpm::gui {
namespace {

constexpr std::int64_t kQuickestStepMs = 250, kSlowestStepMs = 10'000;
constexpr int kRefetchMs = 500;

/// Calls use(begin, end) with the buckets of one line that touch the window, run by run.
template <typename Use>
void within(const Series& line, const TimeWindow& window, const Use& use) {
  for (const Series::Run& run : line.runs())
    use(line.firstFrom(run, window.from() - line.lengthMs() + 1), line.firstFrom(run, window.to()));
}

PlotTable::Key keyOf(const PlotBucket& bucket) {
  return {bucket.run, bucket.era, bucket.startUtcMs};
}

std::int64_t startOf(const PlotTable::Key& key) { return key[2]; }

const PlotBucket* bucketAt(const Series& line, const PlotTable::Key& key) {
  for (const Series::Run& run : line.runs()) {
    const std::size_t place = line.firstFrom(run, startOf(key));
    if (place < run.end && keyOf(line.buckets()[place]) == key) return &line.buckets()[place];
  }
  return nullptr;
}

std::vector<PlotTable::Key> keysOf(const FetchedSeries& series, const TimeWindow& window) {
  std::vector<PlotTable::Key> keys;
  if (series.lines.empty()) return keys;
  const Series& line = series.lines.front();
  within(line, window, [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) keys.push_back(keyOf(line.buckets()[begin]));
  });
  return keys;
}

Extent inWindow(const Series& line, const TimeWindow& window) {
  Extent all;
  within(line, window, [&](std::size_t begin, std::size_t end) { all.add(line.over(begin, end)); });
  return all;
}

constexpr int kRowColumns = 4, kLineColumns = 4;

/// Returns one of a line's columns: mean, smallest, largest, count.
PlotTable::Cell cellOf(const PlotBucket* bucket, int column, const QLocale& locale) {
  const bool known = bucket != nullptr && bucket->count > 0;
  if (column == 3)
    return {bucket == nullptr ? QString() : locale.toString(bucket->count),
            known ? bucket->count : 0U};
  if (!known) return {};
  const double value = column == 0   ? bucket->mean
                       : column == 1 ? bucket->smallest
                                     : bucket->largest;
  return {locale.toString(value, 'f', decimalsFor(value)), value};
}

}  // namespace

TimePlot::TimePlot(QWidget* parent)
    : Plot({640, 240}, {200, 120}, parent),
      clock_(QDateTime::currentMSecsSinceEpoch),
      back_(new QToolButton(this)) {
  back_->setText(tr("Back to live"));
  back_->setToolTip(tr("Shows the newest values again, like the End key"));
  back_->hide();
  connect(back_, &QToolButton::clicked, this, &TimePlot::goLive);
  setMouseTracking(true);
  setAccessibleName(tr("Metrics over time"));
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
  if (lines == lines_ && unit == unit_) return;
  lines_ = std::move(lines);
  unit_ = unit;
  fetched_.reset();
  changed();
}

void TimePlot::setMarks(std::vector<Mark> marks) {
  marks_ = std::move(marks);
  changed(false);
}

void TimePlot::setComing(bool coming) {
  if (std::exchange(coming_, coming) != coming) changed(false);
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

void TimePlot::lookAt(std::int64_t utcMs, const QString& words) {
  follow();
  const std::int64_t now = clock_ ? clock_() : QDateTime::currentMSecsSinceEpoch();
  const std::int64_t to = std::min(utcMs + window_.span() / 2, std::max(now, utcMs + 1));
  window_.setRange(to - window_.span(), to);
  lookedAt_ = Mark{utcMs, words};
  windowMoved();
}

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
  refetch_.start(kRefetchMs);
}

void TimePlot::windowMoved() {
  keepTime();
  changed();
  if (std::exchange(toldSpanMs_, window_.span()) != window_.span())
    emit spanChanged(window_.span());
}

std::int64_t TimePlot::stepMs() const {
  return std::clamp(window_.span() / std::max(width(), 1), kQuickestStepMs, kSlowestStepMs);
}

void TimePlot::keepTime() {
  if (window_.live()) lookedAt_.reset();
  back_->adjustSize();
  back_->move(width() - back_->width() - 2 * kAxisGap, 0);
  back_->setVisible(!window_.live());
  if (isVisible() && window_.live())
    live_.start(static_cast<int>(stepMs()));
  else
    live_.stop();
}

const FetchedSeries* TimePlot::fetched() const {
  if (!source_ || lines_.empty()) return nullptr;
  const TimeScale scale{window_.from(), window_.to(), std::max(width(), 1)};
  const monitor::Resolution resolution = resolutionFor(*source_, scale);
  if (fetched_ && !stale_ && fetched_->resolution == resolution &&
      fetched_->fromUtcMs <= scale.fromUtcMs && scale.toUtcMs <= fetched_->toUtcMs)
    return fetched_.get();
  QStringList metrics;
  for (const Line& line : lines_) metrics.append(line.metric);
  fetched_ = fetchSeries(*source_, metrics, resolution, scale.fromUtcMs, scale.toUtcMs);
  stale_ = false;
  return fetched_.get();
}

TimePlot::Layout TimePlot::layout() const {
  const QFontMetrics metrics(font(), this);
  Layout at;
  at.ratio = devicePixelRatioF();
  // Half of the uppermost value's label is above the plot.
  const int above = legend().height() + kAxisGap / 2 + metrics.height() / 2 + 1;
  const int below = timeAxisHeight(metrics) + 2;
  const int tall = std::max(height() - above - below, 20);
  at.axis = valueAxis(tall, metrics);
  const int left = kAxisGap / 2 + valueAxisWidth(at.axis, metrics, locale());
  at.plot = QRect(left, above, std::max(width() - left - 2 * kAxisGap, 20), tall);
  at.scale = {window_.from(), window_.to(),
              std::max(1, static_cast<int>(std::lround(at.plot.width() * at.ratio)))};
  return at;
}

ValueAxis TimePlot::valueAxis(int height, const QFontMetrics& metrics) const {
  const int most = ticksUpwards(height, metrics);
  Extent all;
  if (const FetchedSeries* series = fetched())
    for (const Series& line : series->lines) all.add(inWindow(line, window_));
  return all.count > 0 ? axisAround(all.smallest, all.largest, most) : axisAround(0, 1, most);
}

// The legend leaves room for the button that returns to live, if it is visible.
Legend TimePlot::legend() const {
  using Sample = Legend::Sample;
  std::vector<Legend::Entry> entries;
  if (!unit_.isEmpty()) entries.push_back({tr("[%1]", "a unit").arg(unit_), {}, Sample::none});
  for (std::size_t i = 0; i < lines_.size(); ++i) entries.push_back({lines_[i].title, colourOf(i)});
  std::array<bool, monitor::kLightStates> seen{};
  if (const FetchedSeries* series = fetched())
    for (const LightSpan& span : series->light)
      if (span.toUtcMs > window_.from() && span.fromUtcMs < window_.to())
        seen[static_cast<std::size_t>(span.light)] = true;
  for (const monitor::LightState state : monitor::kAllLightStates)
    if (seen[static_cast<std::size_t>(state)])
      entries.push_back({lightTitle(state), lightColour(state, palette()), Sample::patch,
                         lightPattern(state, palette())});
  const int button = window_.live() ? 0 : back_->sizeHint().width() + kAxisGap;
  return Legend(std::move(entries), width() - 2 * kAxisGap - button, 2, QFontMetrics(font(), this));
}

void TimePlot::draw(QPainter& painter) const {
  const FetchedSeries* series = fetched();
  if (series == nullptr) {
    drawSentence(painter, rect(), emptySentence(), palette());
    return;
  }
  const QFontMetrics metrics(painter.font(), painter.device());
  const Layout at = layout();
  drawLight(painter, series->light, at.plot, at.scale, palette());
  const bool isLive = hasPoints(*series) && window_.live() && coming_;
  const int liveWidth = isLive ? metrics.horizontalAdvance(liveWords()) + kAxisGap : 0;
  drawTime(painter, at.plot, at.scale.fromUtcMs, at.scale.toUtcMs, palette(), zone_, locale(),
           liveWidth);
  if (hasPoints(*series)) {
    drawValuesUpwards(painter, at.plot, at.axis, palette(), locale());
    drawMarks(painter, shownMarks(*series, at), at);
    drawLines(painter, *series, at);
    if (isLive) drawLive(painter, at.plot);
  } else {
    drawSentence(painter, at.plot, emptySentence(), palette());
  }
  legend().draw(painter, {kAxisGap, kAxisGap / 2}, palette());
}

void TimePlot::drawLines(QPainter& painter, const FetchedSeries& series, const Layout& at) const {
  painter.save();
  painter.setClipRect(at.plot);
  painter.setRenderHint(QPainter::Antialiasing);
  for (std::size_t i = 0; i < series.lines.size(); ++i)
    drawTrace(painter, series.lines[i], at.plot, at.scale, at.axis, colourOf(i));
  painter.restore();
}

QColor TimePlot::colourOf(std::size_t line) const {
  const QColor own = lines_[line].colour;
  return own.isValid() ? readable(own, palette()) : seriesColour(static_cast<int>(line), palette());
}

QString TimePlot::liveWords() { return tr("● live"); }

// It is in the line of dates below the newest values, which it would cover inside the plot.
void TimePlot::drawLive(QPainter& painter, const QRect& plot) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  const QString words = liveWords();
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(plot.right() + kAxisGap - metrics.horizontalAdvance(words),
                   plot.bottom() + kAxisGap - 1 + metrics.height() + metrics.ascent(), words);
}

// Returns marks of changes and of clock adjustments.
std::vector<TimePlot::Mark> TimePlot::shownMarks(const FetchedSeries& series,
                                                 const Layout& at) const {
  std::vector<Mark> marks = marks_;
  if (lookedAt_) marks.push_back(*lookedAt_);
  if (!series.lines.empty()) {
    const Series& line = series.lines.front();
    for (std::size_t i = 1; i < line.runs().size(); ++i) {
      const PlotBucket& first = line.buckets()[line.runs()[i].begin];
      const PlotBucket& before = line.buckets()[line.runs()[i].begin - 1];
      if (first.era == before.era || first.run != before.run) continue;
      marks.push_back({first.startUtcMs, tr("clock set")});
    }
  }
  std::erase_if(marks, [&](const Mark& mark) {
    return mark.utcMs < at.scale.fromUtcMs || mark.utcMs >= at.scale.toUtcMs;
  });
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& one, const Mark& other) { return one.utcMs < other.utcMs; });
  return marks;
}

void TimePlot::drawMarks(QPainter& painter, const std::vector<Mark>& marks,
                         const Layout& at) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  int free = at.plot.left();
  for (const Mark& mark : marks) {
    const int x = at.plot.left() + static_cast<int>(at.scale.columnOf(mark.utcMs) / at.ratio);
    painter.setPen(QPen(palette().color(QPalette::Text), 1, Qt::DashLine));
    painter.drawLine(x, at.plot.top(), x, at.plot.bottom());
    const int wide = metrics.horizontalAdvance(mark.words) + 4;
    const int left = x + 3 + wide > at.plot.right() ? x - wide : x + 3;
    if (left < free) continue;
    painter.drawText(left, at.plot.top() + metrics.ascent() + 1, mark.words);
    free = left + wide;
  }
}

bool TimePlot::hasPoints(const FetchedSeries& series) const {
  return std::any_of(series.lines.begin(), series.lines.end(),
                     [&](const Series& line) { return inWindow(line, window_).count > 0; });
}

QString TimePlot::emptySentence() const {
  if (!source_ || lines_.empty()) return tr("Nothing is being measured.");
  const bool any = std::any_of(
      monitor::kAllResolutions.begin(), monitor::kAllResolutions.end(),
      [this](monitor::Resolution resolution) { return source_->oldestUtcMs(resolution); });
  if (!any) return tr("Nothing has been measured yet: values appear with the first frames.");
  return tr("Nothing was measured from %1 to %2.")
      .arg(momentText(window_.from(), false, zone_, locale()),
           momentText(window_.to(), false, zone_, locale()));
}

QString TimePlot::summary() const {
  const FetchedSeries* series = fetched();
  if (series == nullptr || !hasPoints(*series)) return emptySentence();
  QStringList parts;
  for (std::size_t i = 0; i < series->lines.size(); ++i) {
    const Extent all = inWindow(series->lines[i], window_);
    if (all.count == 0) {
      parts.append(tr("%1: nothing").arg(lines_[i].title));
      continue;
    }
    parts.append(tr("%1: %2 on average, from %3 to %4")
                     .arg(lines_[i].title, valueText(all.mean(), unit_, locale()),
                          valueText(all.smallest, unit_, locale()),
                          valueText(all.largest, unit_, locale())));
  }
  return tr("%1 to %2: %3.")
      .arg(momentText(window_.from(), false, zone_, locale()),
           momentText(window_.to(), false, zone_, locale()), parts.join(tr("; ")));
}

// The first four columns describe the row. Each line adds four, and the run, from 1, is last.
PlotTable::Contents TimePlot::contents() const {
  PlotTable::Contents made;
  made.columns = {{tr("Time"), "start_utc"}, {{}, "seconds"}, {{}, "era"}, {tr("Light"), "light"}};
  for (const Line& line : lines_) {
    made.columns.push_back({tr("%1, mean").arg(line.title), line.metric + ".mean"});
    made.columns.push_back({tr("%1, smallest").arg(line.title), line.metric + ".smallest"});
    made.columns.push_back({tr("%1, largest").arg(line.title), line.metric + ".largest"});
    made.columns.push_back({tr("%1, values").arg(line.title), line.metric + ".count"});
  }
  made.columns.push_back({{}, "run"});
  if (fetched() == nullptr) return made;
  made.rows = keysOf(*fetched_, window_);
  std::vector<qlonglong> runs;
  for (const PlotTable::Key& key : made.rows) {
    const bool isOther = runs.empty() || key[0] != made.rows[runs.size() - 1][0];
    runs.push_back((runs.empty() ? 0 : runs.back()) + (isOther ? 1 : 0));
  }
  made.cell = [series = fetched_, keys = made.rows, runs = std::move(runs), zone = zone_,
               locale = locale()](int row, int column) -> PlotTable::Cell {
    const PlotTable::Key key = keys[static_cast<std::size_t>(row)];
    const Series& first = series->lines.front();
    const auto line = static_cast<std::size_t>(std::max(column - kRowColumns, 0)) / kLineColumns;
    if (line < series->lines.size() && column >= kRowColumns)
      return cellOf(bucketAt(series->lines[line], key), (column - kRowColumns) % kLineColumns,
                    locale);
    switch (column) {
      case 0:
        return {momentText(startOf(key), first.lengthMs() < 60'000, zone, locale),
                QDateTime::fromMSecsSinceEpoch(startOf(key))};
      case 1:
        return {{}, static_cast<qlonglong>(first.lengthMs() / 1000)};
      case 2:
        return {{}, static_cast<qlonglong>(key[1])};
      case 3: {
        const monitor::LightState light = bucketAt(first, key)->light;
        return {lightTitle(light), QString::fromUtf8(monitor::nameOf(light))};
      }
      default:
        return {{}, runs[static_cast<std::size_t>(row)]};
    }
  };
  return made;
}

}  // namespace mpm::gui

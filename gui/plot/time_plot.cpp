// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/time_plot.h"

#include <QtWidgets>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/plot/axes.h"
#include "gui/plot/colours.h"
#include "gui/plot/legend.h"
#include "gui/plot/trace.h"

namespace mpm::gui {
namespace {

constexpr std::int64_t kQuickestStepMs = 250, kSlowestStepMs = 10'000;
constexpr qint64 kQuickestFetchMs = 100, kSlowestFetchMs = 10'000;
// Of the time goes into fetching at most one part in so many.
constexpr qint64 kFetchShare = 20;

}  // namespace

TimePlot::TimePlot(QWidget* parent)
    : Plot({640, 240}, {200, 120}, parent),
      zone_(QTimeZone::systemTimeZone()),
      clock_(QDateTime::currentMSecsSinceEpoch),
      back_(new QToolButton(this)) {
  back_->setText(tr("Back to live"));
  back_->setToolTip(tr("Shows the newest figures again, as the key End does"));
  back_->hide();
  connect(back_, &QToolButton::clicked, this, &TimePlot::goLive);
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

void TimePlot::lookAt(std::int64_t utcMs, const QString& words) {
  follow();
  const std::int64_t now = clock_ ? clock_() : QDateTime::currentMSecsSinceEpoch();
  const std::int64_t to = std::min(utcMs + window_.span() / 2, std::max(now, utcMs + 1));
  window_.setRange(to - window_.span(), to);
  lookedAt_ = Mark{utcMs, words};
  windowMoved();
}

void TimePlot::showWindow(std::int64_t fromUtcMs, std::int64_t toUtcMs) {
  if (toUtcMs <= fromUtcMs) return;
  follow();
  window_.setRange(fromUtcMs, toUtcMs);
  windowMoved();
}

monitor::Resolution TimePlot::shownResolution() const {
  const FetchedSeries* series = fetched();
  return series != nullptr ? series->resolution : monitor::Resolution::second;
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
  refetch_.start(
      static_cast<int>(std::clamp(fetchMs_ * kFetchShare, kQuickestFetchMs, kSlowestFetchMs)));
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
  // Asked for many times in one drawing; the source only where something has changed.
  const Asked asked{scale.fromUtcMs, scale.toUtcMs, scale.columns};
  if (fetched_ && !stale_ && asked == asked_) return fetched_.get();
  asked_ = asked;
  const monitor::Resolution resolution = resolutionFor(*source_, scale);
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

TimePlot::Layout TimePlot::layout(const QPaintDevice& device, const QFont& ofText,
                                  QSize size) const {
  const QFontMetrics metrics(ofText, &device);
  Layout at;
  at.ratio = device.devicePixelRatioF();
  // The legend's height needs only the width, the axis only the height: one after the other.
  const TimeScale whole{window_.from(), window_.to(), std::max(size.width(), 1)};
  // The uppermost value stands half above the plot.
  const int above =
      legend(fetched(), whole, size, metrics).height() + kAxisGap / 2 + metrics.height() / 2 + 1;
  const int below = timeAxisHeight(metrics) + 2;
  const int height = std::max(size.height() - above - below, 20);
  at.axis = valueAxis(height, metrics);
  const int left = kAxisGap / 2 + valueAxisWidth(at.axis, metrics, locale());
  at.plot = QRect(left, above, std::max(size.width() - left - 2 * kAxisGap, 20), height);
  at.scale = {window_.from(), window_.to(),
              std::max(1, static_cast<int>(std::lround(at.plot.width() * at.ratio)))};
  return at;
}

TimePlot::Layout TimePlot::layoutHere() const { return layout(*this, font(), size()); }

ValueAxis TimePlot::valueAxis(int height, const QFontMetrics& metrics) const {
  const int most = ticksUpwards(height, metrics);
  Extent all;
  if (const FetchedSeries* series = fetched())
    for (const GroupedSeries& line : series->lines)
      for (const GroupedSeries::Run& run : line.runs())
        all.add(line.over(line.firstFrom(run, window_.from() - line.lengthMs()),
                          line.firstFrom(run, window_.to())));
  return all.count > 0 ? axisAround(all.smallest, all.largest, most) : axisAround(0, 1, most);
}

// Beside the button that leads back to live, where there is one.
Legend TimePlot::legend(const FetchedSeries* series, const TimeScale& scale, QSize size,
                        const QFontMetrics& metrics) const {
  using Sample = LegendEntry::Sample;
  std::vector<LegendEntry> entries;
  if (!unit_.isEmpty())
    entries.push_back({tr("[%1]", "a unit").arg(unit_), {}, Sample::none, Qt::NoBrush});
  for (std::size_t i = 0; i < lines_.size(); ++i)
    entries.push_back({lines_[i].title, colourOf(i), Sample::line, Qt::NoBrush});
  std::array<bool, monitor::kLightStates> seen{};
  if (series != nullptr)
    for (const LightSpan& span : series->light)
      if (span.toUtcMs > scale.fromUtcMs && span.fromUtcMs < scale.toUtcMs)
        seen[static_cast<std::size_t>(span.light)] = true;
  for (const monitor::LightState state : monitor::kAllLightStates)
    if (seen[static_cast<std::size_t>(state)])
      entries.push_back({lightTitle(state), lightColour(state, palette()), Sample::patch,
                         lightPattern(state, palette())});
  const int button = window_.live() ? 0 : back_->sizeHint().width() + kAxisGap;
  return Legend(std::move(entries), size.width() - 2 * kAxisGap - button, 2, metrics);
}

void TimePlot::draw(QPainter& painter, QSize size) const {
  const FetchedSeries* series = fetched();
  if (series == nullptr) {
    drawSentence(painter, QRect({0, 0}, size), emptySentence(), palette());
    return;
  }
  const QFontMetrics metrics(painter.font(), painter.device());
  const Layout at = layout(*painter.device(), painter.font(), size);
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
  legend(series, at.scale, size, metrics).draw(painter, {kAxisGap, kAxisGap / 2}, palette());
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

// In the line of dates below the newest figures, which it would cover inside the plot.
void TimePlot::drawLive(QPainter& painter, const QRect& plot) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  const QString words = liveWords();
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(plot.right() + kAxisGap - metrics.horizontalAdvance(words),
                   plot.bottom() + kAxisGap - 1 + metrics.height() + metrics.ascent(), words);
}

// What was changed, and where the clock was set.
std::vector<TimePlot::Mark> TimePlot::shownMarks(const FetchedSeries& series,
                                                 const Layout& at) const {
  std::vector<Mark> marks = marks_;
  if (lookedAt_) marks.push_back(*lookedAt_);
  if (!series.lines.empty()) {
    const GroupedSeries& line = series.lines.front();
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

}  // namespace mpm::gui

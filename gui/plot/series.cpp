// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/series.h"

#include <QImage>
#include <QPen>
#include <QPolygonF>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "gui/plot/colours.h"

namespace mpm::gui {
namespace {

using monitor::kAllResolutions;
using monitor::lengthMs;
using monitor::Resolution;

Extent extentOf(const PlotBucket& bucket) {
  if (bucket.count == 0) return {};
  return {bucket.count, bucket.mean * bucket.count, bucket.smallest, bucket.largest};
}

/// Tells whether a coarser resolution shows more of the window's past.
bool cutsShort(const SeriesSource& source, Resolution resolution, std::int64_t fromUtcMs) {
  const auto oldest = source.oldestUtcMs(resolution);
  if (oldest && *oldest <= fromUtcMs) return false;
  return std::any_of(kAllResolutions.begin(), kAllResolutions.end(), [&](Resolution other) {
    const auto before = other > resolution ? source.oldestUtcMs(other) : std::nullopt;
    // A bucket begins before its first frame, so less than its length is no more past.
    return before && (!oldest || *before + lengthMs(other) <= *oldest);
  });
}

/// Joins neighbouring buckets of the same state; gaps between buckets stay gaps.
std::vector<LightSpan> lightSpans(const std::vector<PlotBucket>& buckets, std::int64_t lengthMs) {
  std::vector<LightSpan> spans;
  for (const PlotBucket& bucket : buckets) {
    const std::int64_t end = bucket.startUtcMs + lengthMs;
    if (!spans.empty() && spans.back().light == bucket.light &&
        spans.back().toUtcMs == bucket.startUtcMs)
      spans.back().toUtcMs = end;
    else
      spans.push_back({bucket.startUtcMs, end, bucket.light});
  }
  return spans;
}

/// Shares of a column that were spent in each state; at most 1 in all.
using LightShares = std::array<double, monitor::kLightStates>;

std::vector<LightShares> lightByColumn(const std::vector<LightSpan>& spans,
                                       const TimeScale& scale) {
  std::vector<LightShares> shares(static_cast<std::size_t>(scale.columns), LightShares{});
  for (const LightSpan& span : spans) {
    const double from = std::max(scale.columnOf(span.fromUtcMs), 0.0);
    const double to = std::min<double>(scale.columnOf(span.toUtcMs), scale.columns);
    for (int column = static_cast<int>(from); column < to; ++column)
      shares[static_cast<std::size_t>(column)][static_cast<std::size_t>(span.light)] +=
          std::min<double>(to, column + 1) - std::max<double>(from, column);
  }
  // A clock that was set back has the same time twice.
  for (LightShares& column : shares) {
    const double sum = std::accumulate(column.begin(), column.end(), 0.0);
    if (sum > 1)
      for (double& share : column) share /= sum;
  }
  return shares;
}

QColor blended(const LightShares& shares, const QPalette& palette) {
  QColor colour = palette.color(QPalette::Base);
  double all = 1 - std::accumulate(shares.begin(), shares.end(), 0.0);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0) continue;
    all += shares[i];
    colour = mixed(colour, lightColour(monitor::kAllLightStates[i], palette), shares[i] / all);
  }
  return colour;
}

/// Returns the pattern of the state in which most of a column was spent.
QBrush patternOf(const LightShares& shares, const QPalette& palette) {
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i] > 0.5) return lightPattern(monitor::kAllLightStates[i], palette);
  return Qt::NoBrush;
}

struct Point {
  double column = 0;  ///< the middle of a bucket, or of a column with several
  double mean = 0, smallest = 0, largest = 0;
};
/// Points that a line joins.
using Stretch = std::vector<Point>;

/// Draws at most a few more points than columns, whatever the number of buckets.
class Tracer {
 public:
  Tracer(const Series& series, const TimeScale& scale) : series_(series), scale_(scale) {}

  std::vector<Stretch> trace() {
    const bool narrow = static_cast<double>(series_.lengthMs()) < scale_.msPerColumn();
    for (const Series::Run& run : series_.runs()) {
      std::size_t begin = series_.firstFrom(run, scale_.fromUtcMs);
      std::size_t end = series_.firstFrom(run, scale_.toUtcMs);
      // Outer neighbours count if they are joined to the inside or reach into it.
      const bool joined = begin < run.end && series_.followsOn(begin);
      if (begin > run.begin && (joined || reachesIn(begin - 1))) --begin;
      if (end > run.begin && end < run.end && series_.followsOn(end)) ++end;
      if (begin == end) continue;
      stretches_.emplace_back();
      narrow ? byColumns(run, begin, end) : byBuckets(begin, end);
    }
    std::erase_if(stretches_, [](const Stretch& stretch) { return stretch.empty(); });
    return std::move(stretches_);
  }

 private:
  bool reachesIn(std::size_t place) const {
    return series_.buckets()[place].startUtcMs + series_.lengthMs() > scale_.fromUtcMs;
  }

  void add(std::size_t begin, std::size_t end, double column) {
    if (!series_.followsOn(begin)) stretches_.emplace_back();
    const Extent all = series_.over(begin, end);
    if (all.count > 0) stretches_.back().push_back({column, all.mean(), all.smallest, all.largest});
  }

  void byBuckets(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      add(i, i + 1, scale_.columnOf(series_.buckets()[i].startUtcMs + series_.lengthMs() / 2));
  }

  void byColumns(const Series::Run& run, std::size_t begin, std::size_t end) {
    while (begin < end) {
      const double column = std::clamp<double>(
          std::floor(scale_.columnOf(series_.buckets()[begin].startUtcMs)), -1, scale_.columns);
      std::size_t next =
          column < scale_.columns ? series_.firstFrom(run, scale_.utcMsOf(column + 1)) : end;
      next = std::clamp(next, begin + 1, end);
      add(begin, next, column + 0.5);
      begin = next;
    }
  }

  const Series& series_;
  const TimeScale& scale_;
  std::vector<Stretch> stretches_;
};

/// Draws stretches of points into a plot.
class TracePen {
 public:
  TracePen(QPainter& painter, const QRect& plot, const ValueAxis& axis, const QColor& colour,
           double columnsPerPixel)
      : painter_(painter),
        plot_(plot),
        axis_(axis),
        colour_(colour),
        veil_(colour),
        ratio_(columnsPerPixel) {
    constexpr int kBandAlpha = 70;
    veil_.setAlpha(kBandAlpha);
  }

  void alone(const Point& point) {
    painter_.setPen(QPen(veil_, 3, Qt::SolidLine, Qt::FlatCap));
    painter_.drawLine(at(point, point.largest), at(point, point.smallest));
    painter_.setPen(QPen(colour_, 4, Qt::SolidLine, Qt::RoundCap));
    painter_.drawPoint(at(point, point.mean));
  }

  void band(const Stretch& stretch) {
    QPolygonF outline;
    for (const Point& point : stretch) outline.append(at(point, point.largest));
    for (auto point = stretch.rbegin(); point != stretch.rend(); ++point)
      outline.append(at(*point, point->smallest));
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(veil_);
    painter_.drawPolygon(outline);
  }

  /// Draws them as columns of the device, `wide` for a point: QPainter takes too long for an
  /// outline of so many points.
  void columns(const Stretch& stretch, double wide) {
    painter_.save();
    painter_.setRenderHint(QPainter::Antialiasing, false);
    for (const Point& point : stretch) {
      const auto edge = [&](double side) {
        return plot_.left() + std::round(point.column + side * wide / 2) / ratio_;
      };
      const double top = at(point, point.largest).y(), bottom = at(point, point.smallest).y();
      painter_.fillRect(QRectF(QPointF(edge(-1), top), QPointF(edge(1), bottom)), veil_);
    }
    painter_.restore();
  }

  /// `thin` uses a pen of one device pixel, which QPainter draws quickly.
  void means(const Stretch& stretch, bool thin) {
    QPolygonF line;
    for (const Point& point : stretch) line.append(at(point, point.mean));
    painter_.setPen(thin ? QPen(colour_, 0)
                         : QPen(colour_, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::BevelJoin));
    // Points are drawn in groups, as QPainter's time for a stroke grows faster than its length.
    constexpr std::size_t kPiece = 32;
    for (std::size_t from = 0; from + 1 < stretch.size(); from += kPiece)
      painter_.drawPolyline(line.constData() + from,
                            static_cast<int>(std::min(kPiece + 1, stretch.size() - from)));
  }

 private:
  QPointF at(const Point& point, double value) const {
    constexpr double kFarAway = 20'000;  // pixels that QPainter can still draw to
    const double y = plot_.bottom() - axis_.share(value) * plot_.height();
    return {plot_.left() + point.column / ratio_, std::clamp(y, -kFarAway, kFarAway)};
  }

  QPainter& painter_;
  QRect plot_;
  const ValueAxis& axis_;
  QColor colour_, veil_;
  double ratio_;
};

}  // namespace

PlotBucket plotBucket(const monitor::Bucket& bucket, std::size_t metric, std::int64_t run) {
  PlotBucket made;
  made.run = run;
  made.startUtcMs = bucket.startUtcMs;
  made.era = bucket.era;
  made.light = bucket.light();
  if (metric >= bucket.tallies.size()) return made;
  const monitor::Tally& tally = bucket.tallies[metric];
  if (tally.count == 0 || !std::isfinite(tally.smallest) || !std::isfinite(tally.largest) ||
      !std::isfinite(tally.mean()))
    return made;
  made.count = tally.count;
  made.mean = tally.mean();
  made.smallest = tally.smallest;
  made.largest = tally.largest;
  return made;
}

Series::Series(std::vector<PlotBucket> buckets, std::int64_t lengthMs)
    : lengthMs_(lengthMs), buckets_(std::move(buckets)) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    PlotBucket& bucket = buckets_[i];
    if (!std::isfinite(bucket.mean) || !std::isfinite(bucket.smallest) ||
        !std::isfinite(bucket.largest))
      bucket.count = 0;
    if (i == 0 || bucket.era != runs_.back().era || bucket.startUtcMs <= buckets_[i - 1].startUtcMs)
      runs_.push_back({i, i, bucket.era});
    runs_.back().end = i + 1;
  }
}

std::size_t Series::firstFrom(const Run& run, std::int64_t utcMs) const {
  const auto begin = buckets_.begin();
  const auto found = std::lower_bound(
      begin + static_cast<std::ptrdiff_t>(run.begin), begin + static_cast<std::ptrdiff_t>(run.end),
      utcMs, [](const PlotBucket& bucket, std::int64_t at) { return bucket.startUtcMs < at; });
  return static_cast<std::size_t>(found - begin);
}

Extent Series::over(std::size_t begin, std::size_t end) const {
  Extent all;
  for (; begin < end; ++begin) all.add(extentOf(buckets_[begin]));
  return all;
}

bool Series::followsOn(std::size_t place) const {
  if (place == 0 || place >= buckets_.size()) return false;
  const PlotBucket& before = buckets_[place - 1];
  const PlotBucket& bucket = buckets_[place];
  return before.count > 0 && bucket.count > 0 && before.era == bucket.era &&
         bucket.startUtcMs > before.startUtcMs &&
         bucket.startUtcMs - before.startUtcMs < lengthMs_ + lengthMs_ / 2;
}

std::shared_ptr<const FetchedSeries> fetchSeries(SeriesSource& source, const QStringList& metrics,
                                                 Resolution resolution, std::int64_t fromUtcMs,
                                                 std::int64_t toUtcMs) {
  auto fetched = std::make_shared<FetchedSeries>();
  const std::int64_t length = lengthMs(resolution);
  const std::int64_t room = std::max(toUtcMs - fromUtcMs, 2 * length);
  fetched->resolution = resolution;
  fetched->fromUtcMs = fromUtcMs - room;
  fetched->toUtcMs = toUtcMs + room;
  for (const QString& metric : metrics)
    fetched->lines.emplace_back(
        source.buckets(metric, resolution, fetched->fromUtcMs, fetched->toUtcMs), length);
  // A whole day's most frequent light does not describe the day.
  if (!fetched->lines.empty() && resolution != Resolution::day)
    fetched->light = lightSpans(fetched->lines.front().buckets(), length);
  return fetched;
}

Resolution resolutionFor(const SeriesSource& source, const TimeScale& scale) {
  const std::int64_t span = scale.toUtcMs - scale.fromUtcMs;
  std::size_t fits = kAllResolutions.size() - 1;
  while (fits > 0 && span / lengthMs(kAllResolutions[fits]) < scale.columns / 2) --fits;
  while (fits + 1 < kAllResolutions.size() &&
         cutsShort(source, kAllResolutions[fits], scale.fromUtcMs))
    ++fits;
  return kAllResolutions[fits];
}

void drawLight(QPainter& painter, const std::vector<LightSpan>& spans, const QRect& plot,
               TimeScale scale, const QPalette& palette) {
  constexpr double kDayMs = 86'400'000, kNarrowestDay = 8;  // in columns
  const bool byWeek = kDayMs / scale.msPerColumn() < kNarrowestDay;
  if (byWeek)
    scale.columns =
        std::max(1, static_cast<int>(scale.msPerColumn() * scale.columns / (7 * kDayMs)));
  const auto shares = lightByColumn(spans, scale);
  const double wide = static_cast<double>(plot.width()) / scale.columns;
  QImage light(scale.columns, 1, QImage::Format_RGB32);
  for (int x = 0; x < scale.columns; ++x)
    light.setPixelColor(x, 0, blended(shares[static_cast<std::size_t>(x)], palette));
  painter.save();
  painter.setRenderHint(QPainter::SmoothPixmapTransform, byWeek);
  painter.drawImage(plot, light);
  painter.restore();
  for (std::size_t begin = 0, end = 0; begin < shares.size(); begin = end) {
    const QBrush pattern = patternOf(shares[begin], palette);
    while (end < shares.size() && patternOf(shares[end], palette) == pattern) ++end;
    if (pattern.style() != Qt::NoBrush)
      painter.fillRect(QRectF(plot.left() + static_cast<double>(begin) * wide, plot.top(),
                              static_cast<double>(end - begin) * wide, plot.height()),
                       pattern);
  }
}

void drawTrace(QPainter& painter, const Series& series, const QRect& plot, const TimeScale& scale,
               const ValueAxis& axis, const QColor& colour) {
  constexpr double kDenseColumns = 3;
  const double wide = std::max(1.0, static_cast<double>(series.lengthMs()) / scale.msPerColumn());
  const bool dense = wide < kDenseColumns;
  TracePen pen(painter, plot, axis, colour, static_cast<double>(scale.columns) / plot.width());
  for (const Stretch& stretch : Tracer(series, scale).trace()) {
    if (dense) pen.columns(stretch, wide);
    if (stretch.size() == 1) {
      pen.alone(stretch.front());
      continue;
    }
    if (!dense) pen.band(stretch);
    pen.means(stretch, dense);
  }
}

}  // namespace mpm::gui

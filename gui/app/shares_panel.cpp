// SPDX-License-Identifier: Apache-2.0
#include "gui/app/shares_panel.h"

#include <QtWidgets>
#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace mpm::gui {
namespace {

constexpr int kMostLines = 8, kEveryMs = 5000;
constexpr qint64 kMinuteMs = 60'000;
// As long as figures reach back, the next longer one of these.
constexpr std::array<qint64, 5> kSpans{kMinuteMs, 10 * kMinuteMs, 60 * kMinuteMs, 360 * kMinuteMs,
                                       1440 * kMinuteMs};

}  // namespace

class SharesPanel::Percent : public SeriesSource {
 public:
  explicit Percent(EngineSeries& shares) : shares_(shares) {
    connect(&shares_, &SeriesSource::changed, this, &SeriesSource::changed);
  }
  std::vector<PlotBucket> buckets(const QString& metric, monitor::Resolution resolution,
                                  std::int64_t fromUtcMs, std::int64_t toUtcMs) override {
    std::vector<PlotBucket> list = shares_.buckets(metric, resolution, fromUtcMs, toUtcMs);
    for (PlotBucket& bucket : list)
      for (double* value : {&bucket.mean, &bucket.smallest, &bucket.largest}) *value *= 100;
    return list;
  }
  std::optional<std::int64_t> oldestUtcMs(monitor::Resolution resolution) const override {
    return shares_.oldestUtcMs(resolution);
  }

 private:
  EngineSeries& shares_;
};

SharesPanel::SharesPanel(ClassSettings* classes, QWidget* parent)
    : QWidget(parent),
      classes_(classes),
      plot_(new TimePlot),
      percent_(std::make_unique<Percent>(series_)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot_);
  setFocusProxy(plot_);
  plot_->setAccessibleName(tr("Shares of the picture over time"));
  plot_->setSource(percent_.get());
  connect(classes, &ClassSettings::changed, this, &SharesPanel::choose);
  connect(classes, &ClassSettings::classesReset, this, &SharesPanel::choose);
  later_.setInterval(kEveryMs);
  connect(&later_, &QTimer::timeout, this, [this] {
    if (!isVisible()) return;
    choose();
    followTime();
  });
  later_.start();
}

SharesPanel::~SharesPanel() { plot_->setSource(nullptr); }

void SharesPanel::setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                            const QString& source, const monitor::PastRun& run, std::size_t index) {
  engine_ = std::move(engine);
  source_ = index;
  series_.setEngine(engine_, record, source, run.begunUtcMs, index);
  choose();
  followTime();
}

// The classes that covered most of late; each keeps its place among the lines.
void SharesPanel::choose() {
  struct Share {
    int index;
    QString metric;
    double mean;
  };
  std::vector<Share> shares;
  if (engine_) {
    const auto& names = engine_->metrics(source_).parsed();
    engine_->readStatistics(source_, [&](const monitor::Statistics& statistics) {
      const auto& minutes = statistics.series().buckets(monitor::Resolution::minute);
      int index = 0;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].kind != monitor::MetricKind::area || !names[i].zone.empty()) continue;
        monitor::Tally all;
        for (const monitor::Bucket& minute : minutes) all.add(minute.tallies[i]);
        if (all.count > 0 && all.largest > 0 && classes_->shows(index))
          shares.push_back({index, QString::fromStdString(names[i].text()), all.mean()});
        ++index;
      }
    });
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.mean > b.mean; });
  if (shares.size() > kMostLines) shares.resize(kMostLines);
  std::sort(shares.begin(), shares.end(),
            [](const Share& a, const Share& b) { return a.index < b.index; });
  std::vector<TimePlot::Line> lines;
  for (const Share& share : shares)
    lines.push_back({share.metric, classes_->name(share.index), classes_->colour(share.index)});
  plot_->setLines(std::move(lines), QStringLiteral("%"));
}

// Until somebody chooses another span.
void SharesPanel::followTime() {
  // Seconds are kept for a shorter time.
  auto oldest = percent_->oldestUtcMs(monitor::Resolution::second);
  if (const auto minute = percent_->oldestUtcMs(monitor::Resolution::minute);
      oldest && minute && *minute < *oldest - kMinuteMs)
    oldest = minute;
  const TimeWindow& window = plot_->timeWindow();
  if (!oldest || !window.live() || (span_ != 0 && window.span() != span_)) return;
  const qint64 since = QDateTime::currentMSecsSinceEpoch() - *oldest;
  const auto next =
      std::find_if(kSpans.begin(), kSpans.end() - 1, [&](qint64 span) { return span >= since; });
  span_ = *next;
  plot_->setSpan(span_);
}

}  // namespace mpm::gui

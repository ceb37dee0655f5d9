// SPDX-License-Identifier: Apache-2.0
// A year of minutes in the plot of tokens, moved and zoomed.
#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app_bench.h"
#include "gui/plot/time_plot.h"
#include "paired.h"
#include "processor_time.h"
#include "watched_window.h"

namespace mpm::bench {
namespace {

constexpr std::int64_t kMinuteMs = 60'000, kDayMs = 1440 * kMinuteMs, kYearMs = 365 * kDayMs;
constexpr std::int64_t kBegin = 1'735'689'600'000;  // 2025-01-01T00:00Z
constexpr double kGoalMs = 1000.0 / 30;
constexpr int kSteps = 90;

// As a camera gives them that watches day and night, in every resolution.
class YearOfMinutes : public gui::SeriesSource {
 public:
  YearOfMinutes() {
    for (const monitor::Resolution resolution : monitor::kAllResolutions) fill(resolution);
  }

  std::vector<gui::PlotBucket> buckets(const QString& /*metric*/, monitor::Resolution resolution,
                                       std::int64_t from, std::int64_t to) override {
    const auto& all = levels_[static_cast<std::size_t>(resolution)];
    const auto starts = [](const gui::PlotBucket& bucket, std::int64_t at) {
      return bucket.startUtcMs < at;
    };
    return {std::lower_bound(all.begin(), all.end(), from, starts),
            std::lower_bound(all.begin(), all.end(), to, starts)};
  }

  std::optional<std::int64_t> oldestUtcMs(monitor::Resolution resolution) const override {
    if (resolution == monitor::Resolution::second) return std::nullopt;
    return kBegin;
  }

 private:
  void fill(monitor::Resolution resolution) {
    if (resolution == monitor::Resolution::second) return;  // kept for a quarter of an hour
    const std::int64_t length = monitor::lengthMs(resolution);
    for (std::int64_t at = kBegin; at < kBegin + kYearMs; at += length) {
      const double sun = std::cos(static_cast<double>(at % kDayMs) / kDayMs * 6.283185 - 3.4);
      gui::PlotBucket bucket;
      bucket.startUtcMs = at;
      bucket.light = sun > 0 ? monitor::LightState::day : monitor::LightState::night;
      bucket.count = 600;
      bucket.mean = 620 - 20 * sun + 4 * std::sin(static_cast<double>(at / length) * 12.9898);
      bucket.smallest = bucket.mean - 9;
      bucket.largest = bucket.mean + 9;
      levels_[static_cast<std::size_t>(resolution)].push_back(bucket);
    }
  }

  std::array<std::vector<gui::PlotBucket>, 4> levels_;
};

// Each step up to its picture. The usual one by the clock on the wall; the longest by what it took
// of the processor, since others may hold up any one of them.
template <typename Step>
void benchSteps(Report& report, gui::TimePlot& plot, const std::string& what, const Step& step) {
  std::vector<double> times;
  double longest = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double before = threadMs() + qtPoolMs();
    times.push_back(elapsedMs([&] {
      step(i);
      plot.repaint();
    }));
    longest = std::max(longest, threadMs() + qtPoolMs() - before);
    QCoreApplication::processEvents();
  }
  report.rows.push_back(below(what, "30 frames a second", median(times), kGoalMs, "ms"));
  report.rows.push_back(below(what + ", the longest, of the processor", "30 frames a second",
                              longest, kGoalMs, "ms"));
}

}  // namespace

void benchPlot(Report& report) {
  YearOfMinutes year;
  gui::TimePlot plot;
  plot.setSource(&year);
  plot.setLines(
      {{"live_rows", "Behind all merges"}, {"rows.1", "Behind the first"}, {"rows.0", "Before"}},
      "rows");
  plot.resize(1200, 300);
  plot.show();
  for (const bool minutes : {true, false}) {
    plot.setResolution(minutes ? std::optional(monitor::Resolution::minute) : std::nullopt);
    const std::string of = minutes ? "a year, every minute, " : "a year as the app shows it, ";
    plot.showWindow(kBegin, kBegin + kYearMs, false);
    plot.repaint();
    benchSteps(report, plot, of + "moved", [&](int i) {
      const std::int64_t by = (i % 2 == 0 ? i : -i) * kDayMs;
      plot.showWindow(kBegin + by, kBegin + kYearMs + by, false);
    });
    benchSteps(report, plot, of + "zoomed", [&](int i) {
      const std::int64_t span = kYearMs >> (i % 12);
      plot.showWindow(kBegin + kYearMs - span, kBegin + kYearMs, false);
    });
  }
}

}  // namespace mpm::bench

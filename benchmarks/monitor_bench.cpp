// SPDX-License-Identifier: Apache-2.0
// mpm-monitor-bench [--seconds N] [--json FILE]: what watching costs beside the net and the camera,
// whole and in parts, as processor time.
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "monitor/engine/frame_metrics.h"
#include "monitor/light/light_meter.h"
#include "monitor/record/record.h"
#include "monitor/statistics/statistics.h"
#include "monitor_street.h"
#include "monitor_whole.h"
#include "paired.h"
#include "report.h"

namespace {

using namespace mpm::bench;
using namespace mpm::monitor;

constexpr double kFrameMs = 100, kGoal = 0.03;
const cv::Size kSize{640, 480};

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mpm-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Median CPU time of a call, in ms.
template <class Call>
double cpuMs(int calls, const Call& call) {
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    const double before = processCpu();
    call(static_cast<std::size_t>(i));
    times.push_back(1e3 * (processCpu() - before));
  }
  return median(times);
}

void add(Report& report, const std::string& what, double ms, const char* against, double theirs) {
  report.rows.push_back({what, against, ms, theirs, "ms", ms / theirs});
}

Moment at(std::size_t frame) {
  Moment moment;
  moment.steadyMs = static_cast<std::int64_t>(frame) * 100;
  moment.utcMs = 1750000000000 + moment.steadyMs;
  return moment;
}

void benchParts(Report& report, const Street& street, const std::string& folder) {
  const RuleBook book = streetRules();
  LightMeter meter;
  FrameMetrics metrics(street.classes, book.zones, 3, 1, true);
  Statistics statistics(metrics.metrics());
  Rules rules(book.rules, metrics.metrics());
  const std::size_t count = street.pictures.size();
  std::vector<FrameResult> results(count);
  std::vector<Figures> figures(count);
  const char* frame = "a frame's time at 10 a second";
  add(report, "light",
      cpuMs(400,
            [&](std::size_t i) {
              results[i % count].light = meter.update(street.pictures[i % count], at(i));
            }),
      frame, kFrameMs);
  add(report,
      cv::format("areas of %d classes, whole and in %d zones", int(street.classes.size()),
                 int(book.zones.size())),
      cpuMs(400,
            [&](std::size_t i) {
              FrameResult& result = results[i % count];
              result.frame.picture = street.pictures[i % count];
              result.frame.taken = at(i);
              result.segmentation = street.found[i % count];
              figures[i % count] = metrics.measure(result, {});
            }),
      frame, kFrameMs);
  const auto next = [&](std::size_t i) -> const Figures& {
    figures[i % count].taken = at(i);
    return figures[i % count];
  };
  add(report, cv::format("statistics of %d metrics", int(metrics.metrics().size())),
      cpuMs(4000, [&](std::size_t i) { statistics.add(next(i)); }), frame, kFrameMs);
  add(report, cv::format("%d rules", int(book.rules.size())),
      cpuMs(4000, [&](std::size_t i) { rules.update(next(i)); }), frame, kFrameMs);

  RecordOptions options;
  options.commitEveryMs = 1;
  Record record(folder + "/parts.sqlite", options);
  RunFacts facts;
  facts.source = "street";
  facts.settings = "{}";
  facts.metrics = metrics.metrics().names();
  const std::int64_t run = record.beginRun(facts);
  statistics.series().takeChanged();
  std::size_t number = 4000;
  add(report, cv::format("record of %d metrics, each second", int(metrics.metrics().size())),
      cpuMs(100,
            [&](std::size_t) {
              for (int i = 0; i < 10; ++i) statistics.add(next(number++));
              record.write(run, statistics.series().takeChanged());
              if (!record.flush(10000)) throw std::runtime_error("the record cannot be written");
            }),
      "a second", 1000);
}

void benchWhole(Report& report, const Street& street, double seconds, const std::string& folder) {
  const MonitorCost cost = runMonitor(street, seconds, folder);
  const double ours = 1e3 * (cost.all - cost.camera - cost.asker) / cost.seconds;
  Row row{cv::format("all of it, %.1f frames a second for %.0f s, with record, zones, rules, HTTP",
                     static_cast<double>(cost.frames) / cost.seconds, cost.seconds),
          "a core's second",
          ours,
          1000,
          "ms",
          ours / 1000,
          kGoal};
  report.rows.push_back(row);
  add(report, "the camera beside it (copies of frames)", 1e3 * cost.camera / cost.seconds,
      "a core's second", 1000);
}

}  // namespace

int main(int argc, char** argv) {
  const auto measure = [](Report& report, int seconds) {
    const Folder folder;
    report.threads = cv::getNumThreads();
    const Street street(kSize);
    benchParts(report, street, folder.path());
    benchWhole(report, street, seconds, folder.path());
  };
  return runBenchmark(
      argc, argv,
      {"mpm-monitor-bench", "Times what a monitor does beside its net.", "--seconds", 20}, measure);
}

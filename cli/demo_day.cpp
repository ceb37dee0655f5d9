// SPDX-License-Identifier: Apache-2.0
#include "cli/demo_day.h"

#include <algorithm>
#include <cmath>

#include "cli/read_options.h"
#include "models/scenes/camera.h"
#include "models/scenes/classes.h"
#include "models/scenes/light.h"
#include "mpm/tune.h"

namespace mpm::cli {
namespace {

constexpr double kHour = 3600, kDay = 24;

double daylightAt(std::uint64_t seed, double time) {
  const scenes::Light light = scenes::lightAt(seed, time, scenes::weatherAt(seed, time));
  return std::clamp(0.5 + 5 * light.sunHeight, 0.0, 1.0);  // 1 from 6 degrees above the horizon
}

double wholeMs(const SegmenterTimes& times) {
  return times.prepareMs + times.networkMs + times.labelsMs;
}

/// The camera, and the two that look through it.
class Watch {
 public:
  explicit Watch(const DemoOptions& options)
      : options_(options),
        camera_(cameraOptions(options)),
        merged_(options.model, options.segmenter),
        full_(options.model, fullTokens(options.segmenter)) {
    checkCanMerge(merged_.model(), options.model);
    day_.palette = merged_.palette();
    day_.schedule = merged_.schedule();
    if (scenes::areOfTheStreet(merged_.classes())) {
      day_.full.assign(kDemoLights, evaluate::Confusion(scenes::kClasses));
      day_.merged = day_.full;
    }
  }

  const DemoFrame& look(double hour, bool keep) {
    DemoFrame frame;
    frame.hour = hour;
    frame.daylight = daylightAt(options_.seed, hour * kHour);
    camera_.shoot(hour * kHour, picture_, truth_);
    const Segmentation full = full_.segment(picture_), merged = merged_.segment(picture_);
    frame.rows = merged.rows;
    frame.fullMs = wholeMs(full.times), frame.mergedMs = wholeMs(merged.times);
    frame.agreement = agreementOf(merged.labels, full.labels);
    if (!day_.full.empty()) count(demoLightOf(frame), full.labels, merged.labels);
    if (keep) {
      day_.moments.push_back(
          {hour, picture_.clone(), merged.labels, full.labels, merged.mergeMap, merged.rows});
    }
    return day_.frames.emplace_back(std::move(frame));
  }

  DemoDay take() { return std::move(day_); }

 private:
  static scenes::CameraOptions cameraOptions(const DemoOptions& options) {
    scenes::CameraOptions camera;
    camera.seed = options.seed;
    return camera;
  }

  static SegmenterOptions fullTokens(SegmenterOptions options) {
    options.read.schedule.emplace();
    return options;
  }

  void count(DemoLight light, const cv::Mat& full, const cv::Mat& merged) {
    cv::Mat truth;
    truth_.convertTo(truth, CV_16U);
    const auto index = static_cast<std::size_t>(light);
    day_.full[index].add(truth, full);
    day_.merged[index].add(truth, merged);
  }

  const DemoOptions& options_;
  scenes::Camera camera_;
  Segmenter merged_, full_;
  cv::Mat picture_, truth_;
  DemoDay day_;
};

}  // namespace

DemoLight demoLightOf(const DemoFrame& frame) {
  if (frame.daylight >= 1) return DemoLight::day;
  return frame.daylight > 0 ? DemoLight::twilight : DemoLight::night;
}

const char* nameOf(DemoLight light) {
  switch (light) {
    case DemoLight::day:
      return "day";
    case DemoLight::twilight:
      return "twilight";
    default:
      return "night";
  }
}

DemoDay runDemoDay(const DemoOptions& options, const std::function<void()>& ready,
                   const std::function<void(const DemoFrame&)>& seen) {
  Watch watch(options);
  ready();
  const double step = kDay / options.frames;
  const int noon = options.frames / 2;
  for (int frame = 0; frame < options.frames; ++frame)
    seen(watch.look(frame * step, frame == 0 || frame == noon));
  return watch.take();
}

}  // namespace mpm::cli

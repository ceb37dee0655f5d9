// SPDX-License-Identifier: Apache-2.0
// mpm-scene-bench [--json FILE]: how fast one thread makes a drawn camera's frames, as it plays
// through a day, and what weather and sensor cost of that beside the JPEG that they hold.
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "models/scenes/camera.h"
#include "models/scenes/light.h"
#include "models/scenes/precipitation.h"
#include "models/scenes/sensor.h"
#include "paired.h"
#include "report.h"

namespace {

using mpm::bench::elapsedMs;
using mpm::bench::Report;
using mpm::scenes::Camera;
using mpm::scenes::CameraOptions;
using mpm::scenes::WeatherKind;

constexpr int kFrames = 60;
constexpr double kGoalMs = 1000.0 / 60;

std::string sizeName(cv::Size size) { return cv::format("%d x %d", size.width, size.height); }

// Frames of 30 a second, from `hour` on.
double medianFrameMs(Camera& camera, const CameraOptions& options, double hour) {
  cv::Mat picture, labels;
  std::vector<double> times;
  for (int frame = -2; frame < kFrames; ++frame) {
    const double time = hour * 3600 + frame / 30.0 * options.clock;
    const double ms = elapsedMs([&] { camera.shoot(time, picture, labels); });
    if (frame >= 0) times.push_back(ms);
  }
  return mpm::bench::median(times);
}

void benchFrames(Report& report, cv::Size size, WeatherKind weather, const char* what, double hour,
                 double clock) {
  CameraOptions options;
  options.size = size;
  options.weather = weather;
  options.clock = clock;
  Camera camera(options);
  const double ms = medianFrameMs(camera, options, hour);
  report.rows.push_back({cv::format("a frame of %s, %s", sizeName(size).c_str(), what),
                         "60 frames a second", ms, kGoalMs, "ms", ms / kGoalMs, 1});
}

// Weather and sensor on a frame that is drawn already, against JPEG alone.
void benchSensor(Report& report, cv::Size size, WeatherKind weather, const char* what,
                 double hour) {
  CameraOptions options;
  options.size = size;
  options.weather = weather;
  options.sensor = false;
  Camera camera(options);
  const double time = hour * 3600;
  cv::Mat ideal, labels, picture, shot;
  camera.shoot(time, ideal, labels);
  const auto sky = mpm::scenes::weatherAt(options.seed, time, weather);
  const auto light = mpm::scenes::lightAt(options.seed, time, sky);
  mpm::scenes::Sensor sensor;
  std::uint64_t frame = 0;
  const auto ours = [&] {
    ideal.copyTo(picture);
    mpm::scenes::drawPrecipitation(picture, light, sky, options.seed,
                                   0.03 * static_cast<double>(++frame));
    sensor.take(picture, mpm::scenes::exposureAt(options, time), mpm::scenes::Chance(1, frame));
  };
  ours();
  picture.copyTo(shot);
  std::vector<unsigned char> bytes;
  cv::Mat decoded;
  const auto theirs = [&] {
    cv::imencode(".jpg", shot, bytes, {cv::IMWRITE_JPEG_QUALITY, 88});
    cv::imdecode(bytes, cv::IMREAD_COLOR, &decoded);
  };
  const auto paired = mpm::bench::measurePaired(ours, theirs);
  report.rows.push_back({cv::format("weather and sensor, %s, %s", sizeName(size).c_str(), what),
                         "JPEG there and back", paired.oursMs, paired.peerMs, "ms", paired.ratio});
}

void benchSize(Report& report, cv::Size size) {
  benchFrames(report, size, WeatherKind::fair, "by day", 13, 1);
  benchFrames(report, size, WeatherKind::fair, "by night", 23, 1);
  benchFrames(report, size, WeatherKind::rain, "in the rain", 13, 1);
  benchFrames(report, size, WeatherKind::snow, "in the snow", 13, 1);
  benchFrames(report, size, WeatherKind::fair, "at dusk, 600x", 18, 600);
  benchSensor(report, size, WeatherKind::fair, "by day", 13);
  benchSensor(report, size, WeatherKind::fair, "by night", 23);
  benchSensor(report, size, WeatherKind::rain, "in the rain", 13);
  benchSensor(report, size, WeatherKind::snow, "in the snow", 13);
}

}  // namespace

int main(int argc, char** argv) {
  const auto measure = [](Report& report, int /*number*/) {
    cv::setNumThreads(1);
    for (const cv::Size& size : {cv::Size(640, 480), cv::Size(512, 512)}) benchSize(report, size);
  };
  return mpm::bench::runBenchmark(
      argc, argv, {"mpm-scene-bench", "Times frames of the drawn street.", nullptr}, measure);
}

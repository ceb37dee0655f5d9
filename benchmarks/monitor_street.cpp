// SPDX-License-Identifier: Apache-2.0
#include "monitor_street.h"

#include <chrono>
#include <thread>

#include "models/scenes/camera.h"
#include "models/scenes/classes.h"
#include "processor_time.h"

namespace mpm::bench {
namespace {

constexpr int kPictures = 40, kGrid = 32, kEveryMs = 100;
constexpr double kOneOClock = 13 * 3600;

std::int64_t nowMs() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

Segmentation foundIn(const cv::Mat& labels) {
  Segmentation found;
  found.labels = labels;
  found.confidence = cv::Mat(labels.size(), CV_32F, cv::Scalar(0.9));
  found.mergeMap = cv::Mat::zeros(kGrid, kGrid, CV_32S);
  found.rows = {1025, 771, 610};
  found.stages.resize(2);
  return found;
}

}  // namespace

Street::Street(cv::Size size) {
  scenes::CameraOptions options;
  options.size = size;
  scenes::Camera camera(options);
  for (int i = 0; i < kPictures; ++i) {
    cv::Mat picture, labels;
    camera.shoot(kOneOClock + 0.1 * i, picture, labels);
    pictures.push_back(picture.clone());
    found.push_back(foundIn(labels.clone()));
  }
  for (const scenes::ClassFacts& facts : scenes::kClassFacts) classes.emplace_back(facts.name);
}

monitor::RuleBook streetRules() {
  return monitor::parseRules(R"(
[[zone]]
name = "left"
corners = [[0.0, 0.5], [0.4, 0.5], [0.3, 1.0], [0.0, 1.0]]
[[zone]]
name = "middle"
corners = [[0.3, 0.5], [0.7, 0.5], [0.9, 1.0], [0.2, 1.0]]
[[zone]]
name = "right"
corners = [[0.6, 0.5], [1.0, 0.5], [1.0, 1.0], [0.8, 1.0]]
[[rule]]
name = "a car on the left"
metric = "zone.left.area.car"
above = 0.2
dwell_s = 1
clip = true
[[rule]]
name = "busy"
metric = "area.person"
above = 0.01
hysteresis = 0.005
[[rule]]
name = "unsure"
metric = "confidence"
below = 0.5
[[rule]]
name = "night"
light = ["night", "infrared"]
[[rule]]
name = "lost"
stale = true
dwell_s = 60
)",
                             "the benchmark's rules");
}

bool StreetReader::open() {
  firstMs_ = nowMs();
  return true;
}

monitor::ReadStatus StreetReader::read(monitor::Shot& shot) {
  const double before = threadMs();
  const std::int64_t leftMs = firstMs_ + next_ * kEveryMs - nowMs();
  std::this_thread::sleep_for(std::chrono::milliseconds(leftMs));
  const auto place = static_cast<std::size_t>(next_) % street_.pictures.size();
  shot.picture = street_.pictures[place].clone();
  ++next_;
  cpuMs_ = cpuMs_ + threadMs() - before;
  return monitor::ReadStatus::frame;
}

Segmentation StreetNetwork::segment(const cv::Mat& /*picture*/) {
  return street_.found[next_++ % street_.found.size()];
}

std::vector<cv::Vec3b> StreetNetwork::palette() const { return scenes::classColours(); }

}  // namespace mpm::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

#include "models/scenes/drawing/scenery.h"
#include "models/scenes/drawing/still.h"
#include "models/scenes/drawing/traffic.h"
#include "models/scenes/light.h"

namespace mpm::scenes {

/// A street in front of a fixed camera, drawn as an ideal camera would see it: without noise, rain
/// drops or snow flakes, but with fog, wet and white ground. It depends on seed, size, time and
/// light only, not on earlier frames. Still objects are painted once, without light, and lit again
/// in every frame; positions of moving ones follow from the time.
class Scene {
 public:
  /// Throws std::invalid_argument if a side is below 32 pixels. Objects keep their share of the
  /// height; a wider image shows more of the street.
  Scene(std::uint64_t seed, cv::Size size)
      : layout_(layoutOf(seed, checked(size))), still_(drawStill(layout_)), sky_(layout_) {
    for (const Tree& tree : layout_.trees) trees_.emplace_back(layout_, tree);
    canvas_.create(size, CV_8UC4);
  }

  /// `picture` is CV_8UC3, BGR. `labels` is CV_8U, each pixel's Class: the one that covers most of
  /// it. Both get the scene's size, and are reused if they have it.
  void draw(double time, const Light& light, const Weather& weather, cv::Mat& picture,
            cv::Mat& labels) {
    const Lighting lighting(light, weather);
    const Traffic traffic = trafficAt(layout_, time);
    still_.labels.copyTo(labels);
    brush_.aim(canvas_, labels);
    sky_.draw(lighting, time, still_.skyEnd, canvas_, brush_);
    if (lighting.shadows()) {
      drawShadows(layout_, lighting, traffic, shadow_);
    } else {
      shadow_.release();
    }
    relight_.run(still_, lighting, time, shadow_, canvas_);
    const Stage stage{layout_, lighting, still_.albedo, canvas_, labels, brush_, time};
    mirrorStreet(stage);
    if (weather.puddles > 0) {
      if (!puddles_) puddles_.emplace(layout_);
      puddles_->draw(stage);
    }
    lightGround(stage, traffic);
    drawThings(stage, traffic);
    drawHalos(stage, traffic);
    cv::cvtColor(canvas_, picture, cv::COLOR_BGRA2BGR);
  }

 private:
  static const cv::Size& checked(const cv::Size& size) {
    if (size.width < 32 || size.height < 32) {
      throw std::invalid_argument(cv::format(
          "a scene is at least 32 pixels wide and high, not %d x %d", size.width, size.height));
    }
    return size;
  }

  struct Thing {
    enum Kind { tree, lamp, car, walker, rider } kind;
    std::size_t index;
    double z;
  };

  // Draws from far to near.
  void drawThings(const Stage& stage, const Traffic& traffic) const {
    std::vector<Thing> things;
    const auto add = [&](Thing::Kind kind, const auto& all, const auto& z) {
      for (std::size_t i = 0; i < all.size(); ++i) things.push_back({kind, i, z(all[i])});
    };
    add(Thing::tree, trees_, [](const TreePicture& t) { return t.z(); });
    add(Thing::lamp, layout_.lamps, [](const Lamp& l) { return l.z; });
    add(Thing::car, traffic.cars, [](const Car& c) { return c.z; });
    add(Thing::walker, traffic.walkers, [](const Walker& w) { return w.z; });
    add(Thing::rider, traffic.riders, [](const Rider& r) { return r.z; });
    std::stable_sort(things.begin(), things.end(),
                     [](const Thing& a, const Thing& b) { return a.z > b.z; });
    for (const Thing& thing : things) {
      switch (thing.kind) {
        case Thing::tree:
          trees_[thing.index].draw(stage);
          break;
        case Thing::lamp:
          drawLamp(stage, layout_.lamps[thing.index]);
          break;
        case Thing::car:
          drawCar(stage, traffic.cars[thing.index]);
          break;
        case Thing::walker:
          drawPerson(stage, traffic.walkers[thing.index]);
          break;
        case Thing::rider:
          drawCyclist(stage, traffic.riders[thing.index]);
          break;
      }
    }
  }

  Layout layout_;
  Still still_;
  Sky sky_;
  Relight relight_;
  std::vector<TreePicture> trees_;
  std::optional<Puddles> puddles_;  // from the first wet picture on
  Brush brush_;
  cv::Mat canvas_, shadow_;
};

}  // namespace mpm::scenes

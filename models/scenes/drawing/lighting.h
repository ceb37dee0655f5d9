// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/scenes/drawing/colour.h"
#include "models/scenes/drawing/layout.h"
#include "models/scenes/light.h"

namespace mpm::scenes {

/// Which way a surface looks, and with it how much sun it takes.
enum class Facing { front, left, right, up, slope, round };

struct Surface {
  Facing facing = Facing::front;
  double depth = 20;  ///< metres from the camera, for haze
  double snow = 0;    ///< how white it is in full snow
  double wet = 0;     ///< how dark it is in full rain

  bool operator==(const Surface&) const = default;
};

/// What a light makes of a surface: (albedo * keep + white) * light + add, where light is `shade`
/// and, by shares from 0 to 1, what sun and lamp bring.
struct Tint {
  double keep = 1;
  Colour white, shade, sun, lamp, add;

  Colour of(const Colour& albedo, double sunShare, double lampShare) const {
    return (albedo * keep + white).mul(shade + sun * sunShare + lamp * lampShare) + add;
  }
};

/// A light and a weather, worked out for drawing.
class Lighting {
 public:
  Lighting(const Light& light, const Weather& weather);

  Tint tint(const Surface& surface) const;
  double haze(double depth) const;  ///< share of the air's colour at this distance
  const Colour& air() const { return air_; }
  const Light& light() const { return light_; }
  const Weather& weather() const { return weather_; }
  double night() const {
    return night_;
  }                                      ///< 0 where lamps are nothing against the day, 1 by night
  double glow() const { return glow_; }  ///< strength of what shines by itself, lamps' share in it
  bool shadows() const { return shadows_; }  ///< worth drawing
  /// Where a metre of height throws its shadow, in metres along x and z.
  cv::Point2d shadowStep() const { return shadowStep_; }
  static Colour warm() { return {0.50, 0.80, 1.0}; }  ///< street lamps

 private:
  double sunShare(Facing facing) const;

  Light light_;
  Weather weather_;
  Colour air_;
  double night_ = 0, glow_ = 0, side_ = 0, height_ = 1;
  bool shadows_ = false;
  cv::Point2d shadowStep_;
};

/// What the street's lamps give at a place (x, y, z), 0 to 1; right below one it is about 1.
double lampLightAt(const Layout& layout, const cv::Point3d& place);

/// The same for all that a picture shows of the ground and of the row of houses: CV_8U.
cv::Mat lampLightOf(const Layout& layout);

}  // namespace mpm::scenes

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

#include "models/scenes/drawing/brush.h"
#include "models/scenes/drawing/layout.h"
#include "models/scenes/light.h"

namespace mpm::scenes {

/// Direction that a surface faces, which decides how much sun it takes.
enum class Facing { front, left, right, up, slope, round };

struct Surface {
  Facing facing = Facing::front;
  double depth = 20;  ///< metres from the camera, for haze
  double snow = 0;    ///< how white it is in full snow
  double wet = 0;     ///< how dark it is in full rain

  bool operator==(const Surface&) const = default;
};

/// Effect of light on a surface: (albedo * keep + white) * light + add, where light is `shade`
/// plus, by shares from 0 to 1, the sun's and the lamps' parts.
struct Tint {
  double keep = 1;
  Colour white, shade, sun, lamp, add;

  Colour of(const Colour& albedo, double sunShare, double lampShare) const {
    return (albedo * keep + white).mul(shade + sun * sunShare + lamp * lampShare) + add;
  }
};

/// A light and a weather, prepared for drawing.
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
  /// Returns the shadow of a metre of height, in metres along x and z.
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

/// Returns the street lamps' light at (x, y, z), 0 to 1; right below one it is about 1.
double lampLightAt(const Layout& layout, const cv::Point3d& place);

/// Returns it for all visible ground and for the row of houses: CV_8U.
cv::Mat lampLightOf(const Layout& layout);

/// A leg or an arm: joints in metres, ahead and up.
struct Limb {
  cv::Point2d root, middle, end;
};

/// Returns a walking leg, `phase` in radians: forward as sin(phase), bent as it swings there.
Limb walkingLeg(double length, double phase, double swing);
Limb walkingArm(cv::Point2d shoulder, double length, double phase, double swing);
/// Returns a limb from root to end over a joint that bends forward (knee) or back (elbow).
Limb bentLimb(cv::Point2d root, cv::Point2d end, double upper, double lower, bool forward);

/// Target and light for the moving things of one frame.
struct Stage {
  const Layout& layout;
  const Lighting& lighting;
  const cv::Mat& albedo;   ///< what lies below, for light that falls on it
  cv::Mat canvas, labels;  ///< CV_8UC4 and CV_8U, both drawn into
  Brush& brush;
  double time;
};

/// Draws a thing in its own measures: metres ahead (in its direction), up, and away from the
/// camera, from its position. It knows the light there.
class Figure {
 public:
  Figure(const Stage& stage, double x, double z, int direction);

  cv::Point2d at(double ahead, double up, double away = 0) const {
    return stage_.layout.view.at(x_ + direction_ * ahead, up, z_ + away);
  }
  double metre() const { return metre_; }  ///< in pixels
  int direction() const { return direction_; }
  const Stage& stage() const { return stage_; }
  /// Facing::left and right are those of the image.
  Colour lit(const Colour& albedo, Facing facing = Facing::round, double snow = 0) const;
  Colour glowing(const Colour& light) const;  ///< shines by itself, behind the air between

  void fill(const Outline& outline, const Colour& albedo, Facing facing = Facing::round) const {
    paint(outline, lit(albedo, facing));
  }
  /// Paints a colour as seen, which includes the light.
  void paint(const Outline& outline, const Colour& seen, double opacity = 1) const {
    stage_.brush.fill(outline, seen, opacity);
  }
  /// Draws a limb or a tube between two points in its plane of movement; width in metres.
  void limb(cv::Point2d from, cv::Point2d to, double fromWidth, double toWidth,
            const Colour& albedo) const;
  void disc(cv::Point2d centre, double radius, const Colour& albedo) const;
  void contactShadow(double from, double to, double nearAway, double farAway) const;

 private:
  const Stage& stage_;
  double x_, z_, metre_, lamp_;
  int direction_;
};

}  // namespace mpm::scenes

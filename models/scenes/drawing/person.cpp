// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "models/scenes/drawing/actors.h"
#include "models/scenes/drawing/stage.h"

namespace mpm::scenes {
namespace {

constexpr std::array<unsigned, 6> kSkin = {0xF0C8A4, 0xE0B08A, 0xC68F65,
                                           0xA06C48, 0x7A4E34, 0x5A3A28};
constexpr std::array<unsigned, 6> kHair = {0x2B211C, 0x4A3222, 0x7A5A38,
                                           0xB58A4E, 0x8C8680, 0x6A2F1E};
constexpr std::array<unsigned, 12> kTop = {0xC23B3B, 0x2F5E9E, 0xE0B23F, 0x3F7F5A,
                                           0x6B4A86, 0xE6E2DA, 0x2E3440, 0xD97B3A,
                                           0x8FB3C9, 0xB8577A, 0x7A6A58, 0x4F8C94};
constexpr std::array<unsigned, 7> kTrousers = {0x2B3A5A, 0x3A3C42, 0x6B5A46, 0x1F2328,
                                               0x7F8894, 0x4A5A44, 0xB8A888};

struct PersonPainter {
  Figure figure;
  const Chance& chance;
  double size, phase, rise = 0;  // rise: of the hips, so that the lower foot stands
  Colour skin = rgb(kSkin[chance.below(0, 6)]);
  Colour hair = rgb(kHair[chance.below(1, 6)]);
  Colour top = rgb(kTop[chance.below(2, 12)]) * chance.between(3, 0.8, 1.1);
  Colour trousers = rgb(kTrousers[chance.below(4, 7)]);
  Colour shoes = chance.happens(5, 0.3) ? rgb(0xE4E2DE) : rgb(0x2A2522);
  double stout = chance.between(6, 0.92, 1.18);
  bool coat = chance.happens(7, 0.35), skirt = !coat && chance.happens(8, 0.25);
  bool longHair = chance.happens(9, 0.4), bag = chance.happens(10, 0.4);

  cv::Point2d body(double ahead, double up) const { return {ahead * size, up * size + rise}; }

  Limb moved(Limb limb, cv::Point2d by) const {
    return {limb.root + by, limb.middle + by, limb.end + by};
  }

  void leg(const Limb& leg, double shade) const {
    const Colour cloth = trousers * shade, bare = skirt ? skin * shade : cloth;
    figure.limb(leg.root, leg.middle, 0.19 * size * stout, 0.15 * size, cloth);
    figure.limb(leg.middle, leg.end, 0.14 * size, 0.105 * size, bare);
    figure.limb(leg.end + cv::Point2d(-0.03, -0.02) * size,
                leg.end + cv::Point2d(0.15, -0.045) * size, 0.1 * size, 0.075 * size,
                shoes * shade);
  }

  void arm(const Limb& arm, double shade) const {
    figure.limb(arm.root, arm.middle, 0.125 * size * stout, 0.105 * size, top * shade);
    figure.limb(arm.middle, arm.end, 0.105 * size, 0.08 * size, top * shade);
    figure.disc(arm.end, 0.055 * size, skin * shade);
  }

  Outline placed(const Outline& shape) const {
    Outline seen;
    for (const cv::Point2d& p : shape) {
      const cv::Point2d at = body(p.x, p.y);
      seen.push_back(figure.at(at.x, at.y));
    }
    return smooth(seen, 3);
  }

  void torso() const {
    const double w = 0.155 * stout, hem = coat ? 0.56 : 0.84;
    figure.fill(placed({{-w * 0.95, 1.38},
                        {-w * 0.4, 1.47},
                        {w * 0.5, 1.46},
                        {w, 1.34},
                        {w * 0.92, 1.1},
                        {w * (coat ? 1.15 : 0.95), hem},
                        {-w * (coat ? 1.2 : 1.0), hem},
                        {-w, 1.1}}),
                top);
    figure.paint(placed({{-w * 0.95, 1.38},
                         {-w * 0.4, 1.4},
                         {-w * 0.35, 1.1},
                         {-w * 0.5, hem},
                         {-w * 1.0, hem},
                         {-w, 1.1}}),
                 figure.lit(top * 0.7), 0.55);
    if (skirt) {
      figure.fill(placed({{-w, 0.98}, {w, 0.98}, {w * 1.7, 0.55}, {-w * 1.8, 0.55}}),
                  trousers * 1.1);
    }
    if (bag) {
      const Colour leather = rgb(kTop[chance.below(11, 12)]) * 0.7;
      if (chance.happens(12, 0.5)) {
        figure.fill(
            placed({{-w * 0.8, 1.42}, {-w - 0.16, 1.36}, {-w - 0.18, 1.02}, {-w * 0.8, 0.98}}),
            leather);
      } else {
        figure.limb(body(0.06, 1.42), body(-0.1, 0.95), 0.03, 0.03, leather * 0.8);
        figure.fill(placed({{-0.2, 0.98}, {0.06, 0.98}, {0.07, 0.76}, {-0.21, 0.76}}), leather);
      }
    }
  }

  void head() const {
    const cv::Point2d centre = body(0.025, 1.625);
    figure.limb(body(0.0, 1.42), body(0.015, 1.52), 0.1 * size, 0.1 * size, skin * 0.85);
    const double metre = figure.metre() * size;
    figure.fill(ellipse(figure.at(centre.x, centre.y), 0.098 * metre, 0.122 * metre), skin);
    figure.limb(centre + cv::Point2d(0.09, -0.01) * size, centre + cv::Point2d(0.11, -0.025) * size,
                0.04 * size, 0.03 * size, skin);
    const cv::Point2d crown = centre + cv::Point2d(-0.03, 0.045) * size;
    figure.fill(ellipse(figure.at(crown.x, crown.y), 0.108 * metre, 0.1 * metre), hair);
    if (longHair) {
      figure.limb(centre + cv::Point2d(-0.06, 0.03) * size,
                  centre + cv::Point2d(-0.1, -0.17) * size, 0.13 * size, 0.1 * size, hair);
    } else if (chance.happens(13, 0.25)) {  // a cap
      figure.limb(crown + cv::Point2d(0, 0.02) * size, crown + cv::Point2d(0.15, -0.01) * size,
                  0.12 * size, 0.04 * size, top * 0.8);
    }
  }

  void umbrella() const {
    const cv::Point2d hand = body(0.2, 1.18), tip = body(0.14, 2.02);
    const Colour cloth = rgb(kTop[chance.below(14, 12)]);
    figure.limb(hand, tip, 0.03, 0.03, rgb(0x2A2A2C));
    Outline dome;
    for (int i = 0; i <= 14; ++i) {
      const double angle = CV_PI * i / 14;
      const cv::Point2d at = body(0.12 + 0.55 * std::cos(angle), 1.78 + 0.3 * std::sin(angle));
      dome.push_back(figure.at(at.x, at.y));
    }
    for (const double x : {-0.29, 0.12, 0.53}) {
      const cv::Point2d at = body(x, 1.83);
      dome.push_back(figure.at(at.x, at.y));
    }
    figure.fill(dome, cloth);
  }
};

}  // namespace

void drawPerson(const Stage& stage, const Walker& walker) {
  const Figure figure(stage, walker.x, walker.z, walker.direction);
  PersonPainter person{figure, walker.chance, walker.size, 0};
  const double stride = 1.42 * walker.size;  // two steps
  person.phase = 2 * CV_PI * walker.travelled / stride;
  const double length = 0.86 * walker.size;
  const Limb near = walkingLeg(length, person.phase, 0.42);
  const Limb far = walkingLeg(length, person.phase + CV_PI, 0.42);
  const double hip = 0.08 * walker.size - std::min(near.end.y, far.end.y);
  person.rise = hip - 0.93 * walker.size;
  const cv::Point2d hips(0, hip), shoulder = person.body(-0.02, 1.37);
  const bool wet = stage.lighting.weather().rain > 0.12 && walker.chance.happens(15, 0.7);
  figure.contactShadow(-0.3 * walker.size, 0.36 * walker.size, -0.14, 0.16);
  stage.brush.begin(Class::person);
  person.arm(walkingArm(shoulder, 0.6 * walker.size, person.phase, 0.5), 0.72);
  person.leg(person.moved(far, hips), 0.75);
  person.leg(person.moved(near, hips), 1);
  person.torso();
  person.head();
  if (wet) {
    person.umbrella();
    person.arm(
        bentLimb(shoulder, person.body(0.2, 1.18), 0.3 * walker.size, 0.29 * walker.size, false),
        0.95);
  } else {
    person.arm(walkingArm(shoulder, 0.6 * walker.size, person.phase + CV_PI, 0.5), 0.9);
  }
  stage.brush.end();
}

}  // namespace mpm::scenes

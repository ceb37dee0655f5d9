// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "models/scenes/drawing/actors.h"
#include "models/scenes/drawing/stage.h"

namespace mpm::scenes {
namespace {

constexpr std::array<unsigned, 8> kTop = {0xD8453C, 0x2F6FB0, 0xE8C23F, 0x3F8F5A,
                                          0x8A4FA0, 0xE98A3A, 0x30363E, 0x58A8B0};
constexpr std::array<unsigned, 5> kTrousers = {0x2B3A5A, 0x26292E, 0x6B5A46, 0x49525E, 0x1F2328};
constexpr std::array<unsigned, 6> kFrame = {0xB8322C, 0x22405F, 0x2B2D30,
                                            0x3C6B52, 0xD9D9D6, 0xC98A2B};
constexpr double kWheel = 0.35;

struct CyclistPainter {
  Figure figure;
  const Chance& chance;
  double turn;  // of the cranks
  cv::Point2d rear{-0.53, kWheel}, front{0.53, kWheel}, crank{-0.08, 0.3}, seat{-0.27, 0.97},
      bar{0.4, 1.06};
  Colour frame = rgb(kFrame[chance.below(0, 6)]);
  Colour top = rgb(kTop[chance.below(1, 8)]), trousers = rgb(kTrousers[chance.below(2, 5)]);
  Colour skin = mixed(rgb(0xE8BE98), rgb(0x6A4430), chance.uniform(3));

  // A ring: its outline runs around outside and back inside.
  void ring(cv::Point2d centre, double outer, double inner, const Colour& colour) const {
    Outline ring;
    const cv::Point2d at = figure.at(centre.x, centre.y);
    constexpr int kPoints = 36;
    for (int i = 0; i <= kPoints; ++i) {
      const double angle = 2 * CV_PI * i / kPoints;
      ring.push_back(at + cv::Point2d(std::cos(angle), std::sin(angle)) * (outer * figure.metre()));
    }
    for (int i = kPoints; i >= 0; --i) {
      const double angle = 2 * CV_PI * i / kPoints;
      ring.push_back(at + cv::Point2d(std::cos(angle), std::sin(angle)) * (inner * figure.metre()));
    }
    figure.fill(ring, colour);
  }

  void wheel(cv::Point2d hub) const {
    figure.paint(circle(figure.at(hub.x, hub.y), 0.97 * kWheel * figure.metre()),
                 figure.lit(rgb(0x8C9094)), 0.55);  // spokes, as the eye sees them
    ring(hub, kWheel, kWheel - 0.06, rgb(0x1C1D1F));
    ring(hub, kWheel - 0.06, kWheel - 0.085, rgb(0xB8BCC0));
    figure.disc(hub, 0.04, rgb(0x5A5E62));
  }

  void bicycle() const {
    wheel(rear);
    wheel(front);
    const double tube = 0.055;
    const cv::Point2d head(0.36, 0.86), under(-0.2, 0.8);
    figure.limb(front, head, tube * 0.8, tube, frame);
    figure.limb(rear, crank, tube * 0.8, tube * 0.8, frame);
    figure.limb(rear, under, tube * 0.8, tube * 0.8, frame);
    figure.limb(crank, head, tube, tube, frame);
    figure.limb(under, head, tube, tube, frame);
    figure.limb(crank, seat, tube, tube, frame);
    figure.limb(head, bar, tube, tube, rgb(0x3A3C40));
    figure.limb(bar, bar + cv::Point2d(0.06, 0.02), 0.06, 0.05, rgb(0x1E1F21));
    figure.limb(seat + cv::Point2d(-0.12, 0.02), seat + cv::Point2d(0.1, 0.0), 0.08, 0.05,
                rgb(0x1E1F21));
    figure.limb(rear + cv::Point2d(-0.3, 0.28), rear + cv::Point2d(0.1, 0.42), 0.035, 0.03,
                rgb(0x2A2C2F));
    ring(crank, 0.1, 0.06, rgb(0x6E7276));
  }

  cv::Point2d pedal(double angle) const {
    return crank + cv::Point2d(std::cos(angle), -std::sin(angle)) * 0.17;
  }

  void leg(double angle, double shade) const {
    const cv::Point2d foot = pedal(angle) + cv::Point2d(0, 0.06);
    const Limb leg = bentLimb(seat + cv::Point2d(0.02, 0.04), foot, 0.45, 0.44, true);
    figure.limb(crank, pedal(angle), 0.04, 0.04, rgb(0x4A4D50));
    figure.limb(leg.root, leg.middle, 0.19, 0.14, trousers * shade);
    figure.limb(leg.middle, leg.end, 0.13, 0.09, trousers * shade);
    figure.limb(foot + cv::Point2d(-0.05, -0.01), foot + cv::Point2d(0.14, -0.02), 0.09, 0.07,
                rgb(0x2A2522) * shade);
  }

  void rider() const {
    const cv::Point2d shoulder(0.1, 1.48), neck(0.16, 1.56), face(0.22, 1.7);
    figure.limb(seat + cv::Point2d(0, 0.08), shoulder, 0.27, 0.25, top);
    figure.limb(seat + cv::Point2d(-0.07, 0.1), shoulder + cv::Point2d(-0.09, -0.02), 0.09, 0.06,
                top * 0.75);
    figure.limb(neck, face, 0.1, 0.1, skin * 0.85);
    const double metre = figure.metre();
    figure.fill(ellipse(figure.at(face.x, face.y), 0.1 * metre, 0.12 * metre), skin);
    const Colour cover = chance.happens(4, 0.6) ? rgb(kTop[chance.below(5, 8)]) : rgb(0x3A2A20);
    figure.fill(ellipse(figure.at(face.x - 0.02, face.y + 0.07), 0.125 * metre, 0.085 * metre),
                cover);
    if (chance.happens(6, 0.35)) {
      figure.limb({-0.2, 1.12}, {-0.06, 1.46}, 0.2, 0.2, rgb(kTop[chance.below(7, 8)]) * 0.7);
    }
    const Limb arm = bentLimb(shoulder, bar + cv::Point2d(0.02, 0.03), 0.3, 0.3, false);
    figure.limb(arm.root, arm.middle, 0.12, 0.1, top * 0.9);
    figure.limb(arm.middle, arm.end, 0.1, 0.075, top * 0.9);
    figure.disc(arm.end, 0.05, skin);
  }

  void lights() const {
    const double on = figure.stage().lighting.glow();
    const Colour white = mixed(figure.lit(rgb(0xD8DCDC)), figure.glowing(rgb(0xFFFBE8)), on);
    const Colour red = mixed(figure.lit(rgb(0x9A2420)), figure.glowing(rgb(0xFF3A28)), on);
    figure.paint(circle(figure.at(0.48, 0.92), 0.06 * figure.metre()), white);
    figure.paint(circle(figure.at(-0.5, 0.8), 0.05 * figure.metre()), red);
  }
};

}  // namespace

void drawCyclist(const Stage& stage, const Rider& rider) {
  const Figure figure(stage, rider.x, rider.z, rider.direction);
  const CyclistPainter cyclist{figure, rider.chance, rider.travelled / 0.85};
  figure.contactShadow(-0.85, 0.85, -0.12, 0.12);
  stage.brush.begin(Class::cyclist);
  cyclist.leg(cyclist.turn + CV_PI, 0.75);
  cyclist.bicycle();
  cyclist.leg(cyclist.turn, 1);
  cyclist.rider();
  cyclist.lights();
  stage.brush.end();
}

}  // namespace mpm::scenes

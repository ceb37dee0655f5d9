// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/actors.h"

namespace mpm::scenes {
namespace {

struct LampPainter {
  Figure figure;
  const Lamp& lamp;
  Colour paint;
  Colour glass;

  double wide() const { return lamp.thickness; }

  void post(double top) const {
    figure.limb({0, 0.1}, {0, top}, wide() * 1.08, wide() * 0.9, paint);
    // A light edge, so that it is round.
    figure.limb({-0.2 * wide(), 0.8}, {-0.2 * wide(), top - 0.1}, wide() * 0.2, wide() * 0.2,
                mixed(paint, Colour(1, 1, 1), 0.25));
    figure.limb({0, 0.08}, {0, 0.7}, wide() * 1.7, wide() * 1.4, paint * 0.9);
    figure.limb({0, 0.72}, {0, 0.76}, wide() * 1.75, wide() * 1.75, paint * 1.1);
  }

  void arm() const {  // over the road, seen foreshortened, with a long head
    const double top = lamp.height, reach = 0.42 * lamp.thickness / 0.27;
    post(top - 0.1);
    figure.limb({0, top - 0.15}, {reach, top + 0.05}, wide() * 0.7, wide() * 0.55, paint);
    const double head = lamp.thickness * 2.3;
    figure.limb({reach - 0.1, top + 0.06}, {reach + 1.35 * head, top + 0.1}, head * 0.62,
                head * 0.5, paint);
    figure.paint(
        stroke(figure.at(reach + 0.15 * head, top - 0.04), figure.at(reach + 1.3 * head, top),
               0.42 * head * figure.metre(), 0.34 * head * figure.metre()),
        glass);
  }

  void lantern() const {  // a glass box under a hat
    const double s = lamp.thickness / 0.27, top = lamp.height - 0.75 * s;
    post(top);
    const auto quad = [&](double low, double high, double lowHalf, double highHalf,
                          const Colour& c) {
      figure.paint({figure.at(-highHalf, high), figure.at(highHalf, high), figure.at(lowHalf, low),
                    figure.at(-lowHalf, low)},
                   c);
    };
    quad(top - 0.05 * s, top + 0.1 * s, 0.2 * s, 0.3 * s, figure.lit(paint));
    quad(top + 0.08 * s, top + 0.66 * s, 0.27 * s, 0.42 * s, glass);
    const Colour bars = figure.lit(paint);
    quad(top + 0.08 * s, top + 0.66 * s, 0.04 * s, 0.04 * s, bars);
    quad(top + 0.62 * s, top + 0.72 * s, 0.46 * s, 0.5 * s, bars);
    quad(top + 0.7 * s, top + 0.95 * s, 0.46 * s, 0.08 * s, bars);
    figure.disc({0, top + 1.0 * s}, 0.07 * s, paint);
  }

  void globe() const {  // a ball of milk glass
    const double s = lamp.thickness / 0.27, top = lamp.height - 0.5 * s;
    post(top - 0.1);
    figure.limb({0, top - 0.16 * s}, {0, top}, wide() * 1.3, wide() * 1.9, paint);
    figure.paint(circle(figure.at(0, top + 0.36 * s), 0.42 * s * figure.metre()), glass);
    figure.limb({-0.12 * s, top + 0.77 * s}, {0.12 * s, top + 0.77 * s}, 0.1 * s, 0.1 * s, paint);
  }
};

}  // namespace

void drawLamp(const Stage& stage, const Lamp& lamp) {
  const Figure figure(stage, lamp.x, lamp.z, lamp.x < 0 ? 1 : -1);
  const double on = std::clamp(stage.lighting.light().lamps, 0.0, 1.0);
  const Colour glass =
      mixed(figure.lit(rgb(0xDADFE0), Facing::front), figure.glowing(rgb(0xFFF0CC)), on);
  const LampPainter painter{figure, lamp, stage.layout.lampPaint, glass};
  stage.brush.begin(Class::lamp);
  switch (stage.layout.lampKind) {
    case 0:
      painter.arm();
      break;
    case 1:
      painter.lantern();
      break;
    default:
      painter.globe();
      break;
  }
  stage.brush.end();
}

}  // namespace mpm::scenes

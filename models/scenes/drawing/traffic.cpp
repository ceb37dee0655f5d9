// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/traffic.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/scenes/drawing/stage.h"

namespace mpm::scenes {
namespace {

struct Lane {
  double z;
  int direction;
  double speed;     ///< metres a second
  double distance;  ///< between beads
  double reach;     ///< metres beyond the picture's sides where one can still be seen
  Chance chance;
};

struct Bead {
  double x, travelled;
  Chance chance;
};

double at(const std::array<double, 9>& threeHours, double time) {
  const double hour = time / 3600, t = (hour - 24 * std::floor(hour / 24)) / 3;
  const int i = std::clamp(static_cast<int>(t), 0, 7);
  return mixed(threeHours[i], threeHours[i + 1], t - i);
}

double carsAt(double time) {
  return at({0.12, 0.08, 0.34, 0.72, 0.6, 0.68, 0.74, 0.42, 0.12}, time);
}
double peopleAt(double time) {
  return at({0.08, 0.04, 0.15, 0.36, 0.36, 0.4, 0.38, 0.23, 0.08}, time);
}

template <class Busy>
std::vector<Bead> beads(const Layout& layout, const Lane& lane, double time, const Busy& busy) {
  const double left = layout.view.leftEnd(lane.z) - lane.reach;
  const double right = layout.view.rightEnd(lane.z) + lane.reach;
  const double pulled = lane.speed * time;
  const double first = (lane.direction > 0 ? left : -right) - pulled;
  const double last = (lane.direction > 0 ? right : -left) - pulled;
  std::vector<Bead> found;
  for (double slot = std::floor(first / lane.distance); slot * lane.distance < last; ++slot) {
    const Chance chance =
        lane.chance.stream(static_cast<std::uint64_t>(static_cast<std::int64_t>(slot)));
    const double on = (slot + chance.between(0, 0.0, 0.55)) * lane.distance;
    if (on < first || on > last) continue;
    if (!chance.happens(1, busy(-on / lane.speed))) continue;
    found.push_back({lane.direction * (on + pulled), on + pulled, chance});
  }
  return found;
}

void addParked(const Layout& layout, double time, Traffic& traffic) {
  if (!layout.parking) return;
  constexpr double kBay = 5.6;
  const Chance street = layout.chance.stream(310);
  const double share = street.between(0, 0.3, 0.75), z = layout.lanesEnd + 0.2;
  const int direction = layout.rightHand ? -1 : 1;
  const double start = std::floor((layout.view.leftEnd(z) - kBay) / kBay);
  for (double bay = start; bay * kBay < layout.view.rightEnd(z) + 3; ++bay) {
    const Chance own = street.stream(static_cast<std::uint64_t>(static_cast<std::int64_t>(bay)));
    // Each bay changes cars every few hours, at independent times.
    const double turn = std::floor(time / (3600 * own.between(0, 3, 8)) + own.uniform(1));
    const Chance chance = own.stream(static_cast<std::uint64_t>(static_cast<std::int64_t>(turn)));
    if (!chance.happens(0, share)) continue;
    const double x = (bay + 0.5) * kBay + chance.between(1, -0.3, 0.3);
    traffic.cars.push_back({x, z, direction, true, 0, chance.stream(5)});
  }
}

void addCars(const Layout& layout, double time, Traffic& traffic) {
  const int nearWay = layout.rightHand ? 1 : -1;
  const Chance street = layout.chance.stream(300);
  const std::array<Lane, 2> lanes = {
      {{layout.cycleEnd + 0.65, nearWay, street.between(0, 7.5, 11), street.between(1, 17, 22), 3,
        street.stream(1)},
       {layout.lanesMiddle + 0.5, -nearWay, street.between(2, 7.5, 11), street.between(3, 17, 22),
        3, street.stream(2)}}};
  const auto busy = [&](double when) { return layout.traffic * carsAt(when); };
  for (const Lane& lane : lanes) {
    for (const Bead& bead : beads(layout, lane, time, busy)) {
      traffic.cars.push_back(
          {bead.x, lane.z, lane.direction, false, bead.travelled, bead.chance.stream(5)});
    }
  }
}

void addWalkers(const Layout& layout, double time, Traffic& traffic) {
  const Chance street = layout.chance.stream(320);
  const double nearLow = std::max(layout.nearVerge + 0.1, 7.9), nearHigh = layout.nearKerb - 0.45;
  const double farLow = std::max(layout.farKerb + 0.8, layout.verge + 0.3);
  const std::array<double, 4> places = {mixed(nearLow, nearHigh, 0.15), nearHigh,
                                        mixed(farLow, layout.pavementEnd, 0.1),
                                        mixed(farLow, layout.pavementEnd, 0.7)};
  const auto busy = [&](double when) { return layout.crowd * peopleAt(when); };
  for (int line = 0; line < 4; ++line) {
    const Lane lane{places[line],
                    (line % 2 == 0) == street.happens(50, 0.5) ? 1 : -1,
                    street.between(10 + line, 1.05, 1.55),
                    street.between(20 + line, 7.5, 10) * (line < 2 ? 1 : 1.7),
                    1,
                    street.stream(line)};
    for (const Bead& bead : beads(layout, lane, time, busy)) {
      const bool child = line < 2 && bead.chance.happens(6, 0.12);
      const double size =
          child ? bead.chance.between(7, 0.68, 0.84) : bead.chance.between(8, 0.94, 1.07);
      traffic.walkers.push_back({bead.x, lane.z + bead.chance.between(9, 0, 0.2), lane.direction,
                                 bead.travelled, size, bead.chance.stream(5)});
      if (line < 2 && bead.chance.happens(10, 0.22)) {  // with someone at their side
        traffic.walkers.push_back(
            {bead.x + (bead.chance.happens(13, 0.5) ? 1 : -1) * bead.chance.between(11, 0.3, 0.55),
             lane.z + (line == 0 ? 0.45 : -0.45), lane.direction, bead.travelled + 0.3,
             bead.chance.between(12, 0.92, 1.06), bead.chance.stream(6)});
      }
    }
  }
}

void addRiders(const Layout& layout, double time, Traffic& traffic) {
  const Chance street = layout.chance.stream(330);
  const Lane lane{layout.nearKerb + 0.75,
                  layout.rightHand ? 1 : -1,
                  street.between(0, 3.6, 5.2),
                  street.between(1, 11, 15),
                  1.2,
                  street.stream(1)};
  const auto busy = [&](double when) {
    return (layout.cyclePath ? 1.2 : 0.9) * layout.crowd * peopleAt(when);
  };
  for (const Bead& bead : beads(layout, lane, time, busy)) {
    traffic.riders.push_back(
        {bead.x, lane.z, lane.direction, bead.travelled, bead.chance.stream(5)});
  }
}

}  // namespace

Traffic trafficAt(const Layout& layout, double time) {
  Traffic traffic;
  addParked(layout, time, traffic);
  addCars(layout, time, traffic);
  addWalkers(layout, time, traffic);
  addRiders(layout, time, traffic);
  return traffic;
}

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

namespace {

constexpr std::array<unsigned, 8> kRiderTop = {0xD8453C, 0x2F6FB0, 0xE8C23F, 0x3F8F5A,
                                               0x8A4FA0, 0xE98A3A, 0x30363E, 0x58A8B0};
constexpr std::array<unsigned, 5> kRiderTrousers = {0x2B3A5A, 0x26292E, 0x6B5A46, 0x49525E,
                                                    0x1F2328};
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
  Colour top = rgb(kRiderTop[chance.below(1, 8)]),
         trousers = rgb(kRiderTrousers[chance.below(2, 5)]);
  Colour skin = mixed(rgb(0xE8BE98), rgb(0x6A4430), chance.uniform(3));

  // Draws a ring: its outline runs around outside and back inside.
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
    const Colour cover =
        chance.happens(4, 0.6) ? rgb(kRiderTop[chance.below(5, 8)]) : rgb(0x3A2A20);
    figure.fill(ellipse(figure.at(face.x - 0.02, face.y + 0.07), 0.125 * metre, 0.085 * metre),
                cover);
    if (chance.happens(6, 0.35)) {
      figure.limb({-0.2, 1.12}, {-0.06, 1.46}, 0.2, 0.2, rgb(kRiderTop[chance.below(7, 8)]) * 0.7);
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

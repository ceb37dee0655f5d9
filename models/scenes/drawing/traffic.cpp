// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/traffic.h"

#include <algorithm>
#include <array>
#include <cmath>

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
    // Each bay changes hands every few hours, at times of its own.
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

}  // namespace mpm::scenes

// SPDX-License-Identifier: Apache-2.0
#include "evaluate/class_names.h"

#include <sstream>
#include <string_view>

namespace mpm::evaluate {
namespace {

// Names between commas; a line's end stands for a space.
std::vector<std::string> namesIn(std::string_view list) {
  std::vector<std::string> names;
  std::istringstream stream{std::string(list)};
  for (std::string name; std::getline(stream >> std::ws, name, ',');) names.push_back(name);
  return names;
}

}  // namespace

std::vector<std::string> ade20kClasses() {
  return namesIn(
      "wall, building, sky, floor, tree, ceiling, road, bed, windowpane, grass, cabinet, sidewalk, "
      "person, earth, door, table, mountain, plant, curtain, chair, car, water, painting, sofa, "
      "shelf, house, sea, mirror, rug, field, armchair, seat, fence, desk, rock, wardrobe, lamp, "
      "bathtub, railing, cushion, base, box, column, signboard, chest of drawers, counter, sand, "
      "sink, skyscraper, fireplace, refrigerator, grandstand, path, stairs, runway, case, "
      "pool table, pillow, screen door, stairway, river, bridge, bookcase, blind, coffee table, "
      "toilet, flower, book, hill, bench, countertop, stove, palm, kitchen island, computer, "
      "swivel chair, boat, bar, arcade machine, hovel, bus, towel, light, truck, tower, "
      "chandelier, awning, streetlight, booth, television, airplane, dirt track, apparel, pole, "
      "land, bannister, escalator, ottoman, bottle, buffet, poster, stage, van, ship, fountain, "
      "conveyer belt, canopy, washer, plaything, swimming pool, stool, barrel, basket, waterfall, "
      "tent, bag, minibike, cradle, oven, ball, food, step, tank, trade name, microwave, pot, "
      "animal, bicycle, lake, dishwasher, screen, blanket, sculpture, hood, sconce, vase, "
      "traffic light, tray, ashcan, fan, pier, crt screen, plate, monitor, bulletin board, "
      "shower, radiator, glass, clock, flag");
}

std::vector<std::string> cityscapesClasses() {
  return namesIn(
      "road, sidewalk, building, wall, fence, pole, traffic light, traffic sign, vegetation, "
      "terrain, sky, person, rider, car, truck, bus, train, motorcycle, bicycle");
}

std::vector<std::string> pascalContextClasses() {
  return namesIn(
      "background, aeroplane, bicycle, bird, boat, bottle, bus, car, cat, chair, cow, table, dog, "
      "horse, motorbike, person, pottedplant, sheep, sofa, train, tvmonitor, bag, bed, bench, "
      "book, building, cabinet, ceiling, cloth, computer, cup, door, fence, floor, flower, food, "
      "grass, ground, keyboard, light, mountain, mouse, curtain, platform, sign, plate, road, "
      "rock, shelves, sidewalk, sky, snow, bedclothes, track, tree, truck, wall, water, window, "
      "wood");
}

}  // namespace mpm::evaluate

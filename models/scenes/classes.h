// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace mpm::scenes {

/// Class of a pixel of a drawn street, as in label images. Sun, moon, stars and clouds are sky;
/// windows and roofs are building; lane marks are road.
enum class Class : unsigned char {
  sky,
  skyline,  ///< far houses and hills, one silhouette
  building,
  road,
  pavement,
  grass,
  hedge,
  tree,
  lamp,  ///< post and head
  car,
  person,
  cyclist  ///< with the bicycle
};

constexpr int kClasses = 12;

struct ClassFacts {
  const char* name;
  cv::Vec3b colour;  ///< BGR, for overlays
};

/// Entries are in the order of Class.
inline const std::array<ClassFacts, kClasses> kClassFacts = {{
    {"sky", {235, 178, 92}},
    {"skyline", {168, 126, 142}},
    {"building", {98, 122, 188}},
    {"road", {96, 84, 80}},
    {"pavement", {186, 190, 196}},
    {"grass", {88, 196, 132}},
    {"hedge", {110, 150, 36}},
    {"tree", {58, 118, 30}},
    {"lamp", {60, 226, 250}},
    {"car", {210, 74, 38}},
    {"person", {56, 48, 226}},
    {"cyclist", {196, 62, 206}},
}};

/// Tells whether a model with these classes labels as the drawn street does.
inline bool areOfTheStreet(const std::vector<std::string>& names) {
  return std::equal(
      names.begin(), names.end(), kClassFacts.begin(), kClassFacts.end(),
      [](const std::string& name, const ClassFacts& facts) { return name == facts.name; });
}

inline std::vector<cv::Vec3b> classColours() {
  std::vector<cv::Vec3b> colours;
  for (const ClassFacts& facts : kClassFacts) colours.push_back(facts.colour);
  return colours;
}

}  // namespace mpm::scenes

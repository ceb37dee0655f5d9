// SPDX-License-Identifier: Apache-2.0
#include "segment/class_list.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <system_error>

#include "segment/model_metadata.h"

namespace mpm::segment {

std::string trimmedName(std::string text) {
  text.erase(text.find_last_not_of(" \r\t") + 1);
  text.erase(0, text.find_first_not_of(" \t"));
  return text;
}

ClassList readClassList(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error("cannot read the names of classes in " + path + ": " +
                             std::generic_category().message(errno));
  ClassList classes;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    const std::string name = trimmedName(line.substr(0, tab));
    if (name.empty()) continue;
    classes.names.push_back(name);
    if (tab == line.npos) continue;
    const std::string word = trimmedName(line.substr(tab));
    const auto colour = parseColour(word);
    if (!colour)
      throw std::runtime_error(path + ": '" + word + "' after " + name +
                               " is not a colour; write #rrggbb");
    classes.palette.push_back(*colour);
  }
  if (!classes.palette.empty() && classes.palette.size() != classes.names.size())
    throw std::runtime_error(path + ": give each class a colour, or none");
  return classes;
}

std::string classListText(const ClassList& classes) {
  std::string text;
  for (std::size_t k = 0; k < classes.names.size(); ++k) {
    text += classes.names[k];
    if (k < classes.palette.size()) {
      const cv::Vec3b& colour = classes.palette[k];
      text += cv::format("\t#%02x%02x%02x", colour[2], colour[1], colour[0]);
    }
    text += '\n';
  }
  return text;
}

namespace {

constexpr std::size_t kMost = 256;

struct Colour {
  cv::Vec3b bgr;
  std::array<double, 3> lab{};
};

double linear(double level) {
  return level <= 0.04045 ? level / 12.92 : std::pow((level + 0.055) / 1.055, 2.4);
}

double labCurve(double x) { return x > 0.008856 ? std::cbrt(x) : 7.787 * x + 16.0 / 116; }

// Converts sRGB to CIELAB, white D65.
Colour colourOf(int red, int green, int blue) {
  const double r = linear(red / 255.0), g = linear(green / 255.0), b = linear(blue / 255.0);
  const double x = labCurve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const double y = labCurve(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const double z = labCurve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  const auto byte = [](int level) { return static_cast<unsigned char>(level); };
  return {{byte(blue), byte(green), byte(red)}, {116 * y - 16, 500 * (x - y), 200 * (y - z)}};
}

double distance(const Colour& a, const Colour& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += (a.lab[i] - b.lab[i]) * (a.lab[i] - b.lab[i]);
  return sum;
}

std::vector<Colour> choice() {
  std::vector<Colour> colours;
  constexpr int kStep = 17;  // 16 levels of each, from 0 to 255
  for (int red = 0; red < 256; red += kStep) {
    for (int green = 0; green < 256; green += kStep) {
      for (int blue = 0; blue < 256; blue += kStep) colours.push_back(colourOf(red, green, blue));
    }
  }
  return colours;
}

}  // namespace

std::vector<cv::Vec3b> distinctColours(std::size_t count) {
  const std::vector<Colour> colours = choice();
  std::vector<double> nearest(colours.size(), std::numeric_limits<double>::max());
  const auto take = [&](const Colour& taken) {
    for (std::size_t i = 0; i < colours.size(); ++i) {
      nearest[i] = std::min(nearest[i], distance(colours[i], taken));
    }
  };
  take(colourOf(0, 0, 0)), take(colourOf(255, 255, 255));
  std::vector<cv::Vec3b> palette;
  for (std::size_t i = 0; i < std::min(count, kMost); ++i) {
    const auto furthest = std::max_element(nearest.begin(), nearest.end()) - nearest.begin();
    palette.push_back(colours[furthest].bgr);
    take(colours[furthest]);
  }
  while (palette.size() < count) palette.push_back(palette[palette.size() - kMost]);
  return palette;
}

}  // namespace mpm::segment

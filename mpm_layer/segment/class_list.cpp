// SPDX-License-Identifier: Apache-2.0
#include "segment/class_list.h"

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <system_error>

#include "segment/facts.h"

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

}  // namespace mpm::segment

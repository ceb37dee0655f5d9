// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <toml++/toml.h>

#include "segment/facts.h"
#include "segment/toml_guard.h"

namespace mpm::segment {
namespace {

class TomlReader {
 public:
  explicit TomlReader(const std::string& path) : path_(path) {}

  Facts read() const {
    Facts facts;
    for (const auto& [key, value] : parse()) {
      if (key == "mean") {
        facts.mean = triple(value, "mean", false);
      } else if (key == "std") {
        facts.std = triple(value, "std", true);
      } else if (key == "channel_order") {
        facts.rgb = isRgb(value);
      } else if (key == "classes") {
        facts.classes =
            texts(value, "classes", "expected a list of names, such as [\"road\", \"sky\"]");
      } else if (key == "palette") {
        facts.palette = colours(value);
      } else {
        refuse(key.source(), "there is no key " + std::string(key.str()) +
                                 "; there are mean, std, channel_order, classes and palette");
      }
    }
    return facts;
  }

 private:
  [[noreturn]] void refuse(const toml::source_region& where, const std::string& problem) const {
    throw std::runtime_error(path_ + ", line " + std::to_string(where.begin.line) + ": " + problem);
  }

  toml::table parse() const {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file.is_open() || file.bad()) throw std::runtime_error(path_ + ": cannot be read");
    if (const auto fault = guardToml(text.str()))
      throw std::runtime_error(path_ + ", line " + std::to_string(fault->line) + ": " +
                               fault->sentence);
    try {
      return toml::parse(text.str(), path_);
    } catch (const toml::parse_error& error) {
      refuse(error.source(), onOneLine(error.description()));
    }
  }

  cv::Vec3f triple(const toml::node& node, const std::string& key, bool isStd) const {
    const std::string expected = expectedColours(isStd, "[0.5, 0.5, 0.5]");
    const toml::array* list = node.as_array();
    if (list == nullptr || list->size() != 3) {
      refuse(node.source(), key + " is not a list of three; " + expected);
    }
    cv::Vec3f values;
    for (int i = 0; i < 3; ++i) {
      const toml::node& entry = (*list)[static_cast<std::size_t>(i)];
      const auto value = entry.value<double>();
      if (!value || !fitsColours(*value, isStd)) {
        refuse(entry.source(), key + " holds something else; " + expected);
      }
      values[i] = static_cast<float>(*value);
    }
    return values;
  }

  bool isRgb(const toml::node& node) const {
    const auto order = node.value<std::string_view>();
    if (!order || (*order != "RGB" && *order != "BGR")) {
      refuse(node.source(), "channel_order is something else; expected \"RGB\" or \"BGR\"");
    }
    return *order == "RGB";
  }

  std::vector<std::string> texts(const toml::node& node, const std::string& key,
                                 const std::string& expected) const {
    const toml::array* list = node.as_array();
    if (list == nullptr) refuse(node.source(), key + " is not a list; " + expected);
    std::vector<std::string> found;
    for (const toml::node& entry : *list) {
      const auto text = entry.value<std::string>();
      if (!text) refuse(entry.source(), key + " holds something that is not text; " + expected);
      found.push_back(*text);
    }
    return found;
  }

  std::vector<cv::Vec3b> colours(const toml::node& node) const {
    const std::string expected = "expected a list of colours, such as [\"#804080\", \"#f423e8\"]";
    const std::vector<std::string> found = texts(node, "palette", expected);
    std::vector<cv::Vec3b> palette;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto colour = parseColour(found[i]);
      if (!colour) {
        refuse((*node.as_array())[i].source(), "palette holds '" + found[i] + "'; " + expected);
      }
      palette.push_back(*colour);
    }
    return palette;
  }

  std::string path_;
};

}  // namespace

Facts factsOfToml(const std::string& path) { return TomlReader(path).read(); }

}  // namespace mpm::segment

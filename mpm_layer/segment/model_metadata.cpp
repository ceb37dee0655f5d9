// SPDX-License-Identifier: Apache-2.0
#include "segment/model_metadata.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <istream>
#include <locale>
#include <opencv2/core.hpp>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <toml++/toml.h>

#include "segment/toml_guard.h"

namespace mpm::segment {

namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

// Parses the whole of `text` as a number, whatever the locale.
std::optional<float> number(const std::string& text) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  float value = 0;
  if (!(stream >> value) || !std::isfinite(value)) return std::nullopt;
  stream >> std::ws;
  return stream.eof() ? std::optional(value) : std::nullopt;
}

std::optional<cv::Vec3f> triple(const std::string& text, bool isStd) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() != 3) return std::nullopt;
  cv::Vec3f values;
  for (int i = 0; i < 3; ++i) {
    const auto value = number(parts[static_cast<std::size_t>(i)]);
    if (!value || !fitsColours(*value, isStd)) return std::nullopt;
    values[i] = *value;
  }
  return values;
}

// Uses the fewest digits that give the same floats again.
std::string tripleText(const cv::Vec3f& values) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), values[i]);
    text += (i == 0 ? "" : ",") + std::string(digits.data(), end.ptr);
  }
  return text;
}

std::string joinLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace

bool fitsColours(double number, bool isStd) {
  constexpr double kMost = 2;  // with room for whoever stretches them
  return std::isfinite(number) && std::abs(number) <= kMost && (!isStd || number > 0);
}

std::string expectedColours(bool isStd, const std::string& example) {
  return std::string("expected three numbers") + (isStd ? " above 0" : "") +
         " for colours from 0 to 1, such as " + example + "; divide those for 0 to 255 by 255";
}

std::optional<cv::Vec3b> parseColour(const std::string& text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  cv::Vec3b bgr;
  for (int i = 0; i < 3; ++i) {
    const std::string digits = text.substr(static_cast<std::size_t>(1 + 2 * i), 2);
    if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
      return std::nullopt;
    }
    bgr[2 - i] = static_cast<unsigned char>(std::stoi(digits, nullptr, 16));
  }
  return bgr;
}

ModelMetadata parseMetadata(const std::map<std::string, std::string>& metadata,
                            const std::string& name) {
  ModelMetadata facts;
  const auto refuse = [&](const std::string& key, const std::string& value,
                          const std::string& right) {
    throw std::runtime_error(name + ": its metadata " + key + " is '" + value + "'; " + right);
  };
  const auto find = [&](const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? nullptr : &found->second;
  };
  const auto readTriple = [&](const char* key, bool isStd) {
    std::optional<cv::Vec3f> values;
    if (const std::string* text = find(key)) {
      values = triple(*text, isStd);
      if (!values) refuse(key, *text, expectedColours(isStd, "0.5,0.5,0.5"));
    }
    return values;
  };
  facts.mean = readTriple("mpm.mean", false);
  facts.std = readTriple("mpm.std", true);
  if (const std::string* order = find("mpm.channel_order")) {
    if (*order != "RGB" && *order != "BGR") {
      refuse("mpm.channel_order", *order, "expected RGB or BGR");
    }
    facts.rgb = *order == "RGB";
  }
  if (const std::string* classes = find("mpm.classes")) facts.classes = split(*classes, '\n');
  if (const std::string* palette = find("mpm.palette")) {
    for (const std::string& text : split(*palette, '\n')) {
      const auto colour = parseColour(text);
      if (!colour) refuse("mpm.palette", text, "expected one colour #rrggbb on each line");
      facts.palette.push_back(*colour);
    }
  }
  return facts;
}

std::map<std::string, std::string> metadataEntries(const ModelMetadata& facts) {
  std::map<std::string, std::string> metadata;
  if (facts.mean) metadata["mpm.mean"] = tripleText(*facts.mean);
  if (facts.std) metadata["mpm.std"] = tripleText(*facts.std);
  if (facts.rgb) metadata["mpm.channel_order"] = *facts.rgb ? "RGB" : "BGR";
  if (!facts.classes.empty()) metadata["mpm.classes"] = joinLines(facts.classes);
  std::vector<std::string> colours;
  for (const cv::Vec3b& bgr : facts.palette)
    colours.push_back(cv::format("#%02x%02x%02x", bgr[2], bgr[1], bgr[0]));
  if (!colours.empty()) metadata["mpm.palette"] = joinLines(colours);
  return metadata;
}

ModelMetadata tomlMetadataBeside(const std::string& path) {
  const std::filesystem::path toml = std::filesystem::path(path).replace_extension(".toml");
  std::error_code ignored;
  return std::filesystem::is_regular_file(toml, ignored) ? readTomlMetadata(toml.string())
                                                         : ModelMetadata();
}

ModelMetadata modelMetadata(const std::string& path,
                            const std::map<std::string, std::string>& metadata) {
  ModelMetadata facts = parseMetadata(metadata, path);
  const ModelMetadata said = tomlMetadataBeside(path);
  if (said.mean) facts.mean = said.mean;
  if (said.std) facts.std = said.std;
  if (said.rgb) facts.rgb = said.rgb;
  if (!said.classes.empty()) facts.classes = said.classes;
  if (!said.palette.empty()) facts.palette = said.palette;
  return facts;
}

namespace {

class TomlReader {
 public:
  explicit TomlReader(const std::string& path) : path_(path) {}

  ModelMetadata read() const {
    ModelMetadata facts;
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

ModelMetadata readTomlMetadata(const std::string& path) { return TomlReader(path).read(); }

}  // namespace mpm::segment

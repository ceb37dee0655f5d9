// SPDX-License-Identifier: Apache-2.0
#include "cli/monitor_plan.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "cli/usage_error.h"

namespace mpm::cli {
namespace {

bool isNameLetter(unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; }

// Where the name ends that an address may have in front; npos: it has none.
std::size_t nameEnd(const std::string& text) {
  const std::size_t end = text.find('=');
  if (end == 0 || end == std::string::npos) return std::string::npos;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), isNameLetter)
             ? end
             : std::string::npos;
}

std::string namesOf(const std::vector<monitor::NamedSource>& sources) {
  std::string names;
  for (const monitor::NamedSource& source : sources) {
    names += (names.empty() ? "" : ", ") + source.name;
  }
  return names;
}

template <typename Number>
bool parseWhole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::vector<monitor::NamedSource> parseSources(const std::vector<std::string>& texts) {
  std::vector<monitor::NamedSource> sources;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::size_t end = nameEnd(texts[i]);
    monitor::NamedSource source;
    const bool named = end != std::string::npos;
    source.name = named               ? texts[i].substr(0, end)
                  : texts.size() == 1 ? std::string("camera")
                                      : "camera" + std::to_string(i + 1);
    try {
      source.address = monitor::parseSourceAddress(named ? texts[i].substr(end + 1) : texts[i]);
    } catch (const std::invalid_argument& fault) {
      throw UsageError(fault.what());
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

const std::string& RulesFiles::of(const std::string& source) const {
  const auto own = bySource.find(source);
  return own == bySource.end() ? forAll : own->second;
}

RulesFiles parseRules(const std::vector<std::string>& texts,
                      const std::vector<monitor::NamedSource>& sources) {
  RulesFiles files;
  for (const std::string& text : texts) {
    const std::size_t end = nameEnd(text);
    const bool named = end != std::string::npos;
    const std::string name = named ? text.substr(0, end) : std::string();
    const auto isIt = [&](const monitor::NamedSource& source) { return source.name == name; };
    if (named && std::none_of(sources.begin(), sources.end(), isIt)) {
      throw UsageError("--rules " + text + ": there is no source " + name + ", but " +
                       namesOf(sources) + "; a file of that name is written ./" + text);
    }
    std::string& file = named ? files.bySource[name] : files.forAll;
    if (!file.empty()) {
      throw UsageError("--rules is given twice for " + (named ? name : "all sources") +
                       "; one file is right, with all of its rules");
    }
    file = named ? text.substr(end + 1) : text;
    if (file.empty()) throw UsageError("--rules " + text + " lacks a file; NAME=FILE has one");
  }
  return files;
}

monitor::HttpOptions parseHttp(const std::string& text) {
  monitor::HttpOptions options;
  const std::size_t colon = text.rfind(':');
  std::string_view port = text;
  if (colon != std::string::npos) {
    port = std::string_view(text).substr(colon + 1);
    std::string address = text.substr(0, colon);
    if (address.size() > 2 && address.front() == '[' && address.back() == ']') {
      address = address.substr(1, address.size() - 2);
    }
    if (!address.empty()) options.address = address;
  }
  if (!parseWhole(port, options.port) || options.port < 0 || options.port > 65535) {
    throw UsageError("--http " + text +
                     " is no address; [ADDRESS:]PORT is, as 9120 or 0.0.0.0:9120");
  }
  return options;
}

cv::Vec2d parseLocation(const std::string& text) {
  const std::size_t comma = text.find(',');
  cv::Vec2d place;
  if (comma == std::string::npos ||
      !parseWhole(std::string_view(text).substr(0, comma), place[0]) ||
      !parseWhole(std::string_view(text).substr(comma + 1), place[1]) ||
      !(std::abs(place[0]) <= 90) || !(std::abs(place[1]) <= 180)) {
    throw UsageError("--location " + text +
                     " is no place; LATITUDE,LONGITUDE is, in degrees north and east, as "
                     "48.14,11.58");
  }
  return place;
}

std::string readSecret(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::perms allowed = fs::status(path, error).permissions();
  if (!error && (allowed & fs::perms::others_read) != fs::perms::none) {
    throw UsageError(path + " may be read by everybody; chmod o-r keeps the secret in it");
  }
  std::ifstream file(path);
  std::string secret;
  std::getline(file, secret);
  while (!secret.empty() && std::isspace(static_cast<unsigned char>(secret.back()))) {
    secret.pop_back();
  }
  if (secret.empty()) throw UsageError(path + " has no first line to read a secret from");
  return secret;
}

}  // namespace mpm::cli

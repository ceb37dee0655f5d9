// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/toml_reader.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "monitor/rules/words.h"

namespace mpm::monitor {
namespace {

constexpr double kLongestS = 366 * 86400.0;

bool hasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
}

// Of a number. value<double>() would have none for integers beyond 2^53.
double realOf(const toml::node& node) {
  const toml::value<std::int64_t>* whole = node.as_integer();
  return whole != nullptr ? static_cast<double>(whole->get()) : node.as_floating_point()->get();
}

}  // namespace

void refuseAt(const std::string& file, const toml::source_region& where,
              const std::string& sentence) {
  throw std::runtime_error(file + ":" + std::to_string(where.begin.line) + ": " + sentence);
}

std::string kindOf(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

void TomlReader::refuse(const toml::source_region& where, const std::string& sentence) const {
  refuseAt(file_, where, subject_ + ": " + sentence);
}

toml::source_region TomlReader::placeOf(std::string_view key) const {
  const auto found = table_.find(key);
  return found == table_.end() ? table_.source() : found->first.source();
}

void TomlReader::refuseKey(std::string_view key, const std::string& sentence) const {
  refuse(placeOf(key), sentence);
}

void TomlReader::refuseKind(std::string_view key, const toml::node& node,
                            const std::string& right) const {
  refuse(node.source(), std::string(key) + " is " + kindOf(node) + "; " + right);
}

void TomlReader::refuseOtherKeys(const std::vector<std::string>& known) const {
  for (const auto& [key, value] : table_) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    const std::vector<std::string> meant = likeThese(key.str(), known, 1);
    refuse(key.source(), "there is no key '" + std::string(key.str()) + "'; " +
                             (meant.empty() ? "known keys: " + listed(known)
                                            : "did you mean '" + meant[0] + "'?"));
  }
}

std::optional<std::string> TomlReader::text(std::string_view key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  auto found = node->value_exact<std::string>();
  if (!found) refuseKind(key, *node, "write a string, such as \"gate\"");
  if (found->empty()) refuse(node->source(), std::string(key) + " is empty; write a string");
  if (hasControl(*found)) {
    refuse(node->source(),
           std::string(key) + " contains a control character; write one line without any");
  }
  return found;
}

std::optional<double> TomlReader::number(std::string_view key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  const std::string right = "write a number, such as 0.25";
  if (!node->is_number()) refuseKind(key, *node, right);
  const double found = realOf(*node);
  if (!std::isfinite(found)) {
    refuse(node->source(), std::string(key) + " is not finite; " + right);
  }
  return found;
}

std::optional<bool> TomlReader::flag(std::string_view key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  const auto found = node->value_exact<bool>();
  if (!found) refuseKind(key, *node, "write true or false");
  return found;
}

std::optional<std::int64_t> TomlReader::secondsAsMs(std::string_view key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  const std::string right = "write a number of seconds from 0 to 31622400 (366 days), such as 10";
  if (!node->is_number()) refuseKind(key, *node, right);
  const double seconds = realOf(*node);
  if (!(seconds >= 0 && seconds <= kLongestS)) {
    refuse(node->source(), std::string(key) + " is out of range; " + right);
  }
  return std::llround(seconds * 1000);
}

std::optional<std::vector<std::string>> TomlReader::texts(std::string_view key, bool orOne) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  const std::string right = orOne
                                ? "write a string or a list of strings, such as [\"day\", \"dusk\"]"
                                : "write a list of strings, such as [\"program\", \"argument\"]";
  if (orOne && node->is_string()) return std::vector{*text(key)};
  const toml::array* list = node->as_array();
  if (list == nullptr) refuseKind(key, *node, right);
  if (list->empty()) refuse(node->source(), std::string(key) + " is an empty list; " + right);
  std::vector<std::string> found;
  for (const toml::node& entry : *list) {
    const auto word = entry.value_exact<std::string>();
    if (!word) {
      refuse(entry.source(), std::string(key) + " contains " + kindOf(entry) + "; " + right);
    }
    found.push_back(*word);
  }
  return found;
}

std::optional<std::vector<std::pair<double, double>>> TomlReader::points(
    std::string_view key, const std::string& right) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  const toml::array* list = node->as_array();
  if (list == nullptr) refuseKind(key, *node, right);
  std::vector<std::pair<double, double>> found;
  for (const toml::node& entry : *list) {
    const toml::array* point = entry.as_array();
    const bool isPair = point != nullptr && point->size() == 2 && point->get(0)->is_number() &&
                        point->get(1)->is_number();
    if (!isPair) {
      refuse(entry.source(),
             std::string(key) + " contains something that is not a point; " + right);
    }
    found.emplace_back(realOf(*point->get(0)), realOf(*point->get(1)));
  }
  return found;
}

}  // namespace mpm::monitor

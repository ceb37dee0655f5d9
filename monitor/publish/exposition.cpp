// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/exposition.h"

#include <array>
#include <charconv>
#include <cmath>

#include "monitor/statistics/utf8.h"

namespace mpm::monitor {
namespace {

std::string escapedLabel(const std::string& value) {
  std::string escaped;
  for (const char c : validUtf8(value)) {
    if (c == '\n') {
      escaped += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string escapedHelp(std::string_view help) {
  std::string escaped;
  for (const char c : help) {
    if (c == '\\') escaped += '\\';
    if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string numberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}

std::string seriesText(const Family& family, const Exposition::Labels& labels) {
  std::string text = family.name;
  char before = '{';
  for (const auto& [name, value] : labels) {
    text += before;
    text.append(name).append("=\"").append(escapedLabel(value)).append("\"");
    before = ',';
  }
  if (!labels.empty()) text += '}';
  return text;
}

}  // namespace

void Exposition::add(const Family& family, const Labels& labels, double value) {
  const std::string series = seriesText(family, labels);
  if (!series_.insert(series).second) return;
  const auto [place, isNew] = places_.try_emplace(family.name, blocks_.size());
  if (isNew) blocks_.push_back({family, ""});
  blocks_[place->second].lines += series + ' ' + numberText(value) + '\n';
}

std::string Exposition::text() const {
  std::string text;
  for (const Block& block : blocks_) {
    const std::string name = block.family.name;
    text += "# HELP " + name + ' ' + escapedHelp(block.family.help) + '\n';
    text += "# TYPE " + name;
    text += block.family.kind == FamilyKind::counter ? " counter\n" : " gauge\n";
    text += block.lines;
  }
  return text;
}

}  // namespace mpm::monitor

// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/figure_name.h"

#include <algorithm>
#include <utility>

namespace mpm::monitor {
namespace {

constexpr std::pair<std::string_view, FigureKind> kWhole[] = {
    {"merged_share", FigureKind::mergedShare},
    {"confidence", FigureKind::confidence},
    {"luma", FigureKind::luma},
    {"saturation", FigureKind::saturation},
    {"frame_age_ms", FigureKind::frameAge},
    {"drops", FigureKind::perFrame},
    {"reconnects", FigureKind::perFrame},
};
constexpr std::pair<std::string_view, FigureKind> kPrefixes[] = {
    {"rows.", FigureKind::rows},
    {"similarity.", FigureKind::similarity},
    {"area.", FigureKind::area},
    {"ms.", FigureKind::step},
};

}  // namespace

FigureName splitFigureName(std::string_view name) {
  for (const auto& [whole, kind] : kWhole) {
    if (name == whole) return {kind, "", ""};
  }
  for (const auto& [prefix, kind] : kPrefixes) {
    if (name.starts_with(prefix) && name.size() > prefix.size())
      return {kind, "", std::string(name.substr(prefix.size()))};
  }
  // Neither zones nor classes have a dot in a metric's name.
  constexpr std::string_view zone = "zone.", area = ".area.";
  const std::size_t middle = name.find(area, std::min(zone.size(), name.size()));
  if (name.starts_with(zone) && middle != name.npos && middle > zone.size() &&
      name.size() > middle + area.size()) {
    return {FigureKind::zoneArea, std::string(name.substr(zone.size(), middle - zone.size())),
            std::string(name.substr(middle + area.size()))};
  }
  return {FigureKind::other, "", std::string(name)};
}

}  // namespace mpm::monitor

// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/figure_name.h"

#include <gtest/gtest.h>

namespace mpm::monitor {
namespace {

void expectName(const std::string& name, FigureKind kind, const std::string& zone,
                const std::string& part) {
  const FigureName split = splitFigureName(name);
  EXPECT_EQ(split.kind, kind) << name;
  EXPECT_EQ(split.zone, zone) << name;
  EXPECT_EQ(split.part, part) << name;
}

TEST(FigureName, EachDocumentedNameIsSplit) {
  expectName("rows.0", FigureKind::rows, "", "0");
  expectName("rows.12", FigureKind::rows, "", "12");
  expectName("merged_share", FigureKind::mergedShare, "", "");
  expectName("similarity.1", FigureKind::similarity, "", "1");
  expectName("confidence", FigureKind::confidence, "", "");
  expectName("area.car", FigureKind::area, "", "car");
  expectName("zone.gate.area.car", FigureKind::zoneArea, "gate", "car");
  expectName("luma", FigureKind::luma, "", "");
  expectName("saturation", FigureKind::saturation, "", "");
  expectName("ms.network", FigureKind::step, "", "network");
  expectName("frame_age_ms", FigureKind::frameAge, "", "");
  expectName("drops", FigureKind::perFrame, "", "");
  expectName("reconnects", FigureKind::perFrame, "", "");
}

TEST(FigureName, ClassesAndZonesMayBeNamedLikeParts) {
  expectName("area.area", FigureKind::area, "", "area");
  expectName("zone.area.area.area", FigureKind::zoneArea, "area", "area");
  expectName("zone.zone.area.Bäume", FigureKind::zoneArea, "zone", "Bäume");
}

TEST(FigureName, WhatIsUnknownKeepsItsName) {
  for (const std::string name : {"", "rows.", "area.", "zone..area.car", "zone.gate.area.",
                                 "zone.gate", "luma.mean", "speed"}) {
    expectName(name, FigureKind::other, "", name);
  }
}

}  // namespace
}  // namespace mpm::monitor

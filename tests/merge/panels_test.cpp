// SPDX-License-Identifier: Apache-2.0
#include "merge/panels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "merge/steps.h"
#include "random_rows.h"

namespace mpm::merge {
namespace {

using test::OwnedRows;

TEST(Panels, HoldUnitRowsFeatureByFeature) {
  for (const std::size_t dim : {1, 3, 4, 5, 18}) {
    SCOPED_TRACE(dim);
    const OwnedRows rows = test::normalRows(70, dim, 16);
    const std::vector<float> zeros(dim, 0.0F);
    Slots slots;
    arrangeSlots(rows.count, {}, slots);
    std::vector<float> panels(2 * dim * kPanelSlots, -1);
    for (const std::size_t p : {1, 2}) {
      packPanel(rows.view(), zeros.data(), slots, p, panels.data() + (p - 1) * dim * kPanelSlots);
    }
    for (std::size_t slot = 32; slot < 96; ++slot) {
      for (std::size_t k = 0; k < dim; ++k) {
        const float packed = panels[(slot / 32 - 1) * dim * 32 + k * 32 + slot % 32];
        const float* row = slot < 70 ? rows.view().row(slot) : nullptr;
        const double unit = row == nullptr ? 0 : row[k] * inverseNormReference(row, dim);
        EXPECT_NEAR(packed, unit, 2e-7) << "slot " << slot << ", feature " << k;
      }
    }
    EXPECT_EQ(slots.full[1], 1);
    EXPECT_EQ(slots.full[2], 0);
  }
}

TEST(Panels, AValueDoesNotDependOnItsPlaceInTheRow) {
  for (const std::size_t dim : {2, 3, 4, 5, 6, 7, 11, 18, 33}) {
    OwnedRows rows(kPanelSlots, dim);
    const OwnedRows values = test::normalRows(kPanelSlots, 1, 18);
    for (std::size_t i = 0; i < rows.count; ++i) {
      // The last ones are subnormal.
      const float value = values.data[i] * (i < 28 ? 1.0F : 1e-40F);
      std::fill_n(rows.row(i), dim, value);
    }
    const std::vector<float> zeros(dim, 0.0F);
    Slots slots;
    arrangeSlots(rows.count, {}, slots);
    std::vector<float> panel(dim * kPanelSlots, -1);
    packPanel(rows.view(), zeros.data(), slots, 0, panel.data());
    for (std::size_t i = 0; i < panel.size(); ++i) {
      EXPECT_EQ(panel[i], panel[i % kPanelSlots]) << dim << " features, at " << i;
    }
  }
}

TEST(Panels, EmptyTheSlotsOfRowsThatAreNotFinite) {
  OwnedRows rows = test::normalRows(64, 6, 17);
  rows.row(5)[3] = std::numeric_limits<float>::quiet_NaN();
  rows.row(31)[0] = std::numeric_limits<float>::infinity();
  const std::vector<float> zeros(6, 0.0F);
  Slots slots;
  arrangeSlots(rows.count, {}, slots);
  std::vector<float> panels(2 * 6 * kPanelSlots, -1);
  for (int again = 0; again < 2; ++again) {
    for (const std::size_t p : {0, 1}) {
      packPanel(rows.view(), zeros.data(), slots, p, panels.data() + p * 6 * kPanelSlots);
    }
    EXPECT_EQ(slots.row[5], kEmptySlot);
    EXPECT_EQ(slots.row[31], kEmptySlot);
    EXPECT_EQ(slots.row[6], 6);
    EXPECT_EQ(slots.full[0], 0);
    EXPECT_EQ(slots.full[1], 1);
    EXPECT_EQ(panels[5 + 3 * 32], 0);
    EXPECT_EQ(panels[31], 0);
  }
}

}  // namespace
}  // namespace mpm::merge

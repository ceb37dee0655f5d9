// SPDX-License-Identifier: Apache-2.0
#include "gui/app/tune_panel.h"

#include <gtest/gtest.h>

#include "gui/app/settings.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

// Seen: times of a picture stretched to the model's input, where windows slid over it.
TEST(TunePanel, MeasuresWhatRuns) {
  AppOptions options;
  options.record = "none";
  options.source = "scene:?clock=600x&hour=12&size=160x80";
  LiveOptions wanted = withOptions({}, options).live;
  wanted.fit = Fit::slide;
  wanted.precision = "fp32";
  Live live;
  live.open(wanted);
  ASSERT_TRUE(waitFor([&] { return live.engine() != nullptr; }));
  const SegmenterOptions measured = TunePanel::optionsOf(live);
  EXPECT_EQ(measured.fit, Fit::slide);
  EXPECT_EQ(measured.read.precision, "fp32");
  EXPECT_EQ(measured.read.device, live.computing().device.toStdString());
}

}  // namespace
}  // namespace mpm::gui

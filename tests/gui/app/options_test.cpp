// SPDX-License-Identifier: Apache-2.0
#include "gui/app/options.h"

#include <gtest/gtest.h>

namespace mpm::gui {
namespace {

TEST(Options, Blocks) {
  EXPECT_EQ(parseBlocks("2,5"), (Schedule{2, 5}));
  EXPECT_EQ(parseBlocks(" 5 2 "), (Schedule{2, 5}));
  EXPECT_EQ(parseBlocks("none"), Schedule());
  EXPECT_EQ(parseBlocks(""), Schedule());
  for (const char* wrong : {"2,x", "-1", "2,", "1.5", "two"})
    EXPECT_FALSE(parseBlocks(wrong)) << wrong;
  EXPECT_EQ(blocksText({2, 5}), "2,5");
  EXPECT_EQ(blocksText({}), "none");
}

TEST(Options, EveryOneOnTheCommandLine) {
  AppOptions options;
  int status = -1;
  ASSERT_TRUE(parseOptions(
      {"mpm-monitor", "--source",    "rtsp://c/s",    "--model",    "m.onnx", "--merge-before",
       "1,4",         "--precision", "fp32",          "--device",   "cuda",   "--max-fps",
       "5",           "--record",    "none",          "--rules",    "r.toml", "--fit",
       "slide",       "--fresh",     "--full-screen", "--no-memory"},
      options, status));
  EXPECT_EQ(options.source, "rtsp://c/s");
  EXPECT_EQ(options.model, "m.onnx");
  EXPECT_EQ(options.schedule, (Schedule{1, 4}));
  EXPECT_EQ(options.precision, "fp32");
  EXPECT_EQ(options.device, "cuda");
  EXPECT_EQ(options.mostFps, 5);
  EXPECT_EQ(options.record, "none");
  EXPECT_EQ(options.rules, "r.toml");
  EXPECT_EQ(options.fit, "slide");
  EXPECT_TRUE(options.fresh);
  EXPECT_TRUE(options.fullScreen);
  EXPECT_TRUE(options.noMemory);
}

TEST(Options, ASourceNeedsNoName) {
  AppOptions options;
  int status = -1;
  ASSERT_TRUE(parseOptions({"mpm-monitor", "/dev/video0"}, options, status));
  EXPECT_EQ(options.source, "/dev/video0");
}

TEST(Options, WhatIsWrongEndsWithTwo) {
  for (const QStringList& words :
       {QStringList{"--nothing"}, QStringList{"--merge-before", "a"},
        QStringList{"--precision", "fp8"}, QStringList{"--device", "tpu"},
        QStringList{"--fit", "crop"}, QStringList{"--max-fps", "-1"}, QStringList{"one", "two"}}) {
    AppOptions options;
    int status = -1;
    EXPECT_FALSE(parseOptions(QStringList{"mpm-monitor"} + words, options, status));
    EXPECT_EQ(status, 2) << qPrintable(words.join(' '));
  }
}

TEST(Options, HelpAndVersionOpenNoWindowAndWhatOnlyLooksLikeThemDoes) {
  EXPECT_FALSE(opensWindow({"mpm-monitor", "--help"}));
  EXPECT_FALSE(opensWindow({"mpm-monitor", "--source", "x", "-v"}));
  EXPECT_TRUE(opensWindow({"mpm-monitor", "-platform", "offscreen"}));
  EXPECT_TRUE(opensWindow({"mpm-monitor", "-platform", "offscreen", "-platformtheme", "x"}));
  EXPECT_TRUE(opensWindow({"mpm-monitor", "-platform", "offscreen", "--record", "-v"}));
}

TEST(Options, TheSentenceAboutAnUnknownOneIsOneSentence) {
  AppOptions options;
  int status = 0;
  ::testing::internal::CaptureStderr();
  parseOptions({"mpm-monitor", "--nothing"}, options, status);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "mpm-monitor: Unknown option 'nothing'; see --help\n");
}

}  // namespace
}  // namespace mpm::gui

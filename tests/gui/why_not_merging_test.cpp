// SPDX-License-Identifier: Apache-2.0
#include "gui/why_not_merging.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QTranslator>

namespace mpm::gui {
namespace {

class Shouting : public QTranslator {
 public:
  QString translate(const char*, const char* source, const char*, int) const override {
    return QString::fromUtf8(source).toUpper();
  }
  bool isEmpty() const override { return false; }
};

class WhyNotMergingTest : public ::testing::Test {
 protected:
  void SetUp() override { QCoreApplication::installTranslator(&translator_); }
  void TearDown() override { QCoreApplication::removeTranslator(&translator_); }

 private:
  Shouting translator_;
};

TEST_F(WhyNotMergingTest, WhatIsSaidOfTheWholeModelIsTranslated) {
  for (const char* reason :
       {"it has no transformer block", "it has no transformer block that is recognised",
        "none of its outputs needs the encoder's blocks"})
    EXPECT_EQ(WhyNotMerging::words(reason), QString(reason).toUpper());
}

TEST_F(WhyNotMergingTest, WhatNamesANodeKeepsTheWordsOfTheLog) {
  EXPECT_EQ(WhyNotMerging::words("block 3: not supported: its MLP, at /blocks.3/Add"),
            "BLOCK 3 IS NOT SUPPORTED (its MLP, at /blocks.3/Add)");
  EXPECT_EQ(WhyNotMerging::words("it asks for something new"), "it asks for something new");
}

}  // namespace
}  // namespace mpm::gui

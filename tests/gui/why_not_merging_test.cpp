// SPDX-License-Identifier: Apache-2.0
#include "gui/why_not_merging.h"

#include <gtest/gtest.h>

#include <QtWidgets>

namespace mpm::gui {
namespace {

class Shouting : public QTranslator {
 public:
  QString translate(const char*, const char* source, const char*, int) const override {
    return QString::fromUtf8(source).toUpper();
  }
  bool isEmpty() const override { return false; }
};

TEST(WhyNotMerging, IsTranslatedButForWordsOfTheLogThatNameNodes) {
  Shouting translator;
  QCoreApplication::installTranslator(&translator);
  for (const char* reason :
       {"it has no transformer block", "it has no transformer block that is recognised",
        "none of its outputs needs the encoder's blocks"})
    EXPECT_EQ(WhyNotMerging::words(reason), QString(reason).toUpper());
  EXPECT_EQ(WhyNotMerging::words("block 3: not supported: its MLP, at /blocks.3/Add"),
            "BLOCK 3 IS NOT SUPPORTED (its MLP, at /blocks.3/Add)");
  EXPECT_EQ(WhyNotMerging::words("it asks for something new"), "it asks for something new");
  QCoreApplication::removeTranslator(&translator);
}

}  // namespace
}  // namespace mpm::gui

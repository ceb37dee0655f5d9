// SPDX-License-Identifier: Apache-2.0
#include "gui/app/settings.h"

#include <gtest/gtest.h>

#include <QSettings>

namespace mpm::gui {
namespace {

constexpr const char* kSecret = "rtsp://user:topsecret@camera/stream";

TEST(Settings, TheLastOneOpenedIsInFrontOnceAndTenAreKept) {
  QStringList list;
  for (int i = 0; i < 12; ++i) list = withRecentSource(list, QString("/dev/video%1").arg(i));
  EXPECT_EQ(list.size(), 10);
  EXPECT_EQ(list.front(), "/dev/video11");
  list = withRecentSource(list, "/dev/video5");
  EXPECT_EQ(list.front(), "/dev/video5");
  EXPECT_EQ(list.count("/dev/video5"), 1);
}

TEST(Settings, AnAddressWithAPasswordIsNeverKept) {
  EXPECT_EQ(withRecentSource({"/dev/video0"}, kSecret), QStringList{"/dev/video0"});
  EXPECT_EQ(withRecentSource({}, "rtsp://camera/stream").size(), 1);
  Settings settings;
  settings.live.source = kSecret;
  settings.recentSources = QStringList{kSecret, "/dev/video0"};
  writeSettings(settings);
  const QSettings stored;
  for (const QString& key : stored.allKeys()) {
    EXPECT_FALSE(stored.value(key).toStringList().join(' ').contains("topsecret"))
        << qPrintable(key);
  }
  EXPECT_EQ(readSettings().recentSources, QStringList{"/dev/video0"});
}

}  // namespace
}  // namespace mpm::gui

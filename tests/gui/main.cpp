// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QtWidgets>

#include "gui/own_home.h"

int main(int argc, char** argv) {
  // Some tests need real windows, on a separate X server.
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  testing::InitGoogleTest(&argc, argv);
  QLocale::setDefault(QLocale::c());
  const mpm::test::OwnHome home;
  const QApplication app(argc, argv);
  if (!home.moveIn()) return 1;
  return RUN_ALL_TESTS();
}

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QApplication>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>

#include "gui/own_home.h"

int main(int argc, char** argv) {
  // One test needs a real window, on a separate X server.
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  testing::InitGoogleTest(&argc, argv);
  const mpm::test::OwnHome home;
  QApplication app(argc, argv);
  if (!home.moveIn()) return 1;
  QApplication::setOrganizationName("mpm-tests");
  QApplication::setApplicationName("mpm-monitor-tests");
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });
  return RUN_ALL_TESTS();
}

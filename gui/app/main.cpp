// SPDX-License-Identifier: Apache-2.0
// mpm-monitor: the app.
#include <QApplication>
#include <QIcon>
#include <cstdio>
#include <exception>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>

#include "gui/app/language.h"
#include "gui/app/main_window.h"
#include "gui/app/options.h"
#include "gui/app/settings.h"

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  QApplication::setApplicationName("mpm-monitor");
  QApplication::setApplicationDisplayName("MPM Monitor");
  QApplication::setOrganizationName("mpm");
  QApplication::setApplicationVersion(MPM_VERSION);
  QApplication::setDesktopFileName("mpm-monitor");
  QApplication::setWindowIcon(QIcon(":/mpm-monitor.png"));
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });

  mpm::gui::speak(
      mpm::gui::languageToSpeak(QApplication::arguments(), mpm::gui::readSettings().language));
  mpm::gui::AppOptions options;
  int status = 0;
  if (!mpm::gui::parseOptions(QApplication::arguments(), options, status)) return status;
  try {
    const mpm::gui::Settings remembered =
        options.fresh ? mpm::gui::Settings{} : mpm::gui::readSettings();
    mpm::gui::applyTheme(remembered.theme);
    mpm::gui::MainWindow window(mpm::gui::withOptions(remembered, options));
    window.show();
    if (options.fullScreen) window.goFullScreen();
    // Whoever says what they want knows the app.
    if (QApplication::arguments().size() == 1 && !remembered.tourSeen) window.beginTour();
    return QApplication::exec();
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "mpm-monitor: %s\n", fault.what());
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
// mpm-monitor: the app.
#include <QApplication>
#include <QIcon>
#include <clocale>
#include <cstdio>
#include <exception>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>

#include "files/standard_files.h"
#include "gui/app/main_window.h"
#include "gui/app/options.h"
#include "gui/app/settings.h"
#include "mpm/version.h"

namespace {

void nameTheApp() {
  QCoreApplication::setApplicationName("mpm-monitor");
  QCoreApplication::setOrganizationName("mpm");
  QCoreApplication::setApplicationVersion(mpm::version());
}

bool readOptions(mpm::gui::AppOptions& options, int& status) {
  const QStringList words = QCoreApplication::arguments();
  mpm::gui::speak(mpm::gui::languageToSpeak(words, mpm::gui::readSettings().language));
  return mpm::gui::parseOptions(words, options, status);
}

// Answers --help and --version, and a missing display, for which Qt would abort.
int answerWithoutWindow(int argc, char** argv) {
  const QCoreApplication app(argc, argv);
  std::setlocale(LC_NUMERIC, "C");
  mpm::gui::AppOptions options;
  int status = 0;
  return readOptions(options, status) ? mpm::gui::complainOfNoDisplay() : status;
}

}  // namespace

int main(int argc, char** argv) {
  mpm::files::keepStandardFiles();
  nameTheApp();
  if (!mpm::gui::opensWindow({argv, argv + argc})) return answerWithoutWindow(argc, argv);
  QApplication app(argc, argv);
  std::setlocale(LC_NUMERIC, "C");  // Qt took the desktop's: files and messages have points
  QApplication::setApplicationDisplayName("MPM Monitor");
  QApplication::setDesktopFileName("mpm-monitor");
  QApplication::setWindowIcon(QIcon(":/mpm-monitor.png"));
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });

  mpm::gui::AppOptions options;
  int status = 0;
  if (!readOptions(options, status)) return status;
  try {
    const mpm::gui::Settings remembered =
        options.fresh ? mpm::gui::Settings{} : mpm::gui::readSettings();
    mpm::gui::applyTheme(remembered.theme);
    mpm::gui::MainWindow window(mpm::gui::withOptions(remembered, options));
    window.show();
    if (options.fullScreen) window.goFullScreen();
    // A user who passes options knows the app.
    if (QApplication::arguments().size() == 1 && !remembered.face) window.askForFace();
    return QApplication::exec();
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "mpm-monitor: %s\n", fault.what());
    return 1;
  }
}

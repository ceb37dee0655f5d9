// SPDX-License-Identifier: Apache-2.0
// mpm-app-bench: the app mpm-monitor against its goals. Without a display it draws offscreen; under
// X it opens windows.
#include "app_bench.h"

#include <QCommandLineParser>
#include <QStandardPaths>
#include <cstdio>
#include <exception>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>

namespace {

using mpm::bench::Report;

constexpr const char* kParts = "start,live,nights,teach,switching,memory";

void bench(Report& report, mpm::bench::TimedApplication& app, const QCommandLineParser& parser) {
  const QStringList parts = parser.value("only").split(',');
  const int seconds = std::max(1, parser.value("seconds").toInt());
  if (parts.contains("start")) mpm::bench::benchStart(report);
  if (parts.contains("live")) mpm::bench::benchLive(report, app, seconds);
  if (parts.contains("nights")) mpm::bench::benchNights(report);
  if (parts.contains("teach")) mpm::bench::benchTeach(report, app);
  if (parts.contains("switching"))
    mpm::bench::benchSwitching(report, parser.value("minutes").toDouble());
  if (parts.contains("memory")) mpm::bench::benchMemory(report, parser.value("hours").toDouble());
}

}  // namespace

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("DISPLAY") && !qEnvironmentVariableIsSet("WAYLAND_DISPLAY") &&
      !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  mpm::bench::TimedApplication app(argc, argv);
  QStandardPaths::setTestModeEnabled(true);
  QApplication::setOrganizationName("mpm-bench");
  QApplication::setApplicationName("mpm-app-bench");
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  QCommandLineParser parser;
  parser.setApplicationDescription("Measures mpm-monitor against its goals.");
  parser.addHelpOption();
  parser.addOption(
      {"only", "What to measure, of start,live,nights,teach,switching,memory.", "PARTS", kParts});
  parser.addOption({"seconds", "How long the live parts run.", "N", "60"});
  parser.addOption(
      {"minutes", "For how long another model or source is chosen, again and again.", "N", "3"});
  parser.addOption({"hours", "How many hours of frames memory is watched for.", "N", "8"});
  parser.addOption({"json", "Writes the figures to a file.", "FILE"});
  parser.process(app);
  try {
    Report report;
    report.kernels = "the app's, platform " + QApplication::platformName().toStdString();
    report.threads = cv::getNumThreads();
    bench(report, app, parser);
    std::fputs(tableText(report).c_str(), stdout);
    mpm::bench::writeFile(parser.value("json").toStdString(), jsonText(report));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpm-app-bench: %s\n", error.what());
    return 1;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// From the start of a process to what it shows, with a home where it never ran.
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <stdexcept>
#include <vector>

#include "app_bench.h"
#include "paired.h"

namespace mpm::bench {
namespace {

constexpr int kStarts = 7;
constexpr double kGoalMs = 2000, kWindowGoalMs = 1000;
constexpr int kPatienceMs = 60000;

struct Start {
  double windowMs = -1, frameMs = -1;
};

Start startOnce() {
  const QTemporaryDir home;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("HOME", home.path());
  for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"}) {
    environment.insert(name, home.filePath(name));
  }
  environment.insert("QT_LOGGING_RULES", "mpm.start.info=true");
  environment.insert("QT_FORCE_STDERR_LOGGING", "1");
  QProcess process;
  process.setProcessEnvironment(environment);
  process.setReadChannel(QProcess::StandardError);
  QElapsedTimer timer;
  timer.start();
  process.start(MPM_APP, {});
  Start start;
  while (start.frameMs < 0 && timer.elapsed() < kPatienceMs && process.waitForReadyRead()) {
    while (process.canReadLine()) {
      const QByteArray line = process.readLine();
      const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
      if (line.contains("window shown")) start.windowMs = ms;
      if (line.contains("first frame shown")) start.frameMs = ms;
    }
  }
  process.kill();
  process.waitForFinished();
  if (start.frameMs < 0) throw std::runtime_error("mpm-monitor has shown no frame in a minute");
  return start;
}

}  // namespace

void benchStart(Report& report) {
  std::vector<double> window, frame;
  for (int i = 0; i < kStarts; ++i) {
    const Start start = startOnce();
    window.push_back(start.windowMs);
    frame.push_back(start.frameMs);
  }
  report.rows.push_back(
      below("start to the window", "a second", median(window), kWindowGoalMs, "ms"));
  report.rows.push_back(
      below("start to the first segmented frame", "two seconds", median(frame), kGoalMs, "ms"));
}

}  // namespace mpm::bench

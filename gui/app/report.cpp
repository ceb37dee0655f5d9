// SPDX-License-Identifier: Apache-2.0
#include "gui/app/report.h"

#include <QByteArray>
#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>
#include <QIODevice>
#include <QStringList>
#include <QSysInfo>
#include <QThread>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>

#include "gui/app/options.h"
#include "mpm/threads.h"
#include "mpm/version.h"

namespace mpm::gui {
namespace {

QByteArray firstLineWith(const QString& path, const QByteArray& beginning) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  // Files in /proc have no length, so they are read until nothing comes.
  for (QByteArray line = file.readLine(); !line.isEmpty(); line = file.readLine()) {
    if (line.startsWith(beginning)) return line.mid(line.indexOf(':') + 1).trimmed();
  }
  return {};
}

QString figure(const monitor::Engine& engine, const monitor::FrameResult& result,
               const std::string& metric) {
  const auto place = engine.metrics().find(metric);
  if (!place || std::isnan(result.known.values[*place])) return QStringLiteral("-");
  return QString::number(result.known.values[*place], 'g', 6);
}

QString engineText(const monitor::Engine& engine) {
  QStringList lines;
  const monitor::CaptureStatus capture = engine.capture();
  lines << "source: " + QString::fromStdString(engine.source().address.shown);
  lines << QString("capture: %1, %2 frames, %3 dropped, %4 reconnects, %5 fps, %6 x %7")
               .arg(monitor::nameOf(capture.state))
               .arg(capture.frames)
               .arg(capture.drops)
               .arg(capture.reconnects)
               .arg(capture.fps, 0, 'f', 1)
               .arg(capture.size.width)
               .arg(capture.size.height);
  if (!capture.fault.empty()) lines << "fault: " + QString::fromStdString(capture.fault);
  lines << QString("encoder blocks: %1, merge before: %2")
               .arg(engine.blocks())
               .arg(blocksText(engine.schedule()));
  lines << QString("scene memory: %1")
               .arg(engine.remembers()             ? QStringLiteral("on")
                    : engine.memoryFault().empty() ? QStringLiteral("off")
                                                   : QString::fromStdString(engine.memoryFault()));
  if (engine.blocks() == 0) lines << "cannot merge: " + QString::fromStdString(engine.reason());
  if (const std::string fault = engine.fault(); !fault.empty()) {
    lines << "net: " + QString::fromStdString(fault);
  }
  if (const monitor::FrameResultPtr result = engine.latest()) {
    lines << "light: " + QString::fromUtf8(monitor::nameOf(result->light.state).data());
    for (const char* metric : {"live_rows", "rows.0", "merged_share", "confidence", "flicker",
                               "ms.prepare", "ms.network", "ms.labels", "frame_age_ms",
                               "fresh_share", "memory_agreement", "memory_age"}) {
      lines << QString(metric) + ": " + figure(engine, *result, metric);
    }
  }
  return lines.join('\n');
}

}  // namespace

QString processorName() {
  const QByteArray name = firstLineWith("/proc/cpuinfo", "model name");
  return QString("%1, %2 threads")
      .arg(name.isEmpty() ? QSysInfo::currentCpuArchitecture() : QString::fromUtf8(name))
      .arg(QThread::idealThreadCount());
}

ProcessUse processUse() {
  ProcessUse use;
  use.memoryMb = firstLineWith("/proc/self/status", "VmRSS").split(' ').value(0).toDouble() / 1024;
  timespec time{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0) {
    use.cpuSeconds = static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  return use;
}

QString reportText(const Live& live) {
  const LiveOptions& options = live.options();
  QStringList lines;
  lines << QString("mpm-monitor %1, OpenCV " CV_VERSION ", Qt %2").arg(mpm::version(), qVersion());
  lines << QDateTime::currentDateTimeUtc().toString(Qt::ISODate);
  lines << QSysInfo::prettyProductName() + ", " + QSysInfo::kernelVersion() + ", " +
               QGuiApplication::platformName();
  lines << processorName() + QString(", %1 compute").arg(mpm::threads());
  lines << QString("memory: %1 MB").arg(processUse().memoryMb, 0, 'f', 0);
  lines << QString("model: %1 (%2 bytes)")
               .arg(QFileInfo(live.model()).fileName())
               .arg(QFileInfo(live.model()).size());
  lines << "model sha256: " + live.modelHash();
  lines << "precision: " + (options.precision.isEmpty() ? QString("default") : options.precision);
  const Computing& computing = live.computing();
  lines << "device: " + computing.name;
  if (!computing.fault.isEmpty()) lines << "not the device asked for: " + computing.fault;
  if (live.sources() > 1)
    lines << QString("of the wall: %1 of %2").arg(live.shown() + 1).arg(live.sources());
  if (const auto engine = live.engine()) lines << engineText(*engine);
  if (const QString fault = live.recordFault(); !fault.isEmpty()) lines << "record: " + fault;
  if (const QString fault = live.backupFault(); !fault.isEmpty()) lines << "backup: " + fault;
  return lines.join('\n') + '\n';
}

}  // namespace mpm::gui

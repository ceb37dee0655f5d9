// SPDX-License-Identifier: Apache-2.0
#include "gui/app/source_test.h"

#include <QLocale>
#include <exception>
#include <thread>
#include <utility>

namespace mpm::gui {
namespace {

constexpr int kLookEveryMs = 100, kPatienceMs = 12000;
constexpr std::uint64_t kFramesWanted = 3;

// A capture may take half a second to end, which the GUI cannot wait for.
void endAside(std::unique_ptr<monitor::Capture> capture) {
  if (capture) std::thread([ending = std::move(capture)]() mutable { ending.reset(); }).detach();
}

}  // namespace

SourceTest::SourceTest(QObject* parent) : QObject(parent) {
  timer_.setInterval(kLookEveryMs);
  connect(&timer_, &QTimer::timeout, this, &SourceTest::look);
}

SourceTest::~SourceTest() { endAside(std::move(capture_)); }

void SourceTest::begin(const QString& address) {
  cancel();
  try {
    const monitor::SourceAddress parsed = monitor::parseSourceAddress(address.toStdString());
    capture_ = std::make_unique<monitor::Capture>(parsed, monitor::CaptureOptions{});
  } catch (const std::exception& fault) {
    emit ended(false, QString::fromUtf8(fault.what()));
    return;
  }
  looks_ = 0;
  emit told(tr("Opening %1 ...").arg(QString::fromStdString(capture_->shown())));
  timer_.start();
}

void SourceTest::cancel() {
  timer_.stop();
  endAside(std::move(capture_));
}

void SourceTest::look() {
  const monitor::CaptureStatus status = capture_->status();
  if (status.frames >= kFramesWanted ||
      (status.frames > 0 && status.state == monitor::CaptureState::ended)) {
    finish(true, tr("Pictures of %1 x %2 come, about %3 a second.")
                     .arg(status.size.width)
                     .arg(status.size.height)
                     .arg(QLocale().toString(status.fps, 'f', 1)));
  } else if (status.state == monitor::CaptureState::waiting) {
    finish(false, QString::fromStdString(status.fault));
  } else if (status.state == monitor::CaptureState::ended) {
    finish(false, tr("It ended before a picture came."));
  } else if (++looks_ * kLookEveryMs >= kPatienceMs) {
    finish(false, tr("No picture came within %1 seconds.").arg(kPatienceMs / 1000));
  }
}

void SourceTest::finish(bool good, const QString& sentence) {
  cancel();
  emit ended(good, sentence);
}

}  // namespace mpm::gui

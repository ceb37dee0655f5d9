// SPDX-License-Identifier: Apache-2.0
#include "handlers.h"

#include <QMetaEnum>
#include <QTimer>
#include <algorithm>
#include <chrono>

#include "processor_time.h"

namespace mpm::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kEvery = std::chrono::milliseconds(5);

double msSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string nameOf(const QObject& receiver, int type) {
  const char* known = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
  const auto* timer = qobject_cast<const QTimer*>(&receiver);
  const std::string every = timer != nullptr ? std::to_string(timer->interval()) + " ms " : "";
  return receiver.metaObject()->className() + (' ' + every) +
         (known != nullptr ? known : std::to_string(type));
}

struct Posted : QEvent {
  Posted() : QEvent(QEvent::User), at(Clock::now()) {}
  Clock::time_point at;
};

}  // namespace

bool TimedApplication::notify(QObject* receiver, QEvent* event) {
  if (!watching_) return QApplication::notify(receiver, event);
  // Both may be gone afterwards.
  const std::string name = nameOf(*receiver, event->type());
  const double outsideMs = insideMs_, outsideCpuMs = insideCpuMs_;
  insideMs_ = insideCpuMs_ = 0;
  ++depth_;
  const auto start = Clock::now();
  const double startCpu = threadMs();
  const bool took = QApplication::notify(receiver, event);
  const double ms = msSince(start), cpuMs = threadMs() - startCpu;
  --depth_;
  Handled& of = handled_[name];
  ++of.count;
  of.sumMs += ms - insideMs_;
  of.sumCpuMs += cpuMs - insideCpuMs_;
  of.longestMs = std::max(of.longestMs, ms - insideMs_);
  insideMs_ = outsideMs + ms;
  insideCpuMs_ = outsideCpuMs + cpuMs;
  if (depth_ == 0 && ms > longestMs_) {
    longest_ = name;
    longestMs_ = ms;
    longestCpuMs_ = cpuMs;
  }
  return took;
}

void TimedApplication::watch(bool on) {
  watching_ = on;
  if (!on) return;
  handled_.clear();
  longestMs_ = longestCpuMs_ = insideMs_ = insideCpuMs_ = 0;
}

Lateness::Lateness() {
  thread_ = std::thread([this] {
    for (auto next = Clock::now(); !ended_; next += kEvery) {
      std::this_thread::sleep_until(next);
      QCoreApplication::postEvent(this, new Posted);
    }
  });
}

Lateness::~Lateness() {
  ended_ = true;
  thread_.join();
}

bool Lateness::event(QEvent* event) {
  if (event->type() != QEvent::User) return QObject::event(event);
  ms_.push_back(msSince(static_cast<Posted*>(event)->at));
  return true;
}

}  // namespace mpm::bench

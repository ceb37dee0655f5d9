// SPDX-License-Identifier: Apache-2.0
#include "handlers.h"

#include <QMetaEnum>
#include <QTimer>
#include <chrono>

#include "processor_time.h"

namespace mpm::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kEvery = std::chrono::milliseconds(5);

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
  if (!watching_ || depth_ > 0) return QApplication::notify(receiver, event);
  const std::string name = nameOf(*receiver, event->type());  // both may be gone afterwards
  const double before = threadMs();
  ++depth_;
  const bool took = QApplication::notify(receiver, event);
  --depth_;
  const double ms = threadMs() - before;
  if (ms > longestMs_) {
    longest_ = name;
    longestMs_ = ms;
  }
  return took;
}

void TimedApplication::watch(bool on) {
  watching_ = on;
  if (on) longestMs_ = 0;
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
  const auto late = Clock::now() - static_cast<Posted*>(event)->at;
  ms_.push_back(std::chrono::duration<double, std::milli>(late).count());
  return true;
}

}  // namespace mpm::bench

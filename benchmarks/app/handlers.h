// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QApplication>
#include <QMetaEnum>
#include <QTimer>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "processor_time.h"

namespace mpm::bench {

/// What a handler took of the processor, and, by the clock, waited for one and for all else (a
/// disk, a lock).
struct HandlerTime {
  std::string name;  ///< receiver and event
  double ranMs = 0, waitedMs = 0, blockedMs = 0;

  double ms() const { return ranMs + waitedMs + blockedMs; }
};

/// An application that times its handlers while `watching`: those that the event loop itself
/// called, each with all that was handled inside of it.
class TimedApplication : public QApplication {
 public:
  using QApplication::QApplication;

  bool notify(QObject* receiver, QEvent* event) override {
    if (!watching_ || depth_ > 0) return QApplication::notify(receiver, event);
    const std::string name = nameOf(*receiver, event->type());  // both may be gone afterwards
    const auto begin = std::chrono::steady_clock::now();
    const double ran = threadMs(), waited = threadWaitMs();
    ++depth_;
    const bool took = QApplication::notify(receiver, event);
    --depth_;
    const std::chrono::duration<double, std::milli> whole =
        std::chrono::steady_clock::now() - begin;
    HandlerTime time{name, threadMs() - ran, threadWaitMs() - waited, 0};
    time.blockedMs = std::max(0.0, whole.count() - time.ranMs - time.waitedMs);
    if (time.ranMs > busiest_.ranMs) busiest_ = time;
    if (time.ms() > longest_.ms()) longest_ = time;
    return took;
  }

  void watch(bool on) {
    watching_ = on;
    if (on) busiest_ = longest_ = {};
  }

  const HandlerTime& busiest() const { return busiest_; }  ///< that took most of the processor
  const HandlerTime& longest() const { return longest_; }  ///< by the clock

 private:
  static std::string nameOf(const QObject& receiver, int type) {
    const char* known = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
    const auto* timer = qobject_cast<const QTimer*>(&receiver);
    const std::string every = timer != nullptr ? std::to_string(timer->interval()) + " ms " : "";
    return receiver.metaObject()->className() + (' ' + every) +
           (known != nullptr ? known : std::to_string(type));
  }

  bool watching_ = false;
  int depth_ = 0;
  HandlerTime busiest_, longest_;
};

/// Posts an event to the GUI's thread every 5 ms and notes how much later it was handled.
class Lateness : public QObject {
 public:
  Lateness() {
    thread_ = std::thread([this] {
      for (auto next = Clock::now(); !ended_; next += kEvery) {
        std::this_thread::sleep_until(next);
        QCoreApplication::postEvent(this, new Posted);
      }
    });
  }

  ~Lateness() override {
    ended_ = true;
    thread_.join();
  }

  const std::vector<double>& ms() const { return ms_; }

 protected:
  bool event(QEvent* event) override {
    if (event->type() != QEvent::User) return QObject::event(event);
    const auto late = Clock::now() - static_cast<Posted*>(event)->at;
    ms_.push_back(std::chrono::duration<double, std::milli>(late).count());
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kEvery = std::chrono::milliseconds(5);

  struct Posted : QEvent {
    Posted() : QEvent(QEvent::User), at(Clock::now()) {}
    Clock::time_point at;
  };

  std::vector<double> ms_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace mpm::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QApplication>
#include <QMetaEnum>
#include <QTimer>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "processor_time.h"

namespace mpm::bench {

/// An application that times its handlers while `watching`: the longest one that the event loop
/// itself called, with all that was handled inside of it, by what it took of the processor.
class TimedApplication : public QApplication {
 public:
  using QApplication::QApplication;

  bool notify(QObject* receiver, QEvent* event) override {
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

  void watch(bool on) {
    watching_ = on;
    if (on) longestMs_ = 0;
  }

  const std::string& longest() const { return longest_; }  ///< receiver and event
  double longestMs() const { return longestMs_; }

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
  std::string longest_;
  double longestMs_ = 0;
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

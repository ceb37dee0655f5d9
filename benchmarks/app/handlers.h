// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QApplication>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace mpm::bench {

/// An application that times its handlers while `watching`: the longest one that the event loop
/// itself called, with all that was handled inside of it, by what it took of the processor.
class TimedApplication : public QApplication {
 public:
  using QApplication::QApplication;

  bool notify(QObject* receiver, QEvent* event) override;

  void watch(bool on);
  const std::string& longest() const { return longest_; }  ///< receiver and event
  double longestMs() const { return longestMs_; }

 private:
  bool watching_ = false;
  int depth_ = 0;
  std::string longest_;
  double longestMs_ = 0;
};

/// Posts an event to the GUI's thread every 5 ms and notes how much later it was handled.
class Lateness : public QObject {
 public:
  Lateness();
  ~Lateness() override;

  const std::vector<double>& ms() const { return ms_; }

 protected:
  bool event(QEvent* event) override;

 private:
  std::vector<double> ms_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace mpm::bench

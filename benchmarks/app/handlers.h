// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QApplication>
#include <QString>
#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace mpm::bench {

/// What was handled in a GUI's thread, by receiver and event; what was handled inside of it is
/// counted by itself.
struct Handled {
  int count = 0;
  double sumMs = 0, longestMs = 0;  ///< by the clock on the wall
  double sumCpuMs = 0;              ///< of the thread
};

/// An application that times its handlers while `watching`.
class TimedApplication : public QApplication {
 public:
  using QApplication::QApplication;

  bool notify(QObject* receiver, QEvent* event) override;

  void watch(bool on);
  const std::map<std::string, Handled>& handled() const { return handled_; }
  /// The longest one that the event loop itself called, with all inside of it.
  const std::string& longest() const { return longest_; }
  double longestMs() const { return longestMs_; }
  double longestCpuMs() const { return longestCpuMs_; }

 private:
  bool watching_ = false;
  int depth_ = 0;
  double insideMs_ = 0, insideCpuMs_ = 0;  // of the handler that runs
  std::map<std::string, Handled> handled_;
  std::string longest_;
  double longestMs_ = 0, longestCpuMs_ = 0;
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

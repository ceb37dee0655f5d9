// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDir>
#include <QStandardPaths>
#include <QTemporaryDir>

namespace mpm::test {

/// A home folder of this process alone, which goes with it. Settings and records of whoever runs
/// the tests stay as they are, and nothing is shared with another checkout's tests that run beside
/// these, or were ended by a crash.
class OwnHome {
 public:
  /// Before the application is made; the desktop that it finds is XDG_CONFIG_HOME's.
  OwnHome() { qputenv("HOME", QDir(folder_.path()).canonicalPath().toLocal8Bit()); }
  /// Once it is: what it keeps lies in the home, whatever XDG says. False: there is no home.
  bool moveIn() const {
    QStandardPaths::setTestModeEnabled(true);
    return folder_.isValid();
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace mpm::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDir>
#include <QStandardPaths>
#include <QTemporaryDir>

namespace mpm::test {

/// A home folder for this process, which ends with it. It protects the settings and records of
/// whoever runs the tests. Parallel tests of other checkouts, or tests that crashed, share nothing
/// with it.
class OwnHome {
 public:
  /// Call before the application is created, which finds its desktop in XDG_CONFIG_HOME.
  OwnHome() { qputenv("HOME", QDir(folder_.path()).canonicalPath().toLocal8Bit()); }
  /// Call after that to keep files in the home, whatever XDG says; returns false without a home.
  bool moveIn() const {
    QStandardPaths::setTestModeEnabled(true);
    return folder_.isValid();
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace mpm::test

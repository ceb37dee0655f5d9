// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <QByteArray>

namespace mpm::gui {

/// The clock on the wall is one of this zone for as long as it is there.
class ZoneHere {
 public:
  explicit ZoneHere(const char* zone)
      : before_(qgetenv("TZ")), isSet_(qEnvironmentVariableIsSet("TZ")) {
    qputenv("TZ", zone);
    tzset();
  }
  ~ZoneHere() {
    isSet_ ? qputenv("TZ", before_) : qunsetenv("TZ");
    tzset();
  }
  ZoneHere(const ZoneHere&) = delete;
  ZoneHere& operator=(const ZoneHere&) = delete;

 private:
  QByteArray before_;
  bool isSet_;
};

}  // namespace mpm::gui

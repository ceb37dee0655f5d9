// SPDX-License-Identifier: Apache-2.0
#include "gui/app/computing.h"

#include <string>

#include "mpm/net.h"

namespace mpm::gui {

Computing computingOf(const QString& device, const QString& precision) {
  Computing computing{device, precision, "cpu",
                      QString::fromStdString(deviceFault(device.toStdString()))};
  if (computing.fault.isEmpty()) {
    computing.name = QString::fromStdString(deviceName(device.toStdString()));
    return computing;
  }
  computing.device = "cpu";
  // Also where the environment asks for one of the device's.
  const QString wanted = precision.isEmpty() ? qEnvironmentVariable("MPM_PRECISION") : precision;
  if (!wanted.isEmpty() && !hasPrecision(wanted.toStdString())) computing.precision = "fp32";
  return computing;
}

}  // namespace mpm::gui

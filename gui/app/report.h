// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "gui/app/live.h"

namespace mpm::gui {

/// What somebody who is asked for help wants to know: version, machine, model, settings, figures;
/// of several sources those of the one that is shown. No secrets; in English, whatever the app
/// speaks.
QString reportText(const Live& live);

/// "AMD Ryzen 7 5800X, 16 threads", and what is used of memory and processor by this process.
QString processorName();
struct ProcessUse {
  double memoryMb = 0;
  double cpuSeconds = 0;
};
ProcessUse processUse();

}  // namespace mpm::gui

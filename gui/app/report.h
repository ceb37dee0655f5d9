// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "gui/app/live.h"

namespace mpm::gui {

/// Returns what helps to answer a question: version, machine, model, settings, and figures of the
/// source that is shown. It holds no secrets and is in English, whatever the app's language.
QString reportText(const Live& live);

/// Returns "AMD Ryzen 7 5800X, 16 threads", and the memory and processor that this process uses.
QString processorName();
struct ProcessUse {
  double memoryMb = 0;
  double cpuSeconds = 0;
};
ProcessUse processUse();

}  // namespace mpm::gui

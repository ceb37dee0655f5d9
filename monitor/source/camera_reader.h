// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "monitor/source/reader.h"

namespace mpm::monitor {

/// A camera of this machine, through V4L2.
std::unique_ptr<Reader> makeCameraReader(const SourceAddress& address,
                                         const ReaderOptions& options);

}  // namespace mpm::monitor

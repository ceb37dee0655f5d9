// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "monitor/source/reader.h"

namespace mpm::monitor {

/// A stream of the network: through FFmpeg, which keeps to the options' times, and where that
/// cannot open it through GStreamer.
std::unique_ptr<Reader> makeStreamReader(const SourceAddress& address,
                                         const ReaderOptions& options);

/// A pipeline of GStreamer.
std::unique_ptr<Reader> makePipelineReader(const SourceAddress& address);

}  // namespace mpm::monitor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "monitor/source/reader.h"

namespace mpm::monitor {

/// A video file, at its own frame rate. One that holds no picture fails; behind its last picture it
/// ends, and fault() says where that came much earlier than the file promises.
std::unique_ptr<Reader> makeVideoReader(const SourceAddress& address, const ReaderOptions& options);

}  // namespace mpm::monitor

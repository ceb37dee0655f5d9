// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "monitor/source/reader.h"

namespace mpm::monitor {

/// All kinds but scenes, which no decoder reads.
bool isReadSeparately(SourceKind kind);

/// Returns mpm-reader's path: MPM_READER; next to this program once installed; or in the build of
/// this program. Throws std::runtime_error, in one sentence, if it is nowhere.
std::string readerProgram();

/// Creates a reader in a separate process, which ends with it: a failing decoder or driver harms
/// nothing else. Each opening starts a new process. A call that takes longer than
/// ReaderOptions::abandonAfterMs fails, and its process is killed.
std::unique_ptr<Reader> makeSeparateReader(const std::string& program, const SourceAddress& address,
                                           const ReaderOptions& options = {});

}  // namespace mpm::monitor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "monitor/source/reader.h"

namespace mpm::monitor {

/// All but scenes, which no decoder reads.
bool isReadSeparately(SourceKind kind);

/// Where mpm-reader is: what MPM_READER names; beside this program as both are installed; in the
/// build that this program belongs to. std::runtime_error, one sentence, where it is nowhere.
std::string readerProgram();

/// A reader in a process of its own, which ends with it: whatever a decoder or a driver does,
/// nothing else is harmed. Each opening starts another process. A call that takes longer than
/// ReaderOptions::abandonAfterMs fails, and its process is killed.
std::unique_ptr<Reader> makeSeparateReader(const std::string& program, const SourceAddress& address,
                                           const ReaderOptions& options = {});

}  // namespace mpm::monitor

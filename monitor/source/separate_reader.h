// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "monitor/source/deadly_pictures.h"
#include "monitor/source/reader.h"

namespace mpm::monitor {

/// Whether a source of that kind is read in a process of its own: whatever drivers and decoders
/// read. Scenes are drawn here.
bool isReadSeparately(SourceKind kind);

/// The reader that makeReader gives, in a process of its own, which `program` (readerProgram) runs:
/// a decoder that crashes, hangs or grows ends that process, and a read or open that fails. Each
/// open starts another one. The address goes there through a socket, since others can read command
/// lines and environments; pictures come back through shared memory, with one copy out of it.
/// `deadly`: what earlier readers of the same folder met with; nothing: this is the only one.
std::unique_ptr<Reader> makeSeparateReader(const std::string& program, const SourceAddress& address,
                                           const ReaderOptions& options = {},
                                           std::shared_ptr<DeadlyPictures> deadly = nullptr);

}  // namespace mpm::monitor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "monitor/source/reader.h"

namespace mpm::monitor {

/// The pictures of a folder, sorted by name, or one picture; none of its subfolders. A picture that
/// cannot be read is left out, and fault() says at the end how many were. Each time it begins again
/// (`loop`) it looks anew what is there.
std::unique_ptr<Reader> makeFolderReader(const SourceAddress& address,
                                         const ReaderOptions& options);

}  // namespace mpm::monitor

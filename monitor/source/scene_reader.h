// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "monitor/source/reader.h"

namespace mpm::monitor {

/// std::invalid_argument, one sentence, where it is no address of a scene.
void checkSceneAddress(const std::string& text);

/// The drawn street: 10 frames in a second of its camera, whose time is the position. It never
/// ends.
std::unique_ptr<Reader> makeSceneReader(const SourceAddress& address);

}  // namespace mpm::monitor
